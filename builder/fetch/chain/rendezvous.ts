/**
 * Assets that are fetched side by side wait for each other before they ask what all of them ask, so that it is asked once:
 * logs, then balances, then the prices of an archive. Source: docs/chain.md#many-assets.
 */

/** Waits for the assets that are fetched side by side, until they ask together. @param place what they are about to ask */
export type Meet = (place: "logs" | "balances" | "prices") => Promise<void>;

/** One that is busy for longer, as with a node that does not answer, is not waited for. */
const LONGEST_MS = 5_000;

interface Waiting {
  member: object;
  place: string;
  go(): void;
}

export class Rendezvous {
  /** Who is on the way to a place. */
  readonly #awaited = new Set<object>();
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;
  readonly #longestMs: number;

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
  }

  /** Does the work of one of them. */
  async with<T>(work: (meet: Meet) => Promise<T>): Promise<T> {
    const member = {};
    this.#awaited.add(member);
    try {
      return await work((place) => this.#meet(member, place));
    } finally {
      this.#awaited.delete(member);
      this.#lookSoon();
    }
  }

  #meet(member: object, place: string): Promise<void> {
    return new Promise((go) => {
      this.#awaited.delete(member);
      this.#waiting.push({ member, place, go });
      this.#begin();
      this.#lookSoon();
    });
  }

  /** Others may begin in the same turn. */
  #lookSoon(): void {
    this.#looking ??= setImmediate(() => {
      this.#looking = undefined;
      this.#look();
    });
  }

  #begin(): void {
    if (this.#waiting.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#awaited.clear();
      this.#look();
    }, this.#longestMs);
  }

  /** Once nobody is awaited, those go on who are most at one place; the others wait for them to come around again. */
  #look(): void {
    if (this.#awaited.size > 0 || this.#waiting.length === 0) return;
    const places = [...Map.groupBy(this.#waiting, ({ place }) => place).values()];
    const going = places.reduce((most, one) => (one.length > most.length ? one : most));
    this.#waiting = this.#waiting.filter((one) => !going.includes(one));
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#begin();
    for (const { member, go } of going) {
      this.#awaited.add(member);
      go();
    }
  }
}
