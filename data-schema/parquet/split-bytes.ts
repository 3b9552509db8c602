/** BYTE_STREAM_SPLIT of values of any width: the first bytes of all values, then the second bytes, and so on. */

/** @param width bytes of a value */
export function splitBytes(values: Uint8Array, width: number): Uint8Array<ArrayBuffer> {
  const split = new Uint8Array(values.length);
  const rows = values.length / width;
  if (!areWords(width, rows) || values.byteOffset % 4 !== 0) {
    for (let byte = 0, into = 0; byte < width; byte++) {
      for (let from = byte; from < values.length; from += width) split[into++] = values[from]!;
    }
    return split;
  }
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length / 4);
  for (let word = 0; word < width / 4; word++) splitWord(words, word, split, width, rows);
  return split;
}

/** Splits one of the words of each value. Not in a loop of loops, which V8 would compile again and again. */
function splitWord(words: Uint32Array, word: number, split: Uint8Array, width: number, rows: number): void {
  for (let from = word, into = 4 * word * rows; from < words.length; from += width / 4, into++) {
    const bytes = words[from]!;
    split[into] = bytes;
    split[into + rows] = bytes >>> 8;
    split[into + 2 * rows] = bytes >>> 16;
    split[into + 3 * rows] = bytes >>> 24;
  }
}

/** The values of which `splitBytes` has made these bytes. */
export function unsplitBytes(split: Uint8Array, width: number): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(split.length);
  const rows = split.length / width;
  if (!areWords(width, rows)) {
    for (let byte = 0, from = 0; byte < width; byte++) {
      for (let into = byte; into < values.length; into += width) values[into] = split[from++]!;
    }
    return values;
  }
  const words = new Uint32Array(values.buffer);
  for (let word = 0; word < width / 4; word++) joinWord(split, word, words, width, rows);
  return values;
}

/** Joins one of the words of each value. */
function joinWord(split: Uint8Array, word: number, words: Uint32Array, width: number, rows: number): void {
  for (let into = word, from = 4 * word * rows; into < words.length; into += width / 4, from++) {
    words[into] =
      split[from]! | (split[from + rows]! << 8) | (split[from + 2 * rows]! << 16) | (split[from + 3 * rows]! << 24);
  }
}

/** Four bytes at a time take a third of the time. */
const areWords = (width: number, rows: number) => width % 4 === 0 && Number.isInteger(rows);
