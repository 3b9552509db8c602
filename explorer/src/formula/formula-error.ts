/** What is wrong with a formula, and where. */

/** Part of a text: characters [from, to). */
export interface Span {
  from: number;
  to: number;
}

/** Its message is one sentence for the person who types the formula. */
export class FormulaError extends Error {
  /** Empty where something is missing. */
  readonly span: Span;
  /** Whether more text at the end could mend it. */
  readonly isUnfinished: boolean;

  constructor(message: string, { from, to }: Span, isUnfinished = false) {
    super(message);
    this.span = { from, to };
    this.isUnfinished = isUnfinished;
  }
}
