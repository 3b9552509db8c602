/**
 * A text field with a list of options below it, as in the combobox pattern of ARIA: the focus stays in the field, arrow keys
 * move through the options, and Enter takes the one that is active.
 */

import { fill } from "./dom.ts";

/** Rows that Page Up and Page Down move by. */
const PAGE = 8;

export class Combobox {
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #take: (index: number) => void;
  #options: readonly HTMLElement[] = [];
  /** -1: none. */
  #active = -1;
  /** Whether none may be active, beyond both ends. */
  readonly #isOptional: boolean;

  /** @param take is called with the place of an option that is clicked, or active at Enter */
  constructor(input: HTMLInputElement, list: HTMLElement, take: (index: number) => void, { isOptional = false } = {}) {
    this.#input = input;
    this.#list = list;
    this.#take = take;
    this.#isOptional = isOptional;
    // The field keeps the focus.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => {
      const index = this.#options.findIndex((option) => option.contains(target as Node));
      if (index >= 0) take(index);
    });
    input.addEventListener("keydown", (event) => {
      if (this.#onKey(event.key)) event.preventDefault();
    });
  }

  /** Shows other options; none close the list. */
  show(options: readonly HTMLElement[], active = this.#isOptional ? -1 : 0): void {
    this.#options = options;
    for (const [i, option] of options.entries()) {
      option.id = `${this.#list.id}-${i}`;
      option.setAttribute("role", "option");
    }
    fill(this.#list, ...options);
    this.#list.hidden = options.length === 0;
    this.#input.setAttribute("aria-expanded", String(options.length > 0));
    this.#list.scrollTop = 0;
    this.#activate(Math.min(active, options.length - 1));
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [i, option] of this.#options.entries()) option.setAttribute("aria-selected", String(i === index));
    const option = this.#options[index];
    if (option) this.#input.setAttribute("aria-activedescendant", option.id);
    else this.#input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  #onKey(key: string): boolean {
    const count = this.#options.length;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[key];
    if (step !== undefined && count > 0) {
      this.#activate(Math.abs(step) > 1 ? Math.max(0, Math.min(count - 1, this.#active + step)) : this.#around(step));
      return true;
    }
    if (key !== "Enter" || this.#active < 0) return false;
    this.#take(this.#active);
    return true;
  }

  /** A step at an end goes around. */
  #around(step: number): number {
    const count = this.#options.length;
    if (!this.#isOptional) return (this.#active + step + count) % count;
    return ((this.#active + 1 + step + count + 1) % (count + 1)) - 1;
  }
}
