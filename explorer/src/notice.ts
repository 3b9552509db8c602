/** What stands where the chart would be: loading, nothing there, something wrong. */

import { byId, fill, h } from "./dom.ts";
import type { Problem } from "./problem.ts";

/** A button that helps. */
interface Help {
  title: string;
  act: () => void;
}

export class Notice {
  readonly #frame = byId("frame");
  readonly #notice = byId("notice");

  /** The old chart stays in sight, dimmed, until there is a new one. */
  loading(): void {
    this.#frame.setAttribute("aria-busy", "true");
    this.#notice.hidden = true;
  }

  hide(): void {
    this.#frame.setAttribute("aria-busy", "false");
    this.#notice.hidden = true;
  }

  message(title: string, text: string, help?: Help): void {
    this.#show("message", title, text, help);
  }

  problem({ title, message, suggestion }: Problem, help?: Help): void {
    this.#show("problem", title, message + (suggestion ? ` Perhaps ${suggestion}?` : ""), help);
  }

  #show(kind: "message" | "problem", title: string, text: string, help?: Help): void {
    this.#frame.setAttribute("aria-busy", "false");
    this.#notice.className = `notice ${kind}`;
    this.#notice.setAttribute("role", kind === "problem" ? "alert" : "group");
    fill(
      this.#notice,
      h("p", { class: "notice-title" }, title),
      h("p", {}, text),
      help ? h("button", { type: "button", onclick: () => help.act() }, help.title) : null,
    );
    this.#notice.hidden = false;
  }
}
