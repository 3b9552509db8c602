/** The first rows by a number, of rows that come in ascending order of their addresses: equal ones stay in that order. */

/** Tells which of two kept rows with equal numbers comes first; 0 if their addresses decide. */
export type TieBreak = (row: number, other: number) => number;

const noTieBreak: TieBreak = () => 0;

/** Keeps the rows with the largest numbers: twice as many as wanted, at most, until the next one comes. */
export class FirstRows {
  readonly #wanted: number;
  readonly #compareEqual: TieBreak;
  readonly #numbers: Float64Array;
  readonly #rows: Uint32Array;
  #count = 0;
  /** The number and row of the last of those that are wanted; none until there are more. */
  #least = Number.NEGATIVE_INFINITY;
  #leastRow = -1;

  constructor(wanted: number, compareEqual: TieBreak = noTieBreak) {
    this.#wanted = wanted;
    this.#compareEqual = compareEqual;
    this.#numbers = new Float64Array(2 * wanted);
    this.#rows = new Uint32Array(2 * wanted);
  }

  /** Whether the next row may be among the first. One that equals the last of them is not, but for what the tie-break says. */
  mayTake(number: number): boolean {
    return number > this.#least || (number === this.#least && this.#compareEqual !== noTieBreak) || this.#leastRow < 0;
  }

  /** Adds a row that may be among the first; rows ascend. @returns whether it may still be, as the tie-break says */
  add(number: number, row: number): boolean {
    if (number === this.#least && this.#leastRow >= 0 && this.#compareEqual(row, this.#leastRow) >= 0) return false;
    if (this.#count === this.#rows.length) this.#drop();
    this.#numbers[this.#count] = number;
    this.#rows[this.#count++] = row;
    return true;
  }

  /** Drops what is not among the first. */
  #drop(): void {
    const cut = this.#numbers.slice(0, this.#count).sort()[this.#count - this.#wanted]!;
    const above = this.#places((number) => number > cut);
    const equal = this.#places((number) => number === cut);
    equal.sort((a, b) => this.#compareEqual(this.#rows[a]!, this.#rows[b]!) || a - b);
    const last = equal[this.#wanted - above.length - 1]!;
    [this.#least, this.#leastRow] = [cut, this.#rows[last]!];
    const kept = [...above, ...equal.slice(0, this.#wanted - above.length)].sort((a, b) => a - b);
    this.#count = 0;
    // Places never move back, so none is overwritten before it is read.
    for (const place of kept) {
      this.#numbers[this.#count] = this.#numbers[place]!;
      this.#rows[this.#count++] = this.#rows[place]!;
    }
  }

  #places(isWanted: (number: number) => boolean): number[] {
    const places: number[] = [];
    for (let place = 0; place < this.#count; place++) if (isWanted(this.#numbers[place]!)) places.push(place);
    return places;
  }

  /** The first rows, in their order, and their numbers. */
  end(): { rows: Uint32Array; numbers: Float64Array } {
    const order = Uint32Array.from({ length: this.#count }, (_, place) => place);
    const [numbers, rows] = [this.#numbers, this.#rows];
    order.sort((a, b) => numbers[b]! - numbers[a]! || this.#compareEqual(rows[a]!, rows[b]!) || rows[a]! - rows[b]!);
    const first = order.subarray(0, this.#wanted);
    return { rows: first.map((place) => rows[place]!), numbers: Float64Array.from(first, (place) => numbers[place]!) };
  }
}
