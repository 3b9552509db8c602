/** The boards that a person has made: a list as a plain value, and its text in the browser's storage. */

import { type Board, formatBoard, parseBoard } from "./board-in-link.ts";

export interface OwnBoard {
  /** What stays while the board is changed and renamed. */
  id: string;
  /** The board's query string. */
  search: string;
  /** Whether it is the one that was changed last. */
  isLast: boolean;
}

/** A board of a page: which one it is, and as what the page has kept it last. */
export interface KnownBoard {
  id: string | null;
  search: string;
}

export const MOST_BOARDS = 200;
const UNNAMED = "Board";

export const searchOf = (board: Board): string => formatBoard(board, "");

export const boardOf = ({ search }: Pick<OwnBoard, "search">): Board => parseBoard(search)!;

export const formatBoards = (boards: readonly OwnBoard[]): string => JSON.stringify(boards);

/** Reads a list; what isn't a board is left out. */
export function parseBoards(text: string): OwnBoard[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(list) ? list : []).flatMap((one): OwnBoard[] => {
    const { id, search, isLast } = Object(one) as Record<string, unknown>;
    if (typeof id !== "string" || typeof search !== "string" || parseBoard(search) === null) return [];
    return [{ id, search, isLast: isLast === true }];
  });
}

/**
 * A list with a board, which has a name from then on.
 *
 * - A board of the list is replaced, unless it was changed elsewhere since: then both are kept.
 * - Another one is added. Where its name is taken, it gets a number.
 * - A board without charts leaves the list; undoing that brings it back under the same id.
 *
 * @param newId for a board that is added
 */
export function withBoard(
  boards: readonly OwnBoard[],
  { id, search }: KnownBoard,
  board: Board,
  newId: string,
): { boards: OwnBoard[]; board: Board; id: string } {
  const place = boards.findIndex((one) => one.id === id);
  const isOwn = id !== null && (place < 0 || boards[place]!.search === search);
  const ownId = isOwn ? id : newId;
  const others = boards.filter((one) => one.id !== ownId).map((one) => ({ ...one, isLast: false }));
  if (board.charts.length === 0) return { boards: isOwn ? others : [...boards], board, id: ownId };
  const named = { ...board, title: freeTitle(board.title || UNNAMED, others) };
  const kept = { id: ownId, search: searchOf(named), isLast: true };
  return { boards: others.toSpliced(isOwn && place >= 0 ? place : others.length, 0, kept), board: named, id: ownId };
}

/** A title that no other board has: `Mine`, `Mine 2`, `Mine 3`. */
function freeTitle(title: string, others: readonly OwnBoard[]): string {
  const taken = new Set(others.map((one) => boardOf(one).title));
  let free = title;
  for (let number = 2; taken.has(free); number++) free = `${title.slice(0, 70)} ${number}`;
  return free;
}
