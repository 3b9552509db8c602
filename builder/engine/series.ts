/**
 * The points of one selector in a period, ascending in time.
 *
 * Treat the arrays as read-only: runs of several metrics may share the same `t` and `block`, which are then encoded once.
 */
export interface SeriesRun {
  selector: string;
  /** Unix seconds: start of the bucket, or the block's time. */
  t: Float64Array;
  v: Float64Array;
  /** Block numbers, at block resolution. */
  block?: Float64Array;
}
