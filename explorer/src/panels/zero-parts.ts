/** Parts of a family that are zero in all that is visible come last in its legend, where a small window has to scroll. */

import { type Session, visibleRows } from "../session.ts";

export function connectZeroParts(root: HTMLElement, session: Session): void {
  session.watch(["data", "traces", "zoom", "range"], (page) => {
    const { from, to } = visibleRows(page);
    for (const [i, { part, pane, line }] of page.traces.entries()) {
      if (!part || part.role === "whole") continue;
      const visible = page.data.table.columns[i]?.subarray(from, to) ?? [];
      const name = CSS.escape(`part-${part.value}-${pane}-${line}`);
      const item = root.querySelector(`.parts li:has([data-focus=${name}])`);
      item?.classList.toggle(
        "zero",
        visible.length > 0 && !visible.some((value) => value !== 0 && !Number.isNaN(value)),
      );
    }
  });
}
