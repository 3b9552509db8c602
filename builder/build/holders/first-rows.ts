/** The first rows by a number, of rows that come in ascending order of their addresses: equal ones stay in that order. */

/** Tells which of two rows with equal numbers other than 0 comes first; 0 if their addresses decide, as they do of zeros. */
export type TieBreak = (row: number, other: number) => number;

/** Keeps the rows with the least numbers: twice as many as wanted, at most, until the next one comes. */
export class FirstRows {
  readonly #wanted: number;
  readonly #compareEqual: TieBreak | undefined;
  readonly #numbers: Float64Array;
  readonly #rows: Uint32Array;
  #count = 0;
  /** The number of the last of those that are wanted, and its row; infinite until there are more. */
  #last = Number.POSITIVE_INFINITY;
  #lastRow = -1;

  constructor(wanted: number, compareEqual?: TieBreak) {
    this.#wanted = wanted;
    this.#compareEqual = compareEqual;
    this.#numbers = new Float64Array(2 * wanted);
    this.#rows = new Uint32Array(2 * wanted);
  }

  get last(): number {
    return this.#last;
  }

  /** Whether the next row may be among the first. One that equals the last of them is not, but for what the tie-break says. */
  mayTake(number: number): boolean {
    return number < this.#last || (number === this.#last && number !== 0 && this.#compareEqual !== undefined);
  }

  /** Adds a row that may be among the first; rows ascend. @returns whether it may still be, as the tie-break says */
  add(number: number, row: number): boolean {
    if (number === this.#last && this.#compareEqual!(row, this.#lastRow) >= 0) return false;
    if (this.#count === this.#rows.length) this.#drop();
    this.#numbers[this.#count] = number;
    this.#rows[this.#count++] = row;
    return true;
  }

  /** Drops what is not among the first. */
  #drop(): void {
    const [numbers, rows] = [this.#numbers, this.#rows];
    const cut = nthLeast(numbers.slice(0, this.#count), this.#wanted - 1);
    const equal: number[] = [];
    let kept = keepBelow(cut, numbers, rows, this.#count, equal);
    this.#sortEqual(cut, equal);
    const end = this.#wanted;
    [this.#last, this.#lastRow] = [cut, equal[end - kept - 1]!];
    numbers.fill(cut, kept, end);
    for (let next = 0; kept < end; next++) rows[kept++] = equal[next]!;
    this.#count = end;
  }

  /** Sorts rows that have the same number. */
  #sortEqual(number: number, rows: number[] | Uint32Array): void {
    const compare = this.#compareEqual;
    if (compare && number !== 0 && rows.length > 1) rows.sort((a, b) => compare(a, b) || a - b);
  }

  /** The first rows, in their order, and their numbers. */
  end(): { rows: Uint32Array; numbers: Float64Array } {
    if (this.#count > this.#wanted) this.#drop();
    const numbers = this.#numbers.slice(0, this.#count).sort();
    const rows = new Uint32Array(this.#count);
    const placed = new Uint32Array(this.#count);
    placeRows(numbers, this.#numbers, this.#rows, rows, placed);
    for (let place = 0; place < this.#count; place += placed[place]!) {
      this.#sortEqual(numbers[place]!, rows.subarray(place, place + placed[place]!));
    }
    return { rows, numbers };
  }
}

// Loops over all rows are functions of their own: V8 leaves a function that it has compiled within a loop when the loop ends.

/**
 * Moves rows with numbers below one to the beginning, and their numbers.
 *
 * @param equal is given the rows that have it
 * @returns how many have moved
 */
function keepBelow(cut: number, numbers: Float64Array, rows: Uint32Array, count: number, equal: number[]): number {
  let kept = 0;
  // Rows move forward only, so none is overwritten before it has moved.
  for (let place = 0; place < count; place++) {
    const number = numbers[place]!;
    if (number === cut) equal.push(rows[place]!);
    numbers[kept] = number;
    rows[kept] = rows[place]!;
    // Without a branch, as nobody can foretell which way it goes.
    kept += Number(number < cut);
  }
  return kept;
}

/**
 * Places rows in the order of their numbers, equal ones as they come.
 *
 * @param sorted the numbers, ascending
 * @param placed by the first place of each number: how many rows with it have been placed
 */
function placeRows(
  sorted: Float64Array,
  numbers: Float64Array,
  rows: Uint32Array,
  into: Uint32Array,
  placed: Uint32Array,
): void {
  for (let place = 0; place < sorted.length; place++) {
    const first = firstPlace(sorted, numbers[place]!);
    into[first + placed[first]!++] = rows[place]!;
  }
}

/** Where a number is first, in ascending numbers that have it. */
function firstPlace(numbers: Float64Array, number: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number at a place of some numbers, if they were sorted; they change their places. */
function nthLeast(numbers: Float64Array, place: number): number {
  let [from, to] = [0, numbers.length - 1];
  while (from < to) {
    const pivot = numbers[(from + to) >> 1]!;
    let [low, high] = [from, to];
    while (low <= high) {
      while (numbers[low]! < pivot) low++;
      while (numbers[high]! > pivot) high--;
      if (low > high) break;
      const lower = numbers[high]!;
      numbers[high--] = numbers[low]!;
      numbers[low++] = lower;
    }
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return numbers[place]!;
}
