/** What is asked for before the event loop goes on, for whoever answers it together. */
export class Gathered<Item> {
  readonly #waiting = new Map<string, Item[]>();
  readonly #send: (items: readonly Item[]) => void;

  /** @param send takes all items of a key; it must not throw */
  constructor(send: (items: readonly Item[]) => void) {
    this.#send = send;
  }

  /** @param key of what can be asked together */
  add(key: string, item: Item): void {
    const waiting = this.#waiting.get(key) ?? [];
    if (waiting.push(item) > 1) return;
    this.#waiting.set(key, waiting);
    setImmediate(() => {
      this.#waiting.delete(key);
      this.#send(waiting);
    });
  }
}
