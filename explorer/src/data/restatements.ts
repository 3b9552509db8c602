/** How published history has changed: the part of GET /v3/assets/<asset>/changes that the page uses. */

import type { Resolution } from "../api/catalog.ts";
import { getJson } from "../api/load.ts";
import { parseTime } from "../format/time.ts";

/** What one activation changed of a metric's published points, of all its selectors together. */
export interface Restatement {
  asset: string;
  metric: string;
  resolution: Resolution;
  /** Unix seconds of the first point that differs. */
  from: number;
  /** Unix seconds: up to here the build before had points that could differ. Null if the log doesn't tell. */
  until: number | null;
  /** Unix seconds of the activation. */
  activated: number;
  /** Points that differ. */
  points: number;
  /** The largest |now − before| / |before|; null where no point has one. */
  largest: number | null;
  /** Kinds of causes: `prices`, `labels`, and others. */
  causes: string[];
}

/** A page of the log, the newest entry first. */
export interface ChangeLog {
  changes: {
    build: string;
    previousBuild: string | null;
    asOf: string;
    activated: string;
    causes: { kind: string }[];
    series: { resolution: Resolution; metric: string; first: string; points: number; largest: number | null }[];
  }[];
}

/** The restatements that a page of an asset's log tells, the newest first. */
export function restatementsOf(asset: string, { changes }: ChangeLog): Restatement[] {
  return changes.flatMap(({ series, causes, activated, previousBuild }, i) => {
    const before = changes[i + 1];
    const until = before !== undefined && before.build === previousBuild ? parseTime(before.asOf) : null;
    return series.map(({ resolution, metric, first, points, largest }) => ({
      asset,
      metric,
      resolution,
      points,
      largest,
      until,
      from: parseTime(first),
      activated: parseTime(activated),
      causes: causes.map(({ kind }) => kind),
    }));
  });
}

/** Asks for each asset's log once: the last 30 activations, in one request. */
export class RestatementLog {
  readonly #known = new Map<string, Restatement[]>();
  readonly #asking = new Set<string>();

  /**
   * Asks for the assets that haven't been asked for.
   *
   * @returns what is known of all assets; null if nothing is new, as after a failure
   */
  async ask(assets: readonly string[]): Promise<Restatement[] | null> {
    const missing = assets.filter((asset) => !this.#known.has(asset) && !this.#asking.has(asset));
    const found = await Promise.all(missing.map((asset) => this.#load(asset)));
    return found.some((list) => list.length > 0) ? [...this.#known.values()].flat() : null;
  }

  async #load(asset: string): Promise<Restatement[]> {
    this.#asking.add(asset);
    try {
      const log = await getJson<ChangeLog>(`/v3/assets/${encodeURIComponent(asset)}/changes`);
      const list = restatementsOf(asset, log);
      this.#known.set(asset, list);
      return list;
    } catch {
      // The chart does without its marks, until the next chart asks again.
      return [];
    } finally {
      this.#asking.delete(asset);
    }
  }
}
