/** BYTE_STREAM_SPLIT of values of any width: the first bytes of all values, then the second bytes, and so on. */

/** @param width bytes of a value */
export function splitBytes(values: Uint8Array, width: number): Uint8Array<ArrayBuffer> {
  const split = new Uint8Array(values.length);
  let into = 0;
  for (let byte = 0; byte < width; byte++) {
    for (let from = byte; from < values.length; from += width) split[into++] = values[from]!;
  }
  return split;
}

/** The values of which `splitBytes` has made these bytes. */
export function unsplitBytes(split: Uint8Array, width: number): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(split.length);
  let from = 0;
  for (let byte = 0; byte < width; byte++) {
    for (let into = byte; into < values.length; into += width) values[into] = split[from++]!;
  }
  return values;
}
