/** Views that wait: those below the charts, and those that take long. */

import type { Page } from "../session.ts";

/** A view that renders after the browser has painted the others; of the pages until then, only the last. */
export function afterPaint(render: (page: Page) => void): (page: Page) => void {
  let due: Page | undefined;
  return (page) => {
    if (due === undefined) {
      // On a hidden page, it renders once that is shown.
      requestAnimationFrame(() =>
        setTimeout(() => {
          const last = due!;
          due = undefined;
          render(last);
        }),
      );
    }
    due = page;
  };
}
