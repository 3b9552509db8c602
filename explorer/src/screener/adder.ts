/** The field that takes own columns and filters, with completion, and with what is wrong. */

import { errorText } from "../../../data-schema/formula/error-text.ts";
import type { FormulaError } from "../../../data-schema/formula.ts";
import { SCREENER_COLUMNS, type ScreenerColumn } from "../../../data-schema/stored.ts";
import type { Catalog } from "../api/catalog.ts";
import { type Candidate, type Completion, complete } from "../formula/complete.ts";
import { Combobox } from "../panels/combobox.ts";
import { h, isWithin, part } from "../panels/dom.ts";

/** Candidates that are listed; more typing finds the others. */
const MOST_CANDIDATES = 12;
const NONE: Completion = { span: { from: 0, to: 0 }, candidates: [] };

/**
 * @param context null while the catalog is on its way
 * @param add takes a text, and says why it can't
 */
export function connectAdder(
  root: HTMLElement,
  context: () => { catalog: Catalog | null; columns: readonly ScreenerColumn[] },
  add: (text: string) => FormulaError | string | null,
): void {
  const input = part<HTMLInputElement>(root, "add");
  const error = part(root, "add-error");
  const list = part(root, "candidates");
  let completion = NONE;
  const take = (index: number) => {
    const candidate = completion.candidates[index];
    if (!candidate) return;
    input.setRangeText(candidate.text, completion.span.from, completion.span.to, "end");
    update();
  };
  const box = new Combobox(input, list, take, { isOptional: true });
  const show = (next: Completion) => {
    completion = { ...next, candidates: next.candidates.slice(0, MOST_CANDIDATES) };
    box.show(
      completion.candidates.map(({ label, detail }) => h("div", {}, h("code", {}, label), h("span", {}, detail))),
    );
  };
  const say = (text: string) => {
    error.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
  };
  const update = () => {
    say("");
    const { catalog, columns } = context();
    const cursor = input.selectionStart ?? input.value.length;
    show(input.value.trim() === "" || catalog === null ? NONE : completed(input.value, cursor, catalog, columns));
  };
  input.addEventListener("input", update);
  input.addEventListener("blur", () => show(NONE));
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") show(NONE);
  });
  part(root, "add-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === "") return;
    show(NONE);
    const why = add(text);
    if (why === null) {
      input.value = "";
      say("");
      return;
    }
    if (typeof why === "string") return say(why);
    say(errorText(why));
    input.setSelectionRange(why.span.from, why.span.to);
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.key !== "f" ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isWithin(event, "input, select, textarea, dialog")
    )
      return;
    event.preventDefault();
    input.focus();
  });
}

/** What may stand at the cursor: on both sides of a comparison, a formula; the table's columns have names, too. */
function completed(text: string, cursor: number, catalog: Catalog, columns: readonly ScreenerColumn[]): Completion {
  const begin = Math.max(...["<", ">", "=", "≤", "≥"].map((sign) => text.lastIndexOf(sign, cursor - 1))) + 1;
  const { span, candidates } = complete(text.slice(begin), cursor - begin, { catalog, asset: undefined });
  const typed = text.slice(begin + span.from, cursor).toLowerCase();
  const isFirst = text.slice(begin, begin + span.from).trim() === "";
  const named = [...columns, ...SCREENER_COLUMNS]
    .filter(({ name }) => isFirst && typed !== "" && name.toLowerCase().startsWith(typed))
    .filter(({ name }) => !candidates.some(({ text }) => text === name))
    .map(({ name, title }): Candidate => ({ kind: "formula", label: name, detail: title, text: name }));
  return { span: { from: span.from + begin, to: span.to + begin }, candidates: [...named, ...candidates] };
}
