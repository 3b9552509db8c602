/** The median of numbers, which need not fit into memory. */

/** Few numbers take more than twenty rounds. Sorting takes thrice as long, but no order of the numbers makes it slow. */
const MOST_ROUNDS = 64;

/**
 * The median of numbers that are not negative: the mean of the middle two if their number is even.
 *
 * @param pieces of the numbers; read once if they fit, or else again and again
 * @param count of all of them, at least 1
 * @param most numbers in memory at a time
 * @param rounds after which the rest of those in memory is sorted
 */
export function medianOf(
  pieces: () => Iterable<Float64Array>,
  count: number,
  most: number,
  rounds = MOST_ROUNDS,
): number {
  const middle = count >> 1;
  const isOdd = count % 2 === 1;
  if (count > most) {
    const upper = valueAt(middle, pieces, count, most);
    return isOdd ? upper : (valueAt(middle - 1, pieces, count, most) + upper) / 2;
  }
  const all = gather(pieces(), count);
  const upper = select(all, middle, rounds);
  // What is smaller lies before it.
  return isOdd ? upper : (all.subarray(0, middle).reduce((largest, value) => Math.max(largest, value), 0) + upper) / 2;
}

function gather(pieces: Iterable<Float64Array>, count: number): Float64Array {
  const all = new Float64Array(count);
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return all;
}

/** The number of a rank, from 0, which it moves to its place: none before it is larger, and none after it is smaller. */
function select(values: Float64Array, rank: number, rounds = MOST_ROUNDS): number {
  let [low, high] = [0, values.length - 1];
  for (let round = 0; low < high; round++) {
    if (round === rounds) {
      values.subarray(low, high + 1).sort();
      break;
    }
    const [a, b, c] = [values[low]!, values[(low + high) >> 1]!, values[high]!];
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank]!;
}

/** Numbers that are not negative are in the order of their bits. A digit is 16 of them. */
const DIGITS = 4;
const DIGIT_VALUES = 2 ** 16;

/** The number of a rank, from 0, of numbers of which only those that begin with the same digits fit into memory. */
function valueAt(rank: number, pieces: () => Iterable<Float64Array>, count: number, most: number): number {
  const digits: number[] = [];
  let [left, before] = [count, rank];
  while (left > most && digits.length < DIGITS) {
    const counts = new Float64Array(DIGIT_VALUES);
    for (const piece of beginningWith(digits, pieces())) {
      const words = wordsOf(piece);
      for (let i = 0; i < piece.length; i++) counts[digitOf(words, i, digits.length)]!++;
    }
    let digit = 0;
    while (before >= counts[digit]!) before -= counts[digit++]!;
    digits.push(digit);
    left = counts[digit]!;
  }
  const found = beginningWith(digits, pieces());
  if (left <= most) return select(gather(found, left), before);
  // All of their digits are the same.
  for (const [value] of found) if (value !== undefined) return value;
  throw new Error("no number has these digits");
}

function* beginningWith(digits: readonly number[], pieces: Iterable<Float64Array>): Generator<Float64Array> {
  for (const piece of pieces) {
    const words = wordsOf(piece);
    yield piece.filter((_, i) => digits.every((digit, place) => digitOf(words, i, place) === digit));
  }
}

const wordsOf = ({ buffer, byteOffset, length }: Float64Array) => new Uint32Array(buffer, byteOffset, 2 * length);

/** @param place of the digit: 0 is the most significant */
const digitOf = (words: Uint32Array, number: number, place: number): number =>
  (words[2 * number + (place < 2 ? 1 : 0)]! >>> (place % 2 === 0 ? 16 : 0)) & (DIGIT_VALUES - 1);
