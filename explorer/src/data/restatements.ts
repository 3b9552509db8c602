/** How published history has changed: the part of GET /v3/assets/<asset>/changes that the page uses. */

import type { Resolution } from "../api/catalog.ts";
import { getJson } from "../api/load.ts";
import { parseTime } from "../format/time.ts";

/** What one activation changed of the points that are counted together. */
export interface Restatement {
  asset: string;
  /** A metric, with all its cohorts; or an own cohort or a method of lots, with all its metrics. */
  of: string;
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
      of: metric,
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
  readonly #asked = new Map<string, Promise<void>>();
  #known: readonly Restatement[] = [];

  /**
   * Asks for the assets that haven't been asked for. After a failure a chart does without its marks, until the next one asks.
   *
   * @returns what is known of all assets: the same list while there is nothing new
   */
  async ask(assets: readonly string[]): Promise<readonly Restatement[]> {
    await Promise.all(assets.map((asset) => this.#asked.get(asset) ?? this.#load(asset)));
    return this.#known;
  }

  #load(asset: string): Promise<void> {
    const loading = getJson<ChangeLog>(`/v3/assets/${encodeURIComponent(asset)}/changes`).then(
      (log) => {
        const list = restatementsOf(asset, log);
        if (list.length > 0) this.#known = [...this.#known, ...list];
      },
      () => {
        this.#asked.delete(asset);
      },
    );
    this.#asked.set(asset, loading);
    return loading;
  }
}
