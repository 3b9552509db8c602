/** What can be done with a line: show it alone, beside others, or in a chart of its own. */

import type { Line } from "../lines/lines.ts";
import type { Session } from "../session.ts";
import { addPane, setLines, whyNoPane, whyNotAdd } from "../state/changes.ts";

/** Shows a line in place of those of the active pane. */
export function showLine(session: Session, line: Line): void {
  session.change((chart) => setLines(chart, session.page.activePane, () => [line]));
}

/** Adds a line to the active pane, or says why it can't be added. */
export function addLine(session: Session, line: Line): void {
  const { chart, activePane, catalog } = session.page;
  const why = whyNotAdd(chart, activePane, line, catalog);
  if (why) session.note(why);
  else session.change((chart) => setLines(chart, activePane, (lines) => [...lines, line]));
}

/** Shows a line in a pane below the others, or says why there can't be one. */
export function showBelow(session: Session, line: Line): void {
  const why = whyNoPane(session.page.chart);
  if (why) session.note(why);
  else {
    session.change((chart) => addPane(chart, [line]));
    session.activate(session.page.chart.panes.length - 1);
  }
}
