/** The manifest of a build: its identity, and everything it wrote. Source: docs/formats.md#manifest. */

import { balanceUnit } from "../../../data-schema/asset.ts";
import { METRICS, type MetricName, resolutionsOf } from "../../../data-schema/registry/metrics.ts";
import {
  type BucketResolution,
  byCalendar,
  byHourMultiple,
  type Resolution,
} from "../../../data-schema/registry/resolutions.ts";
import { MANIFEST_VERSION, type Manifest, type ManifestPeriod } from "../../../data-schema/stored/manifest.ts";
import type { StoredSeries } from "../../../data-schema/stored/stored-series.ts";
import type { BuildPeriods, Period } from "../../engine/calendar/periods.ts";
import { ENGINE_VERSION } from "../../engine/formulas.ts";
import type { Prices } from "../../engine/history/history.ts";
import { bucketRange, type Outline } from "../../engine/history/outline.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { JoinedInput } from "../../input/report.ts";
import type { SeriesFile } from "../objects/object.ts";
import { priceRange } from "./price-range.ts";

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
  outline: Outline;
  periods: BuildPeriods;
  written: WrittenSeries;
  /** Who holds the token at `asOf`. */
  holders: number;
  labels: Manifest["labels"];
  checkpoint?: Manifest["checkpoint"];
}

export function manifestOf(built: Built): Manifest {
  const { asset, input, reason, outline, periods, written, holders, labels, checkpoint } = built;
  const { symbol, name, chain, contract, decimals, maxSupply, checked, priceProof, freshness } = asset;
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
    ...(labels && { labels }),
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
