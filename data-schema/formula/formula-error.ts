/** What is wrong with a formula, and where. */

/** Part of a text: characters [from, to). */
export interface TextSpan {
  from: number;
  to: number;
}

/** Its message is one sentence for the person who types the formula. */
export class FormulaError extends Error {
  /** Empty where something is missing. */
  readonly span: TextSpan;
  /** Whether more text at the end could mend it. */
  readonly isUnfinished: boolean;

  constructor(message: string, { from, to }: TextSpan, isUnfinished = false) {
    super(message);
    this.span = { from, to };
    this.isUnfinished = isUnfinished;
  }

  /** This error at another place. */
  at(span: TextSpan): FormulaError {
    return new FormulaError(this.message, span);
  }
}

/** A name that stands for nothing. Looking for a near one takes milliseconds, and not everyone needs it. */
export class UnknownName extends FormulaError {
  readonly written: string;
  /** What could stand there instead. */
  readonly allowed: readonly string[];

  constructor(message: string, span: TextSpan, written: string, allowed: readonly string[]) {
    super(message, span);
    this.written = written;
    this.allowed = allowed;
  }

  override at(span: TextSpan): UnknownName {
    return new UnknownName(this.message, span, this.written, this.allowed);
  }
}

/** A formula that is only a number: no series, but a level of a chart. */
export class ConstantFormula extends FormulaError {
  readonly value: number;

  constructor(value: number, span: TextSpan) {
    super("A formula needs at least one metric.", span);
    this.value = value;
  }
}
