/** The largest addresses at a day's close, with what they held some days before. */

import { addressText, decodeLargest, type LargestColumns, rawAt, tokensOfRaw } from "../../../data-schema/holders.ts";
import { LARGEST_CHANGE_DAYS, largestKey } from "../../../data-schema/stored.ts";
import { DAY_SECONDS, isoMonth } from "../../../data-schema/text.ts";
import { placeName, readRange, storedPart } from "../../bucket/ranges.ts";
import { verify } from "../../bucket/verify-bytes.ts";
import type { SeriesContext } from "../../context.ts";
import { damaged } from "../../problems/problem.ts";
import { inflate } from "../objects/decode-rows.ts";
import type { HeldAsset } from "./stored-holders.ts";

/** Bytes that a month's object takes while it is read: its rows, decompressed and once more in buffers of their own. */
const MONTH_BYTES = 6 << 20;

/** One of the largest addresses of a day, by the names of the columns. */
type LargestRow = Record<"address" | "raw", string> &
  Record<"balance", number> &
  Record<string, string | number | null>;

/**
 * The largest of a day, in their order.
 *
 * @param day its start, Unix seconds
 * @param rowBytes that each row takes while it is written
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function readLargest(
  day: number,
  { limit, offset }: { limit: number; offset: number },
  asset: HeldAsset,
  rowBytes: number,
  context: SeriesContext,
): Promise<LargestRow[]> {
  const { decimals } = asset.manifest;
  await context.lease.grow(MONTH_BYTES + rowBytes * limit);
  const days = [0, ...LARGEST_CHANGE_DAYS].map((before) => day - before * DAY_SECONDS);
  const read = await readDays(days, asset, context);
  const { supply, balances } = read.get(day)!;
  const tokens = (raw: bigint) => (raw < 0n ? -tokensOfRaw(-raw, decimals) : tokensOfRaw(raw, decimals));
  const whole = tokens(supply);
  return [...balances].slice(offset, offset + limit).map(([address, raw]) => {
    const changes = LARGEST_CHANGE_DAYS.map((before, index) => {
      const then = read.get(days[index + 1]!)!.balances.get(address);
      return [`change_${before}d`, then === undefined ? null : tokens(raw - then)] as const;
    });
    const balance = tokens(raw);
    const share = whole === 0 ? null : balance / whole;
    return { address, balance, raw: String(raw), share, ...Object.fromEntries(changes) };
  });
}

/** A day's largest balances, raw, by address, in their order; none if nobody held anything, or nothing is known of the day. */
interface LargestDay {
  supply: bigint;
  balances: Map<string, bigint>;
}

/** Some days, a month's object after the other. */
async function readDays(
  days: readonly number[],
  asset: HeldAsset,
  context: SeriesContext,
): Promise<Map<number, LargestDay>> {
  const found = new Map(days.map((day): [number, LargestDay] => [day, { supply: 0n, balances: new Map() }]));
  for (const month of new Set(days.map(isoMonth))) {
    const listed = asset.holders.largest.find(({ name }) => name === month);
    if (listed === undefined) continue;
    const object = storedPart(asset.manifest, largestKey(asset.manifest.symbol, month, listed.hash), listed);
    const bytes = await readRange(
      object,
      0,
      listed.size,
      (read) => verify(read, listed.hash, placeName(object)),
      context,
    );
    try {
      takeDays(decodeLargest(bytes, inflate), found);
    } catch (cause) {
      throw damaged(`${placeName(object)} cannot be decoded`, cause);
    } finally {
      bytes.buffer.transfer(0);
    }
  }
  return found;
}

function takeDays(columns: LargestColumns, into: ReadonlyMap<number, LargestDay>): void {
  for (let row = 0; row < columns.rows; row++) {
    const day = into.get(columns.day[row]! * DAY_SECONDS);
    if (day === undefined) continue;
    day.supply = rawAt(columns.supply, row, columns.supplyWords);
    day.balances.set(addressText(columns.address, row), rawAt(columns.balance, row, columns.words));
  }
}
