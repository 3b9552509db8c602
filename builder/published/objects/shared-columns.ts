/** Equal columns of several series, kept once. */

import type { Series } from "../../engine/series.ts";

/** Gives runs with equal times, or equal blocks, the very same arrays, which are then encoded only once. */
export class SharedColumns {
  readonly #byLength = new Map<number, Float64Array[]>();

  share(run: Series): Series {
    return { ...run, t: this.#one(run.t), ...(run.block ? { block: this.#one(run.block) } : {}) };
  }

  #one(column: Float64Array): Float64Array {
    const known = this.#byLength.get(column.length) ?? [];
    const same = known.find((other) => Buffer.compare(bytesOf(other), bytesOf(column)) === 0);
    if (same) return same;
    this.#byLength.set(column.length, [...known, column]);
    return column;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) => new Uint8Array(buffer, byteOffset, byteLength);
