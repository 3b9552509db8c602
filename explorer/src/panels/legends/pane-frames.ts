/** The elements of each pane: its controls, its legend and its plot. */

import { h, part } from "../dom.ts";

export interface PaneFrame {
  section: HTMLElement;
  /** Holds the controls of the pane's look. */
  look: HTMLElement;
  legend: HTMLElement;
  plot: HTMLElement;
}

/** The frames of each chart, by its root. */
const framesOf = new WeakMap<HTMLElement, PaneFrame[]>();

/** The frames of so many panes. Those that stay are the same elements. The first is part of the page from the start. */
export function paneFrames(root: HTMLElement, count: number): readonly PaneFrame[] {
  const frames = framesOf.get(root) ?? [firstFrame(root)];
  framesOf.set(root, frames);
  while (frames.length < count) frames.push(newFrame(root, frames.length + 1));
  for (const { section } of frames.splice(Math.max(1, count))) section.remove();
  return frames;
}

const firstFrame = (root: HTMLElement): PaneFrame => ({
  section: part(root, "pane"),
  look: part(root, "look"),
  legend: part(root, "series"),
  plot: part(root, "chart"),
});

function newFrame(root: HTMLElement, number: number): PaneFrame {
  const look = h("div", { class: "look" });
  const legend = h("ul", { class: "series", "aria-label": `Series of chart ${number}` });
  const plot = h("div", {
    class: "chart",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "chart",
    "aria-describedby": "chart-help footnote",
  });
  const section = h("section", { class: "pane" }, h("div", { class: "pane-head" }, legend, look), plot);
  part(root, "panes").append(section);
  return { section, look, legend, plot };
}
