/** What the browser keeps of boards: the one that a person has made, and the way back from a chart of one. */

import { readItem, writeItem } from "../../browser-storage.ts";
import { type Board, formatBoard, MOST_CHARTS, parseBoard } from "../../state/board-in-link.ts";

const DRAFT = "soprano-board";
/** The way back is kept for the tab alone. */
const WAY_BACK = "soprano-board-chart";
const PATH = "/boards";

/** The last board that was made or changed in this browser. */
export const keptDraft = (): Board | null => parseBoard(readItem(DRAFT) ?? "");

export function keepDraft(board: Board): void {
  writeItem(DRAFT, board.charts.length > 0 ? formatBoard(board, "") : null);
}

/** A chart of a board that is shown alone. */
interface Left {
  board: Board;
  /** The asset and range of the board, as a query string. */
  shared: string;
  place: number;
}

/** The page leaves for a chart of a board. */
export function leaveFor({ board, shared, place }: Left): void {
  writeItem(WAY_BACK, JSON.stringify({ search: formatBoard(board, shared), shared, place }), "sessionStorage");
}

/** The board that a chart was opened from; null without one. */
export function leftFrom(): Left | null {
  try {
    const kept: Record<string, unknown> = Object(JSON.parse(readItem(WAY_BACK, "sessionStorage") ?? "null"));
    const { search, shared, place } = kept;
    if (typeof search !== "string" || typeof shared !== "string" || typeof place !== "number") return null;
    const board = parseBoard(search);
    return board?.charts[place] ? { board, shared, place } : null;
  } catch {
    return null;
  }
}

export const forgetLeft = () => writeItem(WAY_BACK, null, "sessionStorage");

/** The address of a board in which a chart has been changed. */
export function backTo({ board, shared, place }: Left, query: string): string {
  const old = board.charts[place]!;
  // Another chart has another title.
  const chart = old.query === query ? old : { ...old, query, title: null };
  return PATH + formatBoard({ ...board, charts: board.charts.with(place, chart) }, shared);
}

/** The address of the user's own board with another chart; null if it is full. */
export function withChart(query: string, shared: string): string | null {
  const { title = "", text = "", columns = 2, charts = [] } = keptDraft() ?? {};
  if (charts.length >= MOST_CHARTS) return null;
  return (
    PATH + formatBoard({ title, text, columns, charts: [...charts, { query, height: "medium", title: null }] }, shared)
  );
}
