/**
 * Compares the supply with `maxSupply`. Ids of tokens in place of amounts, wrong decimals, or whole tokens in place of raw
 * units shift it by orders of magnitude. Source: docs/building.md#the-supply-and-maxsupply.
 */

import type { Manifest } from "../../../data-schema/stored.ts";
import { isoDay } from "../../../data-schema/text.ts";
import { type DayTally, NO_EVENTS, type Totals } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { InputFailure } from "../../lib/failure.ts";
import { decimalText } from "../../lib/terminal/amount-text.ts";
import { decodeSeries } from "../../published/objects/decode-series.ts";
import type { ObjectStore } from "../../store/store.ts";
import { type Previous, readPublishedPoints } from "../checkpoint/previous.ts";

/** More than so many times `maxSupply` is an error. */
const FAR_OVER = 1_000n;
/** Less than such a part of `maxSupply` is too little. */
const FAR_UNDER = 1_000_000_000n;

type Limited = Pick<AssetFile, "path" | "maxSupply" | "decimals">;

/** A close as it is published: in whole tokens, rounded to a double. */
export interface PublishedClose {
  /** Start of the day, Unix seconds. */
  day: number;
  tokens: number;
}

/** What is known of the history before the events that a build reads. */
export interface SupplyBefore {
  totals: Pick<Totals, "minted" | "burned">;
  /** The largest of the closes; absent if the totals tell that none of them is too large or too small. */
  most?: PublishedClose | undefined;
}

/** What is wrong with the largest supply, as a sentence. */
export interface Finding {
  sentence: string;
  isError: boolean;
}

/** `maxSupply` as a fraction of raw units. */
function limitOf({ maxSupply, decimals }: Limited): { numerator: bigint; denominator: bigint } {
  const [whole = "", fraction = ""] = maxSupply.split(".");
  return { numerator: BigInt(whole + fraction) * 10n ** BigInt(decimals), denominator: 10n ** BigInt(fraction.length) };
}

/**
 * Judges the largest supply at the close of any day, and at the end. Within a day, it may be anything: flash mints are
 * burned in the transaction that mints them.
 *
 * @param days of the events after `before`, ascending
 */
export function judgeSupply(
  asset: Limited,
  days: readonly DayTally[],
  { totals, most: published }: SupplyBefore = { totals: NO_EVENTS },
): Finding | undefined {
  const most = largestClose(days, totals);
  const { numerator, denominator } = limitOf(asset);
  const supply = most.raw * denominator;
  const limit = Number(asset.maxSupply);
  const tokens = published?.tokens ?? 0;
  const known = Number(`${most.raw}e-${asset.decimals}`);
  const largest = Math.max(tokens, known);
  const isOver = (times: bigint) => supply > times * numerator || tokens > Number(times) * limit;
  if (isOver(1n)) {
    const text = tokens > known || !isPlain(known) ? numberText(largest, 15) : exactText(most.raw, asset);
    // The first of equal closes counts.
    const day = published && tokens >= known ? published.day : most.day;
    const on = day === undefined ? "" : ` on ${isoDay(day)}`;
    const times = largest / limit;
    const ratio = times < 2 ? "" : `, ${numberText(times)} times as much`;
    return {
      isError: isOver(FAR_OVER),
      sentence:
        `"maxSupply" is ${asset.maxSupply}, but the supply was ${text}${on}${ratio}; check "maxSupply" and ` +
        `"decimals" (${asset.decimals}), and that the values are amounts in raw units, not ids of tokens.`,
    };
  }
  const isUnder = supply * FAR_UNDER < numerator && tokens * Number(FAR_UNDER) < limit;
  if (!isUnder || largest <= 0) return undefined;
  return {
    isError: false,
    sentence:
      `"maxSupply" is ${asset.maxSupply}, but the supply was never over ${numberText(largest)}, ` +
      `${numberText(largest / limit)} of it; check "maxSupply" and "decimals" (${asset.decimals}), and that the ` +
      "values are in raw units, not in whole tokens.",
  };
}

/** A full build would find the same. */
export class SupplyFailure extends InputFailure {
  override name = "SupplyFailure";
}

/** @throws {SupplyFailure} the supply is so large that the input must be wrong */
export function refuseSupply(asset: Limited, finding: Finding | undefined, allowed = false): void {
  if (!finding?.isError || allowed) return;
  throw new SupplyFailure(
    `${asset.path}: ${finding.sentence} If all of them are right, run ${advisedBuild(asset.path, "--allow-supply")}.`,
  );
}

/** The largest close, exactly; without a day if it is that of `before`. */
function largestClose(days: readonly DayTally[], before: SupplyBefore["totals"]): { raw: bigint; day?: number } {
  let raw = before.minted - before.burned;
  let most: { raw: bigint; day?: number } = { raw };
  for (const [index, { day, minted, burned }] of days.entries()) {
    raw += minted - burned;
    // A day may be in several parts.
    const isClose = days[index + 1]?.day !== day;
    if (isClose && raw > most.raw) most = { raw, day };
  }
  return most;
}

/**
 * The largest close of a history that a build resumes from. The checkpoint does not have it, but the published series does. It
 * lies between the last close and all that was ever minted, so the series is read only if one of these is out of bounds.
 *
 * @throws {CannotResume} the series is missing or damaged
 */
export async function largestPublished(
  asset: Limited,
  store: ObjectStore,
  previous: Pick<Previous, "checkpoint"> & { manifest: Manifest },
): Promise<PublishedClose | undefined> {
  const { minted, burned } = previous.checkpoint.totals;
  const { numerator, denominator } = limitOf(asset);
  const isPlausible = minted * denominator <= numerator && (minted - burned) * denominator * FAR_UNDER >= numerator;
  const [period] = previous.manifest.resolutions.day.periods;
  if (isPlausible || !period) return undefined;
  const points = await readPublishedPoints(store, previous, "day", period, ["supply"]);
  const { supply } = points.objects;
  const run = supply && decodeSeries(supply.bytes).find(({ selector }) => selector === "total");
  let most: PublishedClose | undefined;
  for (const [index, tokens] of run?.v.entries() ?? []) {
    const day = run!.t[index]!;
    if (day < points.until && tokens > (most?.tokens ?? 0)) most = { day, tokens };
  }
  return most;
}

const isPlain = (value: number) => value >= 1e-6 && value < 1e15;

/** `1,234.5`, or `2.5e59`. */
function numberText(value: number, maximumSignificantDigits = 6): string {
  if (isPlain(value)) return value.toLocaleString("en-US", { maximumSignificantDigits });
  return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
}

/** All digits of an amount in whole tokens: `1,250,000,000.000000000000000001`. */
function exactText(raw: bigint, { decimals }: Limited): string {
  const [whole = "", ...fraction] = decimalText(raw, decimals).split(".");
  return [BigInt(whole).toLocaleString("en-US"), ...fraction].join(".");
}
