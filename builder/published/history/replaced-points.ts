/** The points of an object that a build replaced: the values before, or that there was none. */

import { NO_POINT } from "../../../data-schema/stored.ts";
import type { Series } from "../../engine/series.ts";

interface Points {
  t: number[];
  v: number[];
  block: number[];
}

export class ReplacedPoints {
  readonly #since: number;
  readonly #points = new Map<string, Points>();

  /** @param since Unix seconds: a point before was not published by the build before, so that nothing is replaced */
  constructor(since: number) {
    this.#since = since;
  }

  /** Adds what stood at a place: of a series, ascending. */
  add(selector: string, t: number, v: number, block: number | undefined): void {
    if (t < this.#since) return;
    let points = this.#points.get(selector);
    if (points === undefined) {
      points = { t: [], v: [], block: [] };
      this.#points.set(selector, points);
    }
    points.t.push(t);
    points.v.push(v);
    if (block !== undefined) points.block.push(block);
  }

  /** Adds that a point came to a place where there was none. */
  addNone(selector: string, t: number, block: number | undefined): void {
    this.add(selector, t, NO_POINT, block);
  }

  get runs(): Series[] {
    return Array.from(this.#points, ([selector, points]) => {
      const order = sortedPlaces(points);
      const column = (values: readonly number[]) => Float64Array.from(order, (row) => values[row]!);
      const { t, v, block } = points;
      return { selector, t: column(t), v: column(v), ...(block.length > 0 && { block: column(block) }) };
    });
  }
}

/** By time, then by block. A block that was given another time is where it was, and where it is. */
function sortedPlaces({ t, block }: Points): number[] {
  return Array.from(t.keys()).sort((a, b) => t[a]! - t[b]! || (block[a] ?? 0) - (block[b] ?? 0));
}
