/** The sheet that lists keys and gestures: on `?` and on the button with that sign. */

import { h, isWithin, part } from "../dom.ts";

/** What a person can do, by keyboard and by mouse or touch; null where there is no such way. */
const CONTROLS: { does: string; keys: string[] | null; gesture: string | null }[] = [
  { does: "Move the crosshair", keys: ["←", "→"], gesture: "Point, or touch" },
  { does: "Move it by ten points", keys: ["Page Up", "Page Down"], gesture: null },
  { does: "Move it to the first or last point", keys: ["Home", "End"], gesture: null },
  { does: "Zoom in and out", keys: ["+", "−"], gesture: "Drag over a stretch; wheel; two fingers" },
  { does: "Pan", keys: ["Shift ←", "Shift →"], gesture: "Drag with Shift; drag with a finger; the strip below" },
  { does: "Pin a point; a second one gives the change between them", keys: ["Enter"], gesture: "Click" },
  { does: "Copy the exact values of the pins", keys: ["Ctrl C"], gesture: null },
  { does: "Remove the pins; back to the range", keys: ["Escape"], gesture: "↺" },
  { does: "Undo and redo, also a zoom", keys: ["Ctrl Z", "Ctrl Shift Z"], gesture: null },
  { does: "Show the whole history", keys: ["0"], gesture: "Double-click" },
  { does: "Choose the asset, by symbol, name or contract", keys: ["A"], gesture: "Its name at the top" },
  { does: "Find metrics, formulas, cohorts and actions", keys: ["/", "Ctrl K"], gesture: null },
  { does: "This list", keys: ["?"], gesture: null },
];

export function connectHelpSheet(sheet: HTMLDialogElement, opener: HTMLElement): void {
  for (const { does, keys, gesture } of CONTROLS) {
    const shown = (keys ?? []).map((key) => h("kbd", {}, key));
    const how = h("dd", {}, ...shown, gesture && h("span", {}, gesture));
    part(sheet, "list").append(h("div", {}, h("dt", {}, does), how));
  }
  opener.addEventListener("click", () => sheet.showModal());
  document.addEventListener("keydown", (event) => {
    const isTyping = isWithin(event, "input, select, textarea, dialog");
    if (event.key !== "?" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    sheet.showModal();
  });
}
