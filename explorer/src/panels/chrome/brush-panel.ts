/** The strip with the whole history, below the charts. */

import { isCalendar } from "../../../../data-schema/registry.ts";
import { Brush } from "../../chart/brush.ts";
import { shownScale } from "../../chart/drawing/natural-look.ts";
import type { Session } from "../../session.ts";
import { setRange, showInterval } from "../../state/changes.ts";
import type { Interval } from "../../state/chart-state.ts";
import { visibleBounds } from "../../state/requests.ts";
import { part } from "../dom.ts";

export function connectBrush(root: HTMLElement, session: Session): void {
  const brush = new Brush(part(root, "brush"), { onMove: (interval, isDone) => move(session, interval, isDone) });
  session.watch(["overview", "panes"], (page) => {
    const { overview } = page;
    // The old history stays until there is a new one.
    if (overview.status === "loading") return;
    const { t, columns } = overview.table;
    brush.draw(t, columns[0] ?? t, shownScale(page, 0) === "log");
  });
  session.watch(["overview", "data", "range", "zoom"], ({ overview, chart, asset }) => {
    if (overview.status === "loading") return;
    const { since, until } = visibleBounds(chart, asset);
    const { t } = overview.table;
    brush.show({ from: since ?? t[0] ?? 0, to: until ?? t[t.length - 1] ?? 0 });
  });
}

/** Shows an interval: what is loaded at once, and of hours and blocks the rest when the pointer is released. */
function move(session: Session, { from, to }: Interval, isDone: boolean): void {
  const { chart, data, overview } = session.page;
  const [all, loaded] = [overview.table.t, data.table.t];
  if (loaded.length === 0) return;
  const isWhole = isCalendar(chart.resolution);
  if (isWhole && from <= all[0]! && to >= all[all.length - 1]!) {
    session.adjust((chart) => showInterval(chart, "all"));
  } else if (isWhole || (from >= loaded[0]! && to <= loaded[loaded.length - 1]!)) {
    session.adjust((chart) => showInterval(chart, { from, to }));
  } else if (isDone) session.change((chart) => setRange(chart, { since: from, until: to }));
}
