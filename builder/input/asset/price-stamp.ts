/**
 * What the times of one's own prices are. A candle is usually stamped with its open, but its close is known only at its end.
 * Source: docs/building.md#candles.
 */

import * as v from "valibot";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { members, paths } from "./asset-rules.ts";

const SECONDS = { m: 60, h: BUCKET_SECONDS.hour, d: BUCKET_SECONDS.day, w: 7 * BUCKET_SECONDS.day };

/** How the times of prices are read if ASSET.json says so. */
export type PriceStamp =
  /** They are when a price was known. */
  | { stamp: "close" }
  /** They are when candles open: each price counts from the end of its candle. */
  | { stamp: "open"; period: string };

/** Files of prices with their stamp. */
export interface StampedPrices {
  file: string[];
  stamp?: PriceStamp["stamp"];
  period?: string;
}

/** One's own prices, as ASSET.json names them. */
export type OwnPrices = string | string[] | StampedPrices;

const STAMP = 'must be "open" or "close"';
const PERIOD = "must be the length of a candle in minutes, hours, days or weeks, such as 15m, 4h, 1d or 1w";

/** The object that may stand for a path of prices. */
export const stampedPrices = v.pipe(
  members({
    file: paths,
    stamp: v.optional(v.picklist(["open", "close"], STAMP)),
    period: v.optional(v.pipe(v.string(PERIOD), v.regex(/^[1-9]\d{0,3}[mhdw]$/, PERIOD))),
  }),
  v.check(
    ({ stamp, period }) => stamp !== "open" || period !== undefined,
    'needs "period" with the stamp open: the length of a candle, such as 1d',
  ),
  v.check(
    ({ stamp, period }) => stamp !== undefined || period === undefined,
    'needs "stamp" with a period: whether the times are those of the open or the close',
  ),
) as v.GenericSchema<unknown, StampedPrices>;

/** The paths of prices and their stamp, as members of `AssetFile`. */
export function pricesOf(prices: OwnPrices): { prices: string[]; priceStamp?: PriceStamp } {
  if (typeof prices === "string") return { prices: [prices] };
  if (Array.isArray(prices)) return { prices };
  const { file, stamp, period } = prices;
  return {
    prices: file,
    ...(stamp === "open" && { priceStamp: { stamp, period: period! } }),
    ...(stamp === "close" && { priceStamp: { stamp } }),
  };
}

/** From the stamp of a price to when it counts, in seconds. */
export function secondsToClose(stamp: PriceStamp | undefined): number {
  if (stamp?.stamp !== "open") return 0;
  const unit = stamp.period.at(-1) as keyof typeof SECONDS;
  return Number(stamp.period.slice(0, -1)) * SECONDS[unit];
}
