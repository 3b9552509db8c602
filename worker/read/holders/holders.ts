/** Queries of holders and manifests → rows. */

import { groupOfAddress, holderValues, rowOfAddress } from "../../../data-schema/holders.ts";
import {
  HOLDERS_FORMAT,
  type HolderValues,
  type Manifest,
  type PublishedHolders,
} from "../../../data-schema/stored.ts";
import { before, DAY_SECONDS, isoDay } from "../../../data-schema/text.ts";
import type { SeriesContext } from "../../context.ts";
import { digestTag } from "../../digest-tag.ts";
import { Problem } from "../../problems/problem.ts";
import type { HoldersQuery } from "../../request/holders-query.ts";
import type { TableFormat } from "../../request/parameters/table-formats.ts";
import type { Bound } from "../../request/table-query.ts";
import { holderContext, readList } from "./holder-lists.ts";
import { readLargest } from "./largest.ts";
import { addressTable, bytesOfGroups, readGroups, readTableIndex } from "./stored-holders.ts";

/** What an answer shows. */
export interface WantedHolders {
  query: HoldersQuery;
  manifest: Manifest;
  /** Null as long as no day is complete. */
  holders: PublishedHolders | null;
  /** The start of the day whose largest are wanted, Unix seconds; null for all addresses as they are now. */
  day: number | null;
}

/** Whether a build is older than holders as they are now: one without a complete day has none, whatever made it. */
export const lacksHolders = ({ holders, checkpoint }: Manifest): boolean =>
  holders?.format !== HOLDERS_FORMAT && checkpoint !== undefined;

/**
 * What a query asks of a build.
 *
 * @throws {Problem} 400 the build is older than holders; 400 the day has no data
 */
export function holdersOf(query: HoldersQuery, manifest: Manifest): WantedHolders {
  const { symbol, build, holders = null } = manifest;
  if (lacksHolders(manifest)) {
    const detail = `The build ${build} of ${symbol} is older than holders: the next build of ${symbol} has them.`;
    throw new Problem("unavailable-metric", detail, { parameter: "a" });
  }
  return { query, manifest, holders, day: query.at === null ? null : dayOf(query.at, manifest) };
}

/** @throws {Problem} 400 there is no such day */
function dayOf(
  at: Bound,
  {
    symbol,
    resolutions: {
      day: { first, last },
    },
  }: Manifest,
): number {
  if (first === null || last === null) {
    throw new Problem("invalid-parameter", `${symbol} has no complete day yet.`, { parameter: "at" });
  }
  const time = typeof at === "number" ? at : before(last, at);
  const day = Math.floor(time / DAY_SECONDS) * DAY_SECONDS;
  if (day >= first && day <= last) return day;
  throw new Problem("invalid-parameter", `${symbol} has data of the days from ${isoDay(first)} to ${isoDay(last)}.`, {
    parameter: "at",
    allowed: [`a day from ${isoDay(first)} to ${isoDay(last)}`],
    suggestion: isoDay(day < first ? first : last),
  });
}

/** Version of the answers: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

/** The strong entity tag of a list. */
export function holdersTag({ manifest, day, query }: WantedHolders, format: TableFormat): Promise<string> {
  const { sort, order, group, limit, offset } = query;
  const { symbol, build } = manifest;
  return digestTag(
    JSON.stringify(["holders", REPRESENTATION, symbol, build, day, sort, order, group, limit, offset, format]),
  );
}

/**
 * The rows of a list, by the names of its columns.
 *
 * @param rowBytes that each row takes while it is written
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function readHolders(
  { query, manifest, holders, day }: WantedHolders,
  rowBytes: number,
  context: SeriesContext,
) {
  if (holders === null) return [];
  const asset = { manifest, holders };
  return day === null ? readList(query, asset, rowBytes, context) : readLargest(day, query, asset, rowBytes, context);
}

/**
 * What is known of an address.
 *
 * @param address 0x and 40 hex digits, in lower case
 * @returns null if it has never held the token, or no day is complete
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function findHolder(
  address: string,
  manifest: Manifest,
  context: SeriesContext,
): Promise<HolderValues | null> {
  const { holders } = manifest;
  if (holders === undefined || lacksHolders(manifest)) return null;
  const asset = { manifest, holders };
  const { lease } = context;
  const table = addressTable(asset);
  const digits = address.slice(2);
  const index = await readTableIndex(table, asset, context);
  const group = groupOfAddress(index, digits);
  if (group === undefined) return null;
  const bytes = bytesOfGroups([group]);
  lease.reserve(bytes, true);
  try {
    const [columns] = await readGroups(table, [group], context);
    const row = rowOfAddress(columns!, addressBytes(digits));
    return row < 0 ? null : holderValues(columns!, row, holderContext(asset));
  } finally {
    lease.release(bytes);
  }
}

const addressBytes = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, byte) =>
    Number.parseInt(digits.slice(2 * byte, 2 * byte + 2), 16),
  );
