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
    const [numbers, rows] = [this.#numbers, this.#rows];
    const cut = numbers.slice(0, this.#count).sort()[this.#count - this.#wanted]!;
    let above = 0;
    const equal: number[] = [];
    for (let place = 0; place < this.#count; place++) {
      if (numbers[place]! > cut) above++;
      else if (numbers[place] === cut) equal.push(place);
    }
    if (this.#compareEqual !== noTieBreak) {
      equal.sort((a, b) => this.#compareEqual(rows[a]!, rows[b]!) || a - b);
    }
    const last = equal[this.#wanted - above - 1]!;
    const stays = new Set(equal.slice(0, this.#wanted - above));
    [this.#least, this.#leastRow] = [cut, rows[last]!];
    let kept = 0;
    // Rows move forward only, so none is overwritten before it has moved.
    for (let place = 0; place < this.#count; place++) {
      if (numbers[place]! < cut || (numbers[place] === cut && !stays.has(place))) continue;
      numbers[kept] = numbers[place]!;
      rows[kept++] = rows[place]!;
    }
    this.#count = kept;
  }

  /** The first rows, in their order, and their numbers. */
  end(): { rows: Uint32Array; numbers: Float64Array } {
    if (this.#count > this.#wanted) this.#drop();
    const order = new Uint32Array(this.#count).map((_, place) => place);
    const [numbers, rows] = [this.#numbers, this.#rows];
    order.sort((a, b) => numbers[b]! - numbers[a]! || this.#compareEqual(rows[a]!, rows[b]!) || rows[a]! - rows[b]!);
    return { rows: order.map((place) => rows[place]!), numbers: Float64Array.from(order, (place) => numbers[place]!) };
  }
}
