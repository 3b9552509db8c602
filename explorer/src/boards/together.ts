/** The charts of a board have one crosshair and one range: what one of them does, the others do. */

import { isCalendar } from "../../../data-schema/registry.ts";
import type { Session } from "../session.ts";
import type { ChartState } from "../state/chart-state.ts";
import type { BoardCell } from "./cell.ts";

type Shown = Pick<ChartState, "range" | "zoom">;

export class Together {
  readonly #onRange: (shown: Shown) => void;
  readonly #cells = new Set<BoardCell>();
  /** Whether the others follow one of them now. */
  #isFollowing = false;

  /** @param onRange tells what one of the charts shows now */
  constructor(onRange: (shown: Shown) => void) {
    this.#onRange = onRange;
  }

  add(cell: BoardCell): void {
    const { session } = cell;
    if (session === null) return;
    session.watch(["cursor"], ({ cursor, data }) => {
      const time = cursor === null ? null : (data.table.t[cursor.row] ?? null);
      this.#lead(cell, (other) => {
        const row = other.plots?.point(time) ?? null;
        other.session?.setCursor(row === null ? null : { row, isByKeyboard: false });
      });
    });
    session.watch(["range", "zoom"], ({ chart: { range, zoom } }) => {
      if (!this.#cells.has(cell)) return;
      this.#lead(cell, ({ session }) => follow(session, { range, zoom }));
      if (!this.#isFollowing) this.#onRange({ range, zoom });
    });
    this.#cells.add(cell);
  }

  remove(cell: BoardCell): void {
    this.#cells.delete(cell);
  }

  /** Shows a range in all charts. */
  show(shown: Shown): void {
    this.#isFollowing = true;
    for (const { session } of this.#cells) follow(session, shown);
    this.#isFollowing = false;
  }

  #lead(leader: BoardCell, follow: (cell: BoardCell) => void): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    for (const cell of this.#cells) if (cell !== leader) follow(cell);
    this.#isFollowing = false;
  }
}

/** Shows a range in a chart. By hour and by block, another range needs other data. */
function follow(session: Session | null, { range, zoom }: Shown): void {
  if (session === null) return;
  const { chart } = session.page;
  if (chart.range === range && chart.zoom === zoom) return;
  const next = (old: ChartState) => ({ ...old, range, zoom });
  if (isCalendar(chart.resolution) || chart.range === range) session.adjust(next);
  else session.change(next);
}
