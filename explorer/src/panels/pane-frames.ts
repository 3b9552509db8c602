/** The elements of each pane: its legend above its plot. */

import { byId, h } from "./dom.ts";

export interface PaneFrame {
  section: HTMLElement;
  legend: HTMLElement;
  plot: HTMLElement;
}

const frames: PaneFrame[] = [];

/** The frames of so many panes. Those that stay are the same elements. The first is part of the page from the start. */
export function paneFrames(count: number): readonly PaneFrame[] {
  if (frames.length === 0) frames.push({ section: byId("pane"), legend: byId("series"), plot: byId("chart") });
  while (frames.length < count) frames.push(newFrame(frames.length + 1));
  for (const { section } of frames.splice(Math.max(1, count))) section.remove();
  return frames;
}

function newFrame(number: number): PaneFrame {
  const legend = h("ul", { class: "series", id: `series-list-${number}` });
  const plot = h("div", {
    ...{ class: "chart", id: `chart-${number}`, tabindex: "0", role: "application" },
    ...{ "aria-roledescription": "chart", "aria-describedby": "chart-help" },
  });
  const section = h("section", { class: "pane" }, legend, plot);
  byId("panes").append(section);
  return { section, legend, plot };
}
