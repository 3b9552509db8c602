/** What the browser keeps of boards: those that a person has made, and the way back from a chart of one. */

import { readItem, writeItem } from "../../browser-storage.ts";
import {
  type Board,
  EMPTY_BOARD,
  formatBoard,
  isBoardText,
  MOST_CHARTS,
  parseBoard,
} from "../../state/board-in-link.ts";
import {
  boardOf,
  formatBoards,
  type KnownBoard,
  MOST_BOARDS,
  type OwnBoard,
  parseBoards,
  searchOf,
  withBoard,
} from "../../state/own-boards.ts";

const BOARDS = "soprano-boards";
/** The only board that earlier versions kept. */
const ONLY = "soprano-board";
/** The way back is kept for the tab alone. */
const WAY_BACK = "soprano-board-chart";
const PATH = "/boards";

/** The boards that were made in this browser. Another tab may have changed them: they are read each time. */
export function keptBoards(): OwnBoard[] {
  const text = readItem(BOARDS);
  if (text !== null) return parseBoards(text);
  const only = parseBoard(readItem(ONLY) ?? "");
  return only === null ? [] : withBoard([], { id: null, search: "" }, only, "first").boards;
}

/**
 * Keeps a board.
 *
 * @returns it with its name, what the browser knows it as, and why it couldn't be kept, if so
 */
export function keepBoard(
  known: KnownBoard,
  changed: Board,
): { board: Board; known: KnownBoard; problem: string | null } {
  const boards = keptBoards();
  const next = withBoard(boards, known, changed, `${Date.now()}-${boards.length}`);
  const isFull = next.boards.length > MOST_BOARDS;
  const problem = isFull
    ? `This browser keeps ${MOST_BOARDS} boards: delete one first, or export this one to a file.`
    : writeItem(BOARDS, formatBoards(next.boards));
  return { board: next.board, known: { id: next.id, search: searchOf(next.board) }, problem };
}

/** What the browser knows a board as that is opened by its link. */
export function knownAs(board: Board, id: string | null): KnownBoard {
  const search = searchOf(board);
  return { id: id ?? keptBoards().find((one) => one.search === search)?.id ?? null, search };
}

/** A chart of a board that is shown alone. */
interface Left {
  board: Board;
  /** Null: none of the boards that this browser keeps. */
  id: string | null;
  /** The asset and range of the board, as a query string. */
  shared: string;
  place: number;
}

/** The page leaves for a chart of a board. */
export function leaveFor({ board, id, shared, place }: Left): void {
  writeItem(WAY_BACK, JSON.stringify({ search: formatBoard(board, shared), id, shared, place }), "sessionStorage");
}

/** The board that a chart was opened from; null without one. */
export function leftFrom(): Left | null {
  try {
    const kept: Record<string, unknown> = Object(JSON.parse(readItem(WAY_BACK, "sessionStorage") ?? "null"));
    const { search, id = null, shared, place } = kept;
    if (typeof search !== "string" || typeof shared !== "string" || typeof place !== "number") return null;
    if (id !== null && typeof id !== "string") return null;
    const board = parseBoard(search);
    const left = board?.charts[place];
    return board && left && !isBoardText(left) ? { board, id, shared, place } : null;
  } catch {
    return null;
  }
}

export const forgetLeft = () => writeItem(WAY_BACK, null, "sessionStorage");

/** A board in which a chart has been changed; the same one if it hasn't. */
function changedBoard({ board, place }: Left, query: string): Board {
  const old = board.charts[place]!;
  // Another chart has another title.
  return isBoardText(old) || old.query === query
    ? board
    : { ...board, charts: board.charts.with(place, { ...old, query, title: null }) };
}

/** The address of the board that a chart was opened from, with the chart as it is now. */
export const backTo = (left: Left, query: string): string => PATH + formatBoard(changedBoard(left, query), left.shared);

/** Keeps that board, if its chart was changed. */
export function keepLeft(left: Left, query: string): void {
  const changed = changedBoard(left, query);
  if (changed !== left.board) keepBoard({ id: left.id, search: searchOf(left.board) }, changed);
  forgetLeft();
}

/**
 * Adds a chart to the board that was made or changed last.
 *
 * @returns the board's address
 * @throws {BoardProblem}
 */
export function addToLast(query: string, shared: string): string {
  const last = keptBoards().find(({ isLast }) => isLast);
  const old = last ? boardOf(last) : EMPTY_BOARD;
  if (old.charts.length >= MOST_CHARTS) throw new BoardProblem("Your board is full: remove a chart from it first.");
  const charts = [...old.charts, { query, height: "medium" as const, title: null }];
  const { board, problem } = keepBoard({ id: last?.id ?? null, search: last?.search ?? "" }, { ...old, charts });
  if (problem !== null) throw new BoardProblem(problem);
  return PATH + formatBoard(board, shared);
}

/** Why a chart can't be added, in one sentence. */
export class BoardProblem extends Error {}
