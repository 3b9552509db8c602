/** What has been sent to nodes and received: in all, or on behalf of one of several assets that are fetched at once. */

import { AsyncLocalStorage } from "node:async_hooks";

interface Amounts {
  requests: number;
  bytes: number;
}

export class Traffic {
  readonly #all: Amounts = { requests: 0, bytes: 0 };
  readonly #apart = new AsyncLocalStorage<Amounts>();

  /** Within `apart`, that of the work alone. */
  get requests(): number {
    return (this.#apart.getStore() ?? this.#all).requests;
  }

  get bytes(): number {
    return (this.#apart.getStore() ?? this.#all).bytes;
  }

  count({ requests = 0, bytes = 0 }: Partial<Amounts>): void {
    const own = this.#apart.getStore();
    for (const amounts of own ? [this.#all, own] : [this.#all]) {
      amounts.requests += requests;
      amounts.bytes += bytes;
    }
  }

  /** Does some work, and counts what it sends and receives apart. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    return this.#apart.run({ requests: 0, bytes: 0 }, work);
  }
}
