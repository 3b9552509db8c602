/** Formulas of own columns, computed by the API: `x` of GET /v3/series, for the assets that are needed and no others. */

import { PERCENTILE_DAYS, SCREENER_FIELDS, type ScreenerColumn, screenerFields } from "../../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { queryValue } from "../api/request.ts";
import { parseTime, shortTime } from "../format/time.ts";
import type { AssetRow, Fields } from "./screener-rows.ts";

/** Assets of one request: of years of several metrics, more would be too many reads. */
const MOST_ASSETS = 10;
const MOST_AT_ONCE = 3;
/** Problems that may be those of one asset, or of too many together. */
const DIVIDED = new Set([
  "too-many-series",
  "too-many-reads",
  "unsupported-asset",
  "removed-asset",
  "unavailable-metric",
  "damaged-data",
]);

/** A column, and the rows that it is needed for, the most urgent first. */
export interface Need {
  column: ScreenerColumn;
  rows: readonly AssetRow[];
}

interface Batch {
  column: ScreenerColumn;
  /** Start of the assets' last day, Unix seconds. */
  t: number;
  assets: string[];
}

/** What `x` is answered with, of one formula. */
export interface FormulaAnswer {
  t: number[];
  series: { asset: string; v: (number | null)[] }[];
}

export class ComputedColumns {
  readonly #ask: (path: string) => Promise<FormulaAnswer>;
  readonly #onArrival: () => void;
  readonly #lacks: (column: ScreenerColumn) => (asset: string) => boolean;
  /** By formula and asset; null where there is none, undefined on the way. */
  readonly #fields = new Map<string, Map<string, Fields | null | undefined>>();
  readonly #problems = new Map<string, Problem>();
  #waiting: Batch[] = [];
  #underWay = 0;

  /**
   * @param onArrival is called when fields, or problems, have arrived
   * @param lacks tells which assets can't have a column: the API would refuse to compute it for all that are asked for with them
   */
  constructor(
    ask: (path: string) => Promise<FormulaAnswer>,
    onArrival: () => void,
    lacks: (column: ScreenerColumn) => (asset: string) => boolean = () => () => false,
  ) {
    this.#ask = ask;
    this.#onArrival = onArrival;
    this.#lacks = lacks;
  }

  /** Null where an asset has none, undefined until they are computed. */
  fields({ formula }: ScreenerColumn, asset: string): Fields | null | undefined {
    return this.#fields.get(formula)?.get(asset);
  }

  /** Why a column couldn't be computed for an asset; undefined if it could. */
  problem({ formula }: ScreenerColumn): Problem | undefined {
    return this.#problems.get(formula);
  }

  /** Says what is needed now, in place of what was needed before and has not been asked for. */
  need(needs: readonly Need[]): void {
    let isNew = false;
    this.#waiting = needs.flatMap(({ column, rows }) => {
      const known = this.#knownOf(column);
      const open = rows.filter(({ asset }) => !known.has(asset));
      if (open.length === 0) return [];
      const lacking = open.map(({ asset }) => asset).filter(this.#lacks(column));
      for (const asset of lacking) known.set(asset, null);
      isNew ||= lacking.length > 0;
      return batchesOf({ column, rows: open.filter(({ asset }) => !known.has(asset)) });
    });
    if (isNew) this.#onArrival();
    this.#next();
  }

  #knownOf({ formula }: ScreenerColumn): Map<string, Fields | null | undefined> {
    const known = this.#fields.get(formula) ?? new Map<string, Fields | null | undefined>();
    this.#fields.set(formula, known);
    return known;
  }

  /** Forgets all, such as what was computed with another key. */
  clear(): void {
    this.#fields.clear();
    this.#problems.clear();
    this.#waiting = [];
  }

  /** Forgets what failed, so that it is asked for again. */
  retry(): void {
    for (const formula of this.#problems.keys()) this.#fields.delete(formula);
    this.#problems.clear();
  }

  #next(): void {
    while (this.#underWay < MOST_AT_ONCE) {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      void this.#run(batch);
    }
  }

  async #run(batch: Batch): Promise<void> {
    this.#underWay++;
    const { column, assets } = batch;
    const known = this.#knownOf(column);
    for (const asset of assets) known.set(asset, undefined);
    await this.#compute(batch, known);
    this.#underWay--;
    this.#onArrival();
    this.#next();
  }

  async #compute(batch: Batch, known: Map<string, Fields | null | undefined>): Promise<void> {
    const { column, t, assets } = batch;
    try {
      const answer = await this.#ask(requestOf(batch));
      for (const asset of assets) known.set(asset, fieldsOf(answer, asset, column, t));
    } catch (error) {
      const problem = asProblem(error);
      if (assets.length > 1 && DIVIDED.has(problem.type)) {
        const half = assets.length >> 1;
        await this.#compute({ ...batch, assets: assets.slice(0, half) }, known);
        await this.#compute({ ...batch, assets: assets.slice(half) }, known);
        return;
      }
      this.#problems.set(column.formula, problem);
      for (const asset of assets) known.set(asset, null);
    }
  }
}

/** Few batches of the rows of a need: assets with the same last day, which is that of their values. */
export function batchesOf({ column, rows }: Need): Batch[] {
  const byDay = Map.groupBy(
    rows.filter(({ t }) => t !== null),
    ({ t }) => t!,
  );
  return [...byDay].flatMap(([t, own]) =>
    Array.from({ length: Math.ceil(own.length / MOST_ASSETS) }, (_, i) => ({
      column,
      t: parseTime(t),
      assets: own.slice(i * MOST_ASSETS, (i + 1) * MOST_ASSETS).map(({ asset }) => asset),
    })),
  );
}

/** The last year of a formula: its value, its changes and its percentile are computed from it. */
export function requestOf({ column, t, assets }: Batch): string {
  const since = shortTime(t - (PERCENTILE_DAYS - 1) * DAY_SECONDS);
  return `/v3/series?a=${queryValue(assets.join(","))}&x=${queryValue(`v=${column.formula}`)}&s=${since}&u=${shortTime(t)}&time=unix`;
}

/** The fields of an asset; null if it has no value on the day. A formula that names its asset has one series, for all. */
export function fieldsOf(
  { t: times, series }: FormulaAnswer,
  asset: string,
  column: ScreenerColumn,
  t: number,
): Fields | null {
  const found = series.find((one) => one.asset === asset) ?? series[0];
  const days = new Map(times.flatMap((time, i) => (found?.v[i] == null ? [] : [[time, found.v[i]] as const])));
  const [v, ...rest] = screenerFields(column, days, t);
  if (v === null) return null;
  const values = [v, ...rest];
  return Object.fromEntries(SCREENER_FIELDS.map((field, i) => [field, values[i] ?? null])) as Fields;
}
