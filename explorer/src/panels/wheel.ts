/** What a turn of the wheel over a chart does. */

/** It scrolls the page, which goes on around the charts, and zooms only with Ctrl. */
export function letWheelScroll(): void {
  addEventListener("wheel", (event) => !event.ctrlKey && event.stopPropagation(), { capture: true });
}
