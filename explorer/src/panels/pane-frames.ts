/** The elements of each pane: its controls, its legend and its plot. */

import { byId, h } from "./dom.ts";

export interface PaneFrame {
  section: HTMLElement;
  /** Holds the controls of the pane's look. */
  look: HTMLElement;
  legend: HTMLElement;
  plot: HTMLElement;
}

const frames: PaneFrame[] = [];

/** The frames of so many panes. Those that stay are the same elements. The first is part of the page from the start. */
export function paneFrames(count: number): readonly PaneFrame[] {
  if (frames.length === 0) {
    frames.push({ section: byId("pane"), look: byId("look"), legend: byId("series"), plot: byId("chart") });
  }
  while (frames.length < count) frames.push(newFrame(frames.length + 1));
  for (const { section } of frames.splice(Math.max(1, count))) section.remove();
  return frames;
}

function newFrame(number: number): PaneFrame {
  const look = h("div", { class: "look" });
  const legend = h("ul", { class: "series", "aria-label": `Series of chart ${number}` });
  const plot = h("div", {
    ...{ class: "chart", tabindex: "0", role: "application" },
    ...{ "aria-roledescription": "chart", "aria-describedby": "chart-help footnote" },
  });
  const section = h("section", { class: "pane" }, h("div", { class: "pane-head" }, look), legend, plot);
  byId("panes").append(section);
  return { section, look, legend, plot };
}
