/** What the formats of a table take, and what they give. */

/** Rows of a table, ascending: each array has one entry a row, and NaN stands for a missing value. */
export interface Rows {
  /** Unix seconds. */
  t: Float64Array;
  /** Block numbers; null at other resolutions. */
  block: Float64Array | null;
  columns: readonly Float64Array[];
  /** Set where it is known that no rows follow. */
  isLast?: boolean;
}

/** A piece of the answer. Its memory is its own: it is freed when it has been sent. */
export interface TextPiece {
  text: Uint8Array;
  /** Values that it has, for the log. */
  points: number;
}
