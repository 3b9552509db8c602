/**
 * The points of one selector in a period, ascending.
 *
 * Runs of several metrics may share their `t` and `block`: the very same arrays are encoded once. So nobody changes an
 * array that is in a run.
 */
export interface SeriesRun {
  selector: string;
  /** Unix seconds: start of the bucket, or the block's time. */
  t: Float64Array;
  v: Float64Array;
  /** Block numbers, at block resolution. */
  block?: Float64Array;
}
