/** The header Server-Timing. A Worker's clock advances only while the Worker waits, so the header shows waiting times. */

/** Measures consecutive steps. */
export class Timing {
  readonly #now: () => number;
  readonly #steps: string[] = [];
  #last: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  /** Ends a step, which began when the one before ended. */
  step(name: string): void {
    const now = this.#now();
    this.#steps.push(`${name};dur=${now - this.#last}`);
    this.#last = now;
  }

  /** The header's value: each step with its milliseconds. */
  get header(): string {
    return this.#steps.join(", ");
  }
}
