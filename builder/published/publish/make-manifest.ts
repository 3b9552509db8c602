/** The manifest of a build: its identity, and everything it wrote. Source: docs/formats.md#manifest. */

import { balanceUnit } from "../../../data-schema/asset.ts";
import {
  type BucketResolution,
  byCalendar,
  byHourMultiple,
  METRICS,
  type MetricName,
  type Resolution,
  resolutionsOf,
} from "../../../data-schema/registry.ts";
import {
  type CalendarEvent,
  MANIFEST_VERSION,
  MAX_PRICE_GAPS,
  type Manifest,
  type ManifestPeriod,
  type PriceRange,
  type StoredSeries,
} from "../../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import type { BuildPeriods, Period } from "../../engine/calendar.ts";
import { ENGINE_VERSION } from "../../engine/formulas.ts";
import { bucketRange, type Outline, type Prices } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { JoinedInput } from "../../input/join-shares.ts";
import type { HeldCorrection } from "../../input/prices/corrections.ts";
import type { SeriesFile } from "../objects/encode-series.ts";

/** The series objects of a build, as they are written. */
export class WrittenSeries {
  readonly #entries = new Map<string, StoredSeries>();

  add({ resolution, metric, period, entry }: Omit<SeriesFile, "bytes">): void {
    this.#entries.set(`${resolution}/${metric}/${period}`, entry);
  }

  /** A period's entry; it lists metrics without rows, too. */
  period(resolution: Resolution, { name, from, to }: Period): ManifestPeriod {
    const metrics = METRICS.filter((metric) => resolutionsOf(metric).includes(resolution)).map((metric) => [
      metric.name,
      this.#entries.get(`${resolution}/${metric.name}/${name}`) ?? { rows: 0 },
    ]);
    return { name, from, to, metrics: Object.fromEntries(metrics) as Record<MetricName, StoredSeries> };
  }
}

/** What a manifest is made from. */
export interface Built {
  asset: AssetFile;
  input: Pick<JoinedInput, "build" | "asOf" | "report"> & { prices: Prices };
  reason: string;
  corrections: readonly HeldCorrection[];
  events: readonly CalendarEvent[];
  outline: Outline;
  periods: BuildPeriods;
  written: WrittenSeries;
  /** Who holds the token at `asOf`. */
  holders: number;
  labels: Manifest["labels"];
  checkpoint?: Manifest["checkpoint"];
}

export function manifestOf(built: Built): Manifest {
  const { asset, input, reason, corrections, events, outline, periods, written, holders, labels, checkpoint } = built;
  const { symbol, name, chain, contract, decimals, maxSupply, checked, priceProof, freshness, predecessors } = asset;
  const { digit, exponent } = balanceUnit(maxSupply);
  const { transfers, mints, burns, first, last } = outline.totals;
  const buckets = (resolution: BucketResolution, open: readonly Period[], sealed: ManifestPeriod[] = []) => {
    const range = bucketRange(outline, resolution);
    return {
      first: range?.first ?? null,
      last: range?.last ?? null,
      periods: [...sealed, ...open.map((period) => written.period(resolution, period))],
    };
  };
  const blocks = periods.block && [
    ...periods.sealed.block,
    ...periods.block.map((period) => written.period("block", period)),
  ];
  const price = priceRange(input.prices, input.asOf);
  return {
    schema: MANIFEST_VERSION,
    symbol,
    name,
    chain,
    contract,
    decimals,
    maxSupply,
    balanceUnit: `${digit}e${exponent}`,
    asOf: new Date(input.asOf * 1000).toISOString(),
    build: input.build,
    created: new Date().toISOString(),
    reason,
    engine: ENGINE_VERSION,
    inputs: input.report.files,
    counts: { transfers, mints, burns, holders },
    highestPrice: highestPrice(input),
    ...(checked && { checked }),
    ...(priceProof && { priceProof }),
    ...(freshness && { freshness }),
    ...(price && { price }),
    ...(corrections.length > 0 && {
      corrections: corrections.map(({ time, usd, reason }) => ({ t: time, usd, reason })),
    }),
    ...(predecessors && {
      predecessors: predecessors.map(({ contract, ratio, by, until }) => ({
        contract,
        ratio,
        by,
        ...(until !== undefined && { until }),
      })),
    }),
    ...(labels && { labels }),
    ...(events.length > 0 && { events: [...events] }),
    ...(checkpoint && { checkpoint }),
    resolutions: {
      ...byHourMultiple((resolution) => buckets(resolution, periods[resolution])),
      ...(periods.hour && { hour: buckets("hour", periods.hour, periods.sealed.hour) }),
      ...(blocks && { block: { first: first ?? null, last: last ?? null, periods: blocks } }),
      ...byCalendar((resolution) => buckets(resolution, periods[resolution], periods.sealed[resolution])),
    },
  };
}

function highestPrice({ prices: { timestamp, usd }, asOf }: Built["input"]): number {
  return usd.reduce((highest, price, i) => (timestamp[i]! < asOf && price > highest ? price : highest), 0);
}

/** A price holds until the next one; after seven days without one the stretch is marked. */
const LONGEST_HOLD = 7 * DAY_SECONDS;

/**
 * @param prices sorted by time, Unix seconds
 * @param asOf Unix seconds; prices at or after it do not count
 * @returns undefined if there is no price before `asOf`
 */
export function priceRange({ timestamp }: { timestamp: Float64Array }, asOf: number): PriceRange | undefined {
  const times = timestamp.filter((time) => time < asOf);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const gaps: [from: number, to: number][] = [];
  for (let i = 0; i < times.length; i++) {
    const [from, to] = [times[i]!, times[i + 1] ?? asOf];
    if (to - from > LONGEST_HOLD) gaps.push([from, to]);
  }
  const longest = gaps.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, MAX_PRICE_GAPS);
  const moreGaps = gaps.length - longest.length;
  return { first, last, gaps: longest.sort((a, b) => a[0] - b[0]), ...(moreGaps > 0 && { moreGaps }) };
}
