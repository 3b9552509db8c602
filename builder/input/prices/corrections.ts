/**
 * `corrections.csv`: prices that the operator has set, above whatever the source says, each with its reason. One that was dropped
 * stays as a row without a price, so that two copies of the file can be merged. Source: docs/building.md#corrected-prices.
 */

import { isoTime } from "../../../data-schema/text.ts";
import type { Prices } from "../../engine/history.ts";
import { sharedDoubles } from "../../lib/columns/shared.ts";
import { Failure } from "../../lib/failure.ts";
import { type CellRule, PRICE, readCell, TIME } from "../cells/rules.ts";

export interface Correction {
  /** From when on the price counts, Unix seconds. */
  time: number;
  /** USD per token; null if the correction was dropped. */
  usd: number | null;
  /** Why it was set or dropped. */
  reason: string;
  /** When, Unix seconds. */
  recorded: number;
}

/** A correction that holds. */
export type HeldCorrection = Correction & { usd: number };

/** Corrections that an asset may have: each is in every manifest. */
const MOST_CORRECTIONS = 100;

/** Length of the longest reason. */
export const LONGEST_REASON = 200;

const HEADER = "timestamp,price_usd,reason,recorded";
const ROW = /^([^,]*),([^,]*),("(?:[^"]|"")*"|[^",]*),([^,]*)$/;

const REASON: CellRule<string> = {
  expected: `a reason, one line of at most ${LONGEST_REASON} characters`,
  problems: [[/^\s*$/, "is empty"]],
  parse: (text) => (/\S/.test(text) && text.length <= LONGEST_REASON ? text : undefined),
};

/**
 * @param name of the file, for messages
 * @throws {Failure} a row is malformed, a time comes twice, or there are too many
 */
export function parseCorrections(name: string, text: string): Correction[] {
  const [header, ...rows] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (header !== HEADER) {
    throw new Failure(`${name}: the header is not ${HEADER}; correct it, or remove the file and set the prices again.`);
  }
  const corrections = rows.flatMap((line, index): Correction[] => {
    if (line === "") return [];
    const row = index + 1;
    const [, time, usd, reason, recorded] = ROW.exec(line) ?? [];
    if (time === undefined) {
      throw new Failure(`${name}, row ${row}: it has not the four cells ${HEADER}; correct or remove it.`);
    }
    const cell = <T>(rule: CellRule<T>, text: string, column: string) =>
      readCell(rule, text, { file: name, row }, column);
    return [
      {
        time: cell(TIME, time, "timestamp"),
        usd: usd === "" ? null : cell(PRICE, usd!, "price_usd"),
        reason: cell(REASON, unquoted(reason!), "reason"),
        recorded: cell(TIME, recorded!, "recorded"),
      },
    ];
  });
  const sorted = inOrder(corrections);
  const twice = sorted.find(({ time }, index) => time === sorted[index - 1]?.time);
  if (twice) throw new Failure(`${name} has two rows for ${isoTime(twice.time)}; remove one.`);
  if (heldCorrections(sorted).length > MOST_CORRECTIONS) {
    throw new Failure(
      `${name} corrects more than ${MOST_CORRECTIONS} prices: drop some, or name prices of your own in ASSET.json.`,
    );
  }
  return sorted;
}

const unquoted = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);

export function formatCorrections(corrections: readonly Correction[]): string {
  const lines = inOrder(corrections).map(({ time, usd, reason, recorded }) =>
    [isoTime(time), usd ?? "", `"${reason.replaceAll('"', '""')}"`, isoTime(recorded)].join(","),
  );
  return `${[HEADER, ...lines].join("\n")}\n`;
}

const inOrder = (corrections: readonly Correction[]) => corrections.toSorted((a, b) => a.time - b.time);

/** What was recorded last of each time; of two at once, that of `ours`. */
export function mergeCorrections(ours: readonly Correction[], theirs: readonly Correction[]): Correction[] {
  const merged = new Map(ours.map((correction) => [correction.time, correction]));
  for (const correction of theirs) {
    const own = merged.get(correction.time);
    if (!own || own.recorded < correction.recorded) merged.set(correction.time, correction);
  }
  return inOrder([...merged.values()]);
}

export const heldCorrections = (corrections: readonly Correction[]): HeldCorrection[] =>
  corrections.filter((correction): correction is HeldCorrection => correction.usd !== null);

export interface CorrectedPrices {
  prices: Prices;
  /** For each price its number in the source; −1 for one that was corrected. */
  origin: Int32Array;
}

/**
 * Prices with a correction in the place of the price of its time, or added where the source has none.
 *
 * @param source in the order of time
 * @param corrections in the order of time
 */
export function correctPrices({ timestamp, usd }: Prices, corrections: readonly HeldCorrection[]): CorrectedPrices {
  const times = new Set(corrections.length > 0 ? timestamp : []);
  const count = timestamp.length + corrections.filter(({ time }) => !times.has(time)).length;
  const prices = { timestamp: sharedDoubles(count), usd: sharedDoubles(count) };
  const origin = new Int32Array(count);
  for (let at = 0, row = 0, next = 0; at < count; at++) {
    const correction = corrections[next];
    const isCorrected = correction !== undefined && !(timestamp[row]! < correction.time);
    prices.timestamp[at] = isCorrected ? correction.time : timestamp[row]!;
    prices.usd[at] = isCorrected ? correction.usd : usd[row]!;
    origin[at] = isCorrected ? -1 : row;
    if (!isCorrected || timestamp[row] === correction.time) row++;
    if (isCorrected) next++;
  }
  return { prices, origin };
}
