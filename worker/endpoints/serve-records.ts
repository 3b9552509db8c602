/**
 * Rows of one asset's build. GET /v3/holders: its addresses in an order. GET /v3/transfers/largest: the largest transfers of each
 * day. GET /v3/assets/<asset>/events: its calendar.
 */

import type { Manifest } from "../../data-schema/stored.ts";
import { Lease } from "../budget.ts";
import type { Context, SeriesContext } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { withManifest } from "../locate/locate.ts";
import { holdersOf, holdersTag } from "../read/holders/holders.ts";
import { daysOf } from "../read/large-transfers.ts";
import { validateHolders } from "../request/holders-query.ts";
import { onlyRead } from "../request/method.ts";
import {
  EVENTS_FORMATS,
  HOLDERS_FORMATS,
  type TableFormat,
  type TableFormatFacts,
  TRANSFERS_FORMATS,
} from "../request/parameters/table-formats.ts";
import { validateEvents, validateTransfers } from "../request/transfers-query.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { holdersRecords } from "../table/records/holder-records.ts";
import { type Records, recordsBody } from "../table/records/records.ts";
import { eventRecords, transferRecords } from "../table/records/transfer-records.ts";
import { admit } from "./admit.ts";

/** What differs between the rows of a build. */
interface RowsOf<Query> {
  /** The last part of a file's name. */
  name: string;
  /** Where it is explained; null if nowhere but in the documentation. */
  about: string | null;
  formats: Record<TableFormat, TableFormatFacts>;
  /** @throws {Problem} 400 */
  validate: (parameters: URLSearchParams, params: Readonly<Record<string, string>>) => Query;
  /** What a query asks of a build: its entity tag, and its rows. @throws {Problem} 400 the build has no such rows */
  find: (query: Query, manifest: Manifest) => { tag: Promise<string>; read: (held: SeriesContext) => Promise<Records> };
}

/** Version of the answers with transfers and events: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

const tagOf = (...parts: unknown[]) => digestTag(JSON.stringify([REPRESENTATION, ...parts]));

export const serveHolders = serveRows({
  name: "holders",
  about: "/methodology#12-holders",
  formats: HOLDERS_FORMATS,
  validate: validateHolders,
  find: (query, manifest) => {
    const wanted = holdersOf(query, manifest);
    return { tag: holdersTag(wanted, query.format), read: (held) => holdersRecords(wanted, held) };
  },
});

export const serveLargestTransfers = serveRows({
  name: "transfers",
  about: "/methodology#13-largest-transfers",
  formats: TRANSFERS_FORMATS,
  validate: validateTransfers,
  find: (query, manifest) => {
    const days = daysOf(query, manifest);
    const { symbol, build } = manifest;
    return {
      tag: tagOf("transfers", symbol, build, days, query.format),
      read: (held) => transferRecords(days, manifest, held),
    };
  },
});

export const serveEvents = serveRows({
  name: "events",
  about: null,
  formats: EVENTS_FORMATS,
  validate: (parameters, { asset }) => validateEvents(asset!, parameters),
  find: ({ format }, manifest) => ({
    tag: tagOf("events", manifest.symbol, manifest.build, format),
    read: (held) => eventRecords(manifest, held),
  }),
});

function serveRows<Query extends { symbol: string; format: TableFormat }>({
  name,
  about,
  formats,
  validate,
  find,
}: RowsOf<Query>) {
  return async (params: Readonly<Record<string, string>>, request: Request, context: Context): Promise<Response> => {
    onlyRead(request);
    const { entry } = context;
    const { parameters, limits, timing } = await admit(request, context);
    const query = validate(parameters, params);
    entry.format = query.format;
    return withManifest(query.symbol, context, async (manifest) => {
      entry.asset = manifest.symbol;
      timing.step("manifest");
      const { tag, read } = find(query, manifest);
      const format = formats[query.format];
      const lease = new Lease(context.isolate.budget, context.now, entry.owner);
      const held = { ...context, lease };
      const answer: Answer = {
        tag: await tag,
        points: 0,
        format,
        file: respond.savedAs([query.symbol, name], format),
        describe: (timings) => respond.describe([manifest], about, format, { ...limits, "Server-Timing": timings }),
        body: () => recordsBody(query.format, () => read(held), held),
      };
      return send(answer, request, timing, context);
    });
  };
}
