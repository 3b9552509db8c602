/** What a model needs to know of a series without reading all of it. */

/** A value and its time, Unix seconds. */
export interface Point {
  t: number;
  v: number;
}

/** Statistics of a series, made point by point. Missing values do not count. */
export class Statistics {
  points = 0;
  first: Point | null = null;
  last: Point | null = null;
  /** The first of several. */
  min: Point | null = null;
  max: Point | null = null;
  /** Added up in the order of time. */
  sum = 0;

  add(times: Float64Array, values: Float64Array): void {
    for (let row = 0; row < values.length; row++) {
      const v = values[row]!;
      if (Number.isNaN(v)) continue;
      this.points++;
      this.sum += v;
      if (this.last === null) {
        const t = times[row]!;
        this.first = { t, v };
        [this.last, this.min, this.max] = [
          { t, v },
          { t, v },
          { t, v },
        ];
        continue;
      }
      if (v < this.min!.v) this.min = { t: times[row]!, v };
      if (v > this.max!.v) this.max = { t: times[row]!, v };
      this.last.t = times[row]!;
      this.last.v = v;
    }
  }

  /** Null without points. */
  get mean(): number | null {
    return this.points === 0 ? null : this.sum / this.points;
  }

  /** The change from the first point to the last; null without points. */
  get change(): number | null {
    return this.first && this.last ? this.last.v - this.first.v : null;
  }

  /** The change in per cent of the first point; null where that is 0. */
  get changePercent(): number | null {
    return this.change === null || this.first!.v === 0 ? null : (100 * this.change) / Math.abs(this.first!.v);
  }
}
