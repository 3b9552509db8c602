/** The list of one's boards: nothing is lost, whatever is changed where. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Board, boardProblem, EMPTY_BOARD, parseBoard } from "../../../explorer/src/state/board-in-link.ts";
import {
  boardOf,
  formatBoards,
  type KnownBoard,
  type OwnBoard,
  parseBoards,
  searchOf,
  withBoard,
} from "../../../explorer/src/state/own-boards.ts";

const board = (title: string, ...metrics: string[]): Board => ({
  ...EMPTY_BOARD,
  title,
  charts: metrics.map((metric) => ({ query: `y=${metric}`, height: "medium", title: null })),
});
const NEW: KnownBoard = { id: null, search: "" };
const titles = (boards: readonly OwnBoard[]) => boards.map((one) => boardOf(one).title);

describe("one's boards", () => {
  it("are added, changed in their places, and named", () => {
    const one = withBoard([], NEW, board("", "sopr"), "a");
    const two = withBoard(one.boards, NEW, board("", "volume"), "b");
    expect(titles(two.boards)).toEqual(["Board", "Board 2"]);
    const known = { id: "a", search: searchOf(one.board) };
    const changed = withBoard(two.boards, known, { ...one.board, title: "Mine" }, "c");
    expect(titles(changed.boards)).toEqual(["Mine", "Board 2"]);
    expect(changed.boards.map(({ id, isLast }) => [id, isLast])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("are both kept where another tab has changed the same one", () => {
    const { boards, board: made } = withBoard([], NEW, board("Mine", "sopr"), "a");
    const known = { id: "a", search: searchOf(made) };
    const here = withBoard(boards, known, board("Mine", "sopr", "price"), "b");
    const there = withBoard(here.boards, known, board("Mine", "volume"), "c");
    expect(titles(there.boards)).toEqual(["Mine", "Mine 2"]);
  });

  it("come back under the same id when their deletion is undone", () => {
    const { boards, board: made } = withBoard([], NEW, board("Mine", "sopr"), "a");
    const known = { id: "a", search: searchOf(made) };
    const deleted = withBoard(boards, known, EMPTY_BOARD, "b");
    expect(deleted.boards).toEqual([]);
    expect(withBoard(deleted.boards, known, made, "c").boards).toEqual(boards);
  });

  it("are all there after any changes of boards that are known as they are, and read as they were written", () => {
    const changes = fc.array(
      fc.record({
        which: fc.nat({ max: 5 }),
        title: fc.constantFrom("", "Mine", "x".repeat(80)),
        metric: fc.string({ minLength: 1 }),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(changes, (done) => {
        let boards: OwnBoard[] = [];
        let added = 0;
        for (const [turn, { which, title, metric }] of done.entries()) {
          const known = boards[which] ?? NEW;
          if (known === NEW) added++;
          ({ boards } = withBoard(boards, known, board(title, encodeURIComponent(metric)), `id ${turn}`));
        }
        expect(boards).toHaveLength(added);
        expect(new Set(titles(boards)).size).toBe(added);
        expect(boards.filter(({ isLast }) => isLast)).toHaveLength(Math.min(1, added));
        expect(parseBoards(formatBoards(boards))).toEqual(boards);
      }),
    );
  });

  it.each([
    "",
    "{",
    "null",
    "7",
    '[null, 7, {"id": 1, "search": "?chart=y%3Dsopr"}, {"id": "a", "search": "?a=ARIA"}]',
  ])("are none in %s", (text) => {
    expect(parseBoards(text)).toEqual([]);
  });
});

describe("what of a board's link can't be read", () => {
  const chart = "chart=y%3Dsopr";
  it.each([
    ["", null],
    ["?a=ARIA&range=1y", null],
    [`?title=Mine&${chart}`, null],
    ["?title=Mine&columns=3", "holds no chart that can be read"],
    ["?chart=&chart=a%3DDUET&chart=scale%3Dlog&chart=%", "holds no chart that can be read"],
    [`?${chart}&chart=&chart=`, "2 of the 3 charts of this link can't be read, and are left out."],
    [`?${chart}&chart=`, "1 of the 2 charts of this link can't be read, and is left out."],
    [`?${Array.from({ length: 26 }, () => chart).join("&")}`, "so the last 2 of this link are left out."],
  ])("%s", (search, sentence) => {
    if (sentence === null) expect(boardProblem(search)).toBeNull();
    else expect(boardProblem(search)).toContain(sentence);
    expect(boardProblem(search)?.includes("holds no chart") ?? false).toBe(
      sentence !== null && parseBoard(search) === null,
    );
  });
});
