/** The header Server-Timing. In a Worker the clock stands still but while it waits, so what it shows is waiting. */

/** Measures steps that follow each other. */
export class Timing {
  readonly #now: () => number;
  readonly #steps: string[] = [];
  #last: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  /** Ends a step: all since the one before. */
  step(name: string): void {
    const now = this.#now();
    this.#steps.push(`${name};dur=${now - this.#last}`);
    this.#last = now;
  }

  /** The header's value: steps with their milliseconds. */
  get header(): string {
    return this.#steps.join(", ");
  }
}
