/** What is wrong with a formula, and where. */

/** Part of a text: characters [from, to). */
export interface Span {
  from: number;
  to: number;
}

/** Its message is one sentence for the person who types the formula. An empty span at the end says that something is missing there. */
export class FormulaError extends Error {
  readonly span: Span;

  constructor(message: string, { from, to }: Span) {
    super(message);
    this.span = { from, to };
  }
}
