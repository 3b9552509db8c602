/** Addresses, large transfers and events for a model: as many rows as it can take. */

import { Lease } from "../budget.ts";
import type { Context, SeriesContext } from "../context.ts";
import { withManifest } from "../locate/locate.ts";
import { holdersOf } from "../read/holders/holders.ts";
import { daysOf } from "../read/large-transfers.ts";
import type { AddressQuery, HoldersQuery } from "../request/holders-query.ts";
import type { EventsQuery, TransfersQuery } from "../request/transfers-query.ts";
import { addressRecords, holdersRecords } from "../table/records/holder-records.ts";
import { type Records, shownRow } from "../table/records/records.ts";
import { eventRecords, transferRecords } from "../table/records/transfer-records.ts";
import { ANSWER_BYTES, asJson, largestThatFits, type ToolAnswer } from "./tool-answer.ts";

/**
 * Reads a list.
 *
 * @param url where all of it is, without a key
 * @throws {Problem} as GET /v3/holders
 */
export const readHoldersForModel = (query: HoldersQuery, url: string, context: Context): Promise<ToolAnswer> =>
  holding(context, (held) =>
    withManifest(query.symbol, held, async (manifest) =>
      answerOf(await holdersRecords(holdersOf(query, manifest), held), url),
    ),
  );

/**
 * Reads an address.
 *
 * @param url where all of it is, without a key
 * @throws {Problem} as GET /v3/holders/<address>
 */
export const readAddressForModel = (query: AddressQuery, url: string, context: Context): Promise<ToolAnswer> =>
  holding(context, async (held) => answerOf(await addressRecords(query, held), url));

/**
 * Reads the largest transfers of some days.
 *
 * @param url where all of it is, without a key
 * @throws {Problem} as GET /v3/transfers/largest
 */
export const readTransfersForModel = (query: TransfersQuery, url: string, context: Context): Promise<ToolAnswer> =>
  holding(context, (held) =>
    withManifest(query.symbol, held, async (manifest) =>
      answerOf(await transferRecords(daysOf(query, manifest), manifest, held), url),
    ),
  );

/**
 * Reads the calendar of an asset.
 *
 * @param url where all of it is, without a key
 * @throws {Problem} as GET /v3/assets/<asset>/events
 */
export const readEventsForModel = ({ symbol }: EventsQuery, url: string, context: Context): Promise<ToolAnswer> =>
  holding(context, (held) =>
    withManifest(symbol, held, async (manifest) => answerOf(await eventRecords(manifest, held), url)),
  );

/** Does something with a lease, which it ends. */
async function holding<T>(context: Context, work: (held: SeriesContext) => Promise<T>): Promise<T> {
  const lease = new Lease(context.isolate.budget, context.now, context.entry.owner);
  try {
    return await work({ ...context, lease });
  } finally {
    lease.end();
  }
}

/** The first rows that fit. */
function answerOf({ name, facts, columns, rows }: Records, url: string): ToolAnswer {
  const shown = rows.map((row) => shownRow(row, columns));
  const answer = (count: number) => {
    const left = shown.length - count;
    const omitted = left > 0 ? [`The last ${left} rows are left out; the url has them.`] : [];
    return asJson({ ...facts, [name]: shown.slice(0, count), omitted, url });
  };
  return answer(largestThatFits(shown.length, ANSWER_BYTES, answer));
}
