/** A message in place of the chart. */

import { fill, h, part } from "./dom.ts";

/** A button below the message. */
export interface Action {
  title: string;
  run: () => void;
}

export function hideNotice(root: HTMLElement): void {
  part(root, "notice").hidden = true;
}

export function showNotice(
  root: HTMLElement,
  kind: "message" | "problem",
  title: string,
  text: string,
  action?: Action,
): void {
  const notice = part(root, "notice");
  notice.className = `notice ${kind}`;
  notice.setAttribute("role", kind === "problem" ? "alert" : "group");
  const button = action && h("button", { type: "button", onclick: action.run }, action.title);
  fill(notice, h("p", { class: "notice-title" }, title), h("p", {}, text), button);
  notice.hidden = false;
}
