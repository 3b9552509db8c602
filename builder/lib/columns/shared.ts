/** Columns in shared memory, which double their length as rows arrive. */

type Column = Float64Array | Uint32Array | Uint8Array;

export const sharedDoubles = (length: number) => new Float64Array(new SharedArrayBuffer(length * 8));
export const sharedWords = (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4));
export const sharedBytes = (length: number) => new Uint8Array(new SharedArrayBuffer(length));

/** The column itself if it has room for `length` items, else a copy that does and is at least twice as long. */
export function withRoom<C extends Column>(column: C, length: number, create: (length: number) => C): C {
  if (length <= column.length) return column;
  const larger = create(Math.max(length, 2 * column.length));
  larger.set(column);
  return larger;
}

/** The items of a column at some places, written to `out`. */
export function pick<C extends Float64Array | Uint32Array, Out extends C>(
  column: C,
  places: Uint32Array,
  out: Out,
): Out {
  for (let index = 0; index < places.length; index++) out[index] = column[places[index]!]!;
  return out;
}
