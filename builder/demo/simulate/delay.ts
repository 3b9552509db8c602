/** A queue whose items are due a fixed time after they were added: first in, first due. */
export class Delay<Item> {
  readonly #seconds: number;
  #items: Item[] = [];
  #due: number[] = [];
  #head = 0;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  put(item: Item, now: number): void {
    this.#items.push(item);
    this.#due.push(now + this.#seconds);
  }

  /** Whether anything is due at `now`. */
  isDue(now: number): boolean {
    return this.#head < this.#due.length && this.#due[this.#head]! <= now;
  }

  /** Removes the first item, which must exist. */
  take(): Item {
    const item = this.#items[this.#head++]!;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#due = this.#due.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** The item at a position in [0, 1) along the queue; undefined when the queue is empty. */
  peek(position: number): Item | undefined {
    return this.#items[this.#head + Math.floor(position * (this.#items.length - this.#head))];
  }
}
