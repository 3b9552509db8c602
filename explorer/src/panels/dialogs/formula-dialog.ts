/** The dialog in which a formula is typed, with completion, and with what is wrong underlined. */

import { errorText } from "../../../../data-schema/formula/error-text.ts";
import { assetText, FormulaError, type TextSpan } from "../../../../data-schema/formula.ts";
import type { Context } from "../../api/catalog.ts";
import { type Candidate, type Completion, complete } from "../../formula/complete.ts";
import { constantOf, formulaOf } from "../../lines/formula-line.ts";
import { shortName } from "../../lines/levels.ts";
import type { Line } from "../../lines/lines.ts";
import type { Session } from "../../session.ts";
import { setLines, whyNotAdd } from "../../state/changes.ts";
import { contextOf } from "../../state/chart-state.ts";
import { fill, h, part } from "../dom.ts";

/** Candidates that are listed; more typing finds the others. */
const MOST_CANDIDATES = 40;

/** Where a formula goes: its pane, and the line that it replaces; null adds one. */
interface Target {
  pane: number;
  line: number | null;
}

export class FormulaDialog {
  readonly #dialog: HTMLDialogElement;
  readonly #input: HTMLInputElement;
  readonly #name: HTMLInputElement;
  readonly #marks: HTMLElement;
  readonly #list: HTMLElement;
  readonly #session: Session;
  #target: Target = { pane: 0, line: null };
  #completion: Completion = { span: { from: 0, to: 0 }, candidates: [] };
  /** The candidate that Enter takes; -1 for none. */
  #active = -1;

  constructor(dialog: HTMLDialogElement, session: Session) {
    this.#dialog = dialog;
    this.#input = part<HTMLInputElement>(dialog, "input");
    this.#name = part<HTMLInputElement>(dialog, "name");
    this.#marks = part(dialog, "marks");
    this.#list = part(dialog, "candidates");
    this.#session = session;
    part(this.#dialog, "cancel").addEventListener("click", () => this.#dialog.close());
    this.#input.addEventListener("input", () => this.#update());
    this.#input.addEventListener("click", () => this.#update());
    this.#input.addEventListener("keydown", (event) => this.#onKey(event));
    this.#input.addEventListener("keyup", ({ key }) => {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) this.#update();
    });
    this.#input.addEventListener("scroll", () => {
      this.#marks.scrollLeft = this.#input.scrollLeft;
    });
    part(this.#dialog, "form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** Opens for a new formula of a pane, or for one that it has. */
  open(target: Target): void {
    this.#target = target;
    const line = this.#session.page.chart.panes[target.pane]?.lines[target.line ?? -1];
    this.#input.value = line?.kind === "formula" ? line.text : "";
    this.#name.value = (line?.kind === "formula" && line.name) || "";
    const { catalog, asset } = this.#session.page;
    const other = catalog.assets.find((one) => one !== asset);
    part(this.#dialog, "asset").hidden = other === undefined;
    if (other) part(this.#dialog, "asset").querySelector("code")!.textContent = `${assetText(other.symbol)}.price`;
    this.#dialog.showModal();
    this.#input.focus();
    this.#update();
    // A formula from a link may be wrong: this shows where.
    if (line) this.#show(this.#error());
  }

  get #context() {
    const { chart, catalog } = this.#session.page;
    return contextOf(chart, catalog);
  }

  /** A bracket that is still open is the last thing to complain about. */
  #error(): FormulaError | null {
    const { value } = this.#input;
    return errorSoFar(value, this.#context) ?? errorOf(value, this.#context);
  }

  /** Completes and checks what has been typed. What is being typed isn't wrong yet. */
  #update(): void {
    const cursor = this.#input.selectionStart ?? this.#input.value.length;
    const { span, candidates } = complete(this.#input.value, cursor, this.#context);
    this.#completion = { span, candidates: candidates.slice(0, MOST_CANDIDATES) };
    this.#activate(-1);
    const error = this.#error();
    const isBeingTyped = error && (error.isUnfinished || (candidates.length > 0 && error.span.to === cursor));
    this.#show(isBeingTyped ? null : error);
  }

  #show(error: FormulaError | null): void {
    part(this.#dialog, "error").textContent = error ? errorText(error) : "";
    this.#input.setAttribute("aria-invalid", String(error !== null));
    fill(this.#marks, ...(error ? marked(this.#input.value, error.span) : []));
    this.#marks.scrollLeft = this.#input.scrollLeft;
  }

  #activate(index: number): void {
    this.#active = index;
    const { candidates } = this.#completion;
    fill(this.#list, ...candidates.map((candidate, i) => this.#option(candidate, i)));
    this.#list.classList.toggle("empty", candidates.length === 0);
    this.#input.setAttribute("aria-expanded", String(candidates.length > 0));
    const option = this.#list.children[index];
    if (option) this.#input.setAttribute("aria-activedescendant", option.id);
    else this.#input.removeAttribute("aria-activedescendant");
    (option ?? this.#list.firstElementChild)?.scrollIntoView({ block: "nearest" });
  }

  #option({ label, detail }: Candidate, index: number): HTMLElement {
    return h(
      "div",
      {
        role: "option",
        id: `formula-candidate-${index}`,
        "aria-selected": String(index === this.#active),
        // The field keeps the focus.
        onpointerdown: (event: Event) => event.preventDefault(),
        onclick: () => this.#take(index),
      },
      h("code", {}, label),
      h("span", {}, detail),
    );
  }

  #take(index: number): void {
    const { span, candidates } = this.#completion;
    const candidate = candidates[index];
    if (!candidate) return;
    this.#input.setRangeText(candidate.text, span.from, span.to, "end");
    this.#update();
  }

  #onKey(event: KeyboardEvent): void {
    const count = this.#completion.candidates.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && count > 0) {
      // Beyond both ends, no candidate is active.
      this.#activate(((this.#active + 1 + step + count + 1) % (count + 1)) - 1);
    } else if (event.key === "Enter" && this.#active >= 0) {
      this.#take(this.#active);
    } else if (event.key === "Escape" && this.#active >= 0) {
      this.#activate(-1);
    } else return;
    event.preventDefault();
  }

  #submit(): void {
    const { pane, line } = this.#target;
    const error = this.#error();
    if (error) {
      this.#show(error);
      this.#input.focus();
      this.#input.setSelectionRange(error.span.from, error.span.to);
      return;
    }
    const name = shortName(this.#name.value);
    const text = this.#input.value.trim();
    const { chart, catalog } = this.#session.page;
    const old = chart.panes[pane]?.lines[line ?? -1];
    const formula: Line = { ...(old?.style && { style: old.style }), kind: "formula", text, ...(name && { name }) };
    const others = line === null ? chart : setLines(chart, pane, (lines) => lines.toSpliced(line, 1));
    const isLevel = constantOf(text, this.#context) !== null;
    const reason = isLevel ? null : whyNotAdd(others, pane, formula, catalog);
    if (reason !== null) {
      part(this.#dialog, "error").textContent = reason;
      return;
    }
    this.#dialog.close();
    this.#session.change((chart) =>
      setLines(chart, pane, (lines) => (line === null ? [...lines, formula] : lines.with(line, formula))),
    );
  }
}

function errorOf(text: string, context: Context): FormulaError | null {
  const formula = formulaOf(text, context);
  // A number alone is a level.
  return formula instanceof FormulaError && constantOf(text, context) === null ? formula : null;
}

/** What is wrong with a text that is still being typed: as if the brackets that are open were closed. */
function errorSoFar(text: string, context: Context): FormulaError | null {
  const error = errorOf(text, context);
  const isOpenBracket = error?.isUnfinished && text.slice(error.span.from, error.span.to) === "(";
  return isOpenBracket ? errorSoFar(`${text})`, context) : error;
}

/** A text with a part underlined; a space stands for an empty part. */
function marked(text: string, { from, to }: TextSpan): (string | Node)[] {
  return [text.slice(0, from), h("mark", {}, text.slice(from, to) || "\u00a0"), text.slice(to)];
}
