/** The largest transfers of some days: which days a query means, and their rows. */

import { decodeLargeTransfers, transferAt, transferValues } from "../../data-schema/holders.ts";
import { largeTransfersKey, type Manifest, type TransferValues } from "../../data-schema/stored.ts";
import { before, DAY_SECONDS, isoDay, isoMonth } from "../../data-schema/text.ts";
import { placeName, readRange, storedPart } from "../bucket/ranges.ts";
import { verify } from "../bucket/verify-bytes.ts";
import type { SeriesContext } from "../context.ts";
import { damaged, Problem } from "../problems/problem.ts";
import { MOST_TRANSFER_DAYS } from "../request/parameters/transfer-parameters.ts";
import type { Bound } from "../request/table-query.ts";
import type { TransfersQuery } from "../request/transfers-query.ts";
import { inflate } from "./objects/decode-rows.ts";
import { spendReads } from "./plan-table.ts";

/** The starts of the first and the last of some days, Unix seconds. */
export interface DayRange {
  first: number;
  last: number;
}

/**
 * The days that a query means.
 *
 * @returns null if none of them is published
 * @throws {Problem} 400 the build is older than transfers, or they are too many days
 */
export function daysOf({ since, until }: TransfersQuery, manifest: Manifest): DayRange | null {
  const { symbol, build, transfers, checkpoint, resolutions } = manifest;
  if (transfers === undefined && checkpoint !== undefined) {
    const detail = `The build ${build} of ${symbol} is older than its largest transfers: the next build of ${symbol} has them.`;
    throw new Problem("unavailable-metric", detail, { parameter: "a" });
  }
  const { first: oldest, last: newest } = resolutions.day;
  if (oldest === null || newest === null) return null;
  const timeOf = (bound: Bound) => (typeof bound === "number" ? bound : before(newest, bound));
  const last = Math.floor(Math.min(newest, timeOf(until)) / DAY_SECONDS) * DAY_SECONDS;
  const first = since === null ? last : Math.ceil(Math.max(oldest, timeOf(since)) / DAY_SECONDS) * DAY_SECONDS;
  if (first > last || last < oldest) return null;
  const count = (last - first) / DAY_SECONDS + 1;
  if (count <= MOST_TRANSFER_DAYS) return { first, last };
  throw new Problem(
    "invalid-parameter",
    `These are ${count} days: an answer has the transfers of up to ${MOST_TRANSFER_DAYS}. Ask for fewer at once.`,
    { parameter: "s", suggestion: isoDay(last - (MOST_TRANSFER_DAYS - 1) * DAY_SECONDS) },
  );
}

/** Bytes that a month's object takes while it is read: as it is stored, decompressed, and as numbers. */
const MONTH_BYTES = 1 << 19;

/**
 * The transfers of some days: day by day, the largest first.
 *
 * @param rowBytes that each row takes while it is written
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function readTransfersOfDays(
  { first, last }: DayRange,
  manifest: Manifest,
  rowBytes: number,
  context: SeriesContext,
): Promise<TransferValues[]> {
  const { symbol, decimals, transfers } = manifest;
  const months = (transfers?.largest ?? []).filter(({ name }) => name >= isoMonth(first) && name <= isoMonth(last));
  spendReads(months.length, context);
  const read: TransferValues[] = [];
  for (const { name, ...entry } of months) {
    const object = storedPart(manifest, largeTransfersKey(symbol, name, entry.hash), entry);
    await context.lease.grow(MONTH_BYTES);
    const bytes = await readRange(
      object,
      0,
      entry.size,
      (read) => verify(read, entry.hash, placeName(object)),
      context,
    );
    try {
      const columns = decodeLargeTransfers(bytes, inflate);
      for (let row = 0; row < columns.rows; row++) {
        const time = columns.time[row]!;
        if (time < first || time >= last + DAY_SECONDS) continue;
        read.push(transferValues(transferAt(columns, row), decimals));
      }
    } catch (cause) {
      throw damaged(`${placeName(object)} cannot be decoded`, cause);
    } finally {
      bytes.buffer.transfer(0);
    }
  }
  await context.lease.grow(rowBytes * read.length);
  return read;
}
