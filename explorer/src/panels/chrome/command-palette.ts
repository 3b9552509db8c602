/**
 * The command palette, on `/` and Ctrl K: finds formulas, metrics, example charts, assets, actions and cohorts. The focus
 * stays in the text field; arrow keys move through the options, as in the combobox pattern of ARIA.
 */

import type { Command } from "../../commands/command.ts";
import { findCommands } from "../../commands/find.ts";
import { addressIn } from "../../search/find-address.ts";
import type { Session } from "../../session.ts";
import { fill, h, isWithin, part } from "../dom.ts";
import { actionCommands, addressCommand } from "./palette-actions.ts";

type Keys = Pick<KeyboardEvent | MouseEvent, "shiftKey" | "altKey">;

const optionId = (index: number) => `palette-option-${index}`;

export function connectCommandPalette(root: HTMLElement, session: Session): void {
  const dialog = part<HTMLDialogElement>(root, "palette");
  const input = part<HTMLInputElement>(dialog, "input");
  const list = part(dialog, "list");
  const button = part<HTMLButtonElement>(root, "open-palette");
  let commands: Command[] = [];
  let current = 0;

  const open = () => {
    if (document.querySelector("dialog[open]")) return;
    input.value = "";
    render();
    dialog.showModal();
  };
  const choose = (index: number, { shiftKey, altKey }: Keys) => {
    const command = commands[index];
    if (!command) return;
    dialog.close();
    if (shiftKey && command.add) command.add(session);
    else if (altKey && command.below) command.below(session);
    else command.run(session);
  };
  const select = (index: number) => {
    current = index;
    for (const [i, option] of list.querySelectorAll("[role=option]").entries()) {
      option.setAttribute("aria-selected", String(i === index));
      if (i === index) option.scrollIntoView({ block: "nearest" });
    }
    if (commands.length > 0) input.setAttribute("aria-activedescendant", optionId(index));
    else input.removeAttribute("aria-activedescendant");
  };
  const render = () => {
    const address = addressIn(input.value);
    const { groups, note } =
      address === null
        ? findCommands(session.page, input.value, actionCommands(session.page, root))
        : { groups: [{ title: "Actions", commands: [addressCommand(address)] }], note: "" };
    commands = groups.flatMap((group) => group.commands);
    const sections = groups.map((group, i) => {
      const options = group.commands.map((command) => optionOf(command, commands.indexOf(command), choose));
      const heading = h("p", { id: `palette-group-${i}`, role: "presentation" }, group.title);
      return h("div", { role: "group", "aria-labelledby": heading.id }, heading, ...options);
    });
    fill(list, ...sections);
    input.setAttribute("aria-expanded", String(commands.length > 0));
    part(dialog, "note").textContent = commands.length > 0 ? note : `Nothing matches “${input.value.trim()}”.`;
    select(0);
    list.scrollTop = 0;
  };

  input.addEventListener("input", render);
  input.addEventListener("keydown", (event) => {
    const next = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 8, PageUp: current - 8 }[
      event.key
    ];
    if (event.key === "Enter") choose(current, event);
    else if (next !== undefined) select(wrap(next, commands.length, event.key.startsWith("Arrow")));
    else return;
    event.preventDefault();
  });
  // A click beside the palette closes it.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = isWithin(event, "input, select, textarea");
    const isModified = event.ctrlKey || event.metaKey;
    if (!(isModified && event.key.toLowerCase() === "k") && !(event.key === "/" && !isModified && !isTyping)) return;
    event.preventDefault();
    open();
  });
  button.addEventListener("click", open);
  button.disabled = false;
}

function optionOf(command: Command, index: number, choose: (index: number, keys: Keys) => void): HTMLElement {
  const attributes = {
    id: optionId(index),
    role: "option",
    "aria-selected": "false",
    onclick: (event: MouseEvent) => choose(index, event),
  };
  return h("div", attributes, h("span", {}, command.title), h("span", { class: "detail" }, command.detail));
}

/** A place in the list: at its ends, single steps go around, and longer ones stop. */
function wrap(index: number, length: number, isAround: boolean): number {
  if (length === 0) return 0;
  return isAround ? (index + length) % length : Math.max(0, Math.min(length - 1, index));
}
