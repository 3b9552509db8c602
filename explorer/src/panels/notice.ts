/** A message in place of the chart. */

import type { Problem } from "../api/problem.ts";
import { byId, fill, h } from "./dom.ts";

/** A button below the message. */
interface Action {
  title: string;
  run: () => void;
}

export class Notice {
  readonly #element = byId("notice");

  hide(): void {
    this.#element.hidden = true;
  }

  message(title: string, text: string, action?: Action): void {
    this.#show("message", title, text, action);
  }

  problem(problem: Problem, action: Action): void {
    this.#show("problem", problem.title, problem.advice, action);
  }

  #show(kind: "message" | "problem", title: string, text: string, action?: Action): void {
    this.#element.className = `notice ${kind}`;
    this.#element.setAttribute("role", kind === "problem" ? "alert" : "group");
    fill(
      this.#element,
      h("p", { class: "notice-title" }, title),
      h("p", {}, text),
      action ? h("button", { type: "button", onclick: action.run }, action.title) : null,
    );
    this.#element.hidden = false;
  }
}
