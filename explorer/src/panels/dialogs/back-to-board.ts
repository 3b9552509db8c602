/** Links from a chart to boards: back to the one that it was opened from, and on to the user's own. */

import type { Page, Session } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import { partOf } from "../../state/board-in-link.ts";
import { h, part } from "../dom.ts";
import { addToLast, BoardProblem, backTo, forgetLeft, keepLeft, leftFrom } from "./kept-board.ts";

export function connectBoardLink(root: HTMLElement, session: Session): void {
  const left = leftFrom();
  if (left === null) return;
  const back = h("a", {}, `← ${left.board.title || "Your board"}`);
  const query = () => partOf(formatAddress(session.page.chart), "own");
  // The board has the chart as it is by then.
  back.addEventListener("click", () => keepLeft(left, query()));
  session.watch(["chart"], () => {
    back.href = backTo(left, query());
  });
  const close = () => {
    forgetLeft();
    strip.remove();
  };
  const strip = h(
    "p",
    { class: "board-back" },
    back,
    h(
      "button",
      { type: "button", class: "remove", title: "Stay here", "aria-label": "Don't go back", onclick: close },
      "×",
    ),
  );
  part(root, "views").before(strip);
}

/** Adds the chart to the board that this browser keeps, and shows that; or says why it can't. */
export function addToBoard(session: Session): void {
  const { chart }: Page = session.page;
  const search = formatAddress(chart);
  try {
    location.assign(addToLast(partOf(search, "own"), partOf(search, "shared")));
  } catch (error) {
    if (!(error instanceof BoardProblem)) throw error;
    session.note(error.message);
  }
}
