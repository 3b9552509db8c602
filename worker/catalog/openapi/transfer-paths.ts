/** The paths of large transfers and of events, and the schemas of what they answer. */

import {
  EVENT_COLUMNS,
  LARGE_TRANSFER_COLUMNS,
  MOST_LARGE_TRANSFERS,
  type RecordColumn,
} from "../../../data-schema/stored.ts";
import { EVENTS_FORMATS, TRANSFERS_FORMATS } from "../../request/parameters/table-formats.ts";
import {
  EVENTS_PARAMETERS,
  MOST_TRANSFER_DAYS,
  TRANSFERS_PARAMETERS,
} from "../../request/parameters/transfer-parameters.ts";
import { describesTable } from "../table-metrics.ts";
import { ASSET, tableParameterSchema } from "./documented-parameters.ts";
import { DESCRIBED, headers, notModifiedResponse } from "./headers.ts";
import { builtMembers, members } from "./holder-paths.ts";
import { problems } from "./problem-answers.ts";
import { type Json, listOf, object, reference, textSchema } from "./schema.ts";
import { contentOf } from "./series-paths.ts";

export const EVENTS_TAG = { name: "Events", description: "Large transfers, and what else has happened to an asset." };

const SENT = ["RateLimit-Policy", "Content-Disposition", "Content-Encoding"] as const;
/** The headers of events, which are no metric. */
const UNLINKED = DESCRIBED.filter((name) => name !== "Link");

/** GET /v3/transfers/largest and GET /v3/assets/<asset>/events. */
export function transferPaths(): Json {
  const transfers = {
    operationId: "v3_largest_transfers",
    tags: [EVENTS_TAG.name],
    summary: "The largest transfers of each day",
    description: `The ${MOST_LARGE_TRANSFERS} largest transfers of each complete day, UTC, by what they were worth in dollars: day by day, the largest first, of up to ${MOST_TRANSFER_DAYS} days.`,
    externalDocs: { url: "/methodology#13-largest-transfers", description: "How they are chosen" },
    parameters: TRANSFERS_PARAMETERS.filter(describesTable).map(tableParameterSchema),
    responses: {
      200: {
        description: "The transfers.",
        headers: headers(...DESCRIBED, ...SENT),
        content: contentOf(TRANSFERS_FORMATS),
      },
      304: notModifiedResponse(...DESCRIBED, "RateLimit-Policy"),
      ...problems("table"),
    },
  };
  const events = {
    operationId: "v3_events",
    tags: [EVENTS_TAG.name],
    summary: "The calendar of an asset",
    description:
      "What the asset's operator has noted: unlocks, listings, upgrades. In the order of time; empty where there is no calendar.",
    parameters: [ASSET, ...EVENTS_PARAMETERS.filter(describesTable).map(tableParameterSchema)],
    responses: {
      200: {
        description: "The events.",
        headers: headers(...UNLINKED, ...SENT),
        content: contentOf(EVENTS_FORMATS),
      },
      304: notModifiedResponse(...UNLINKED, "RateLimit-Policy"),
      ...problems("table"),
    },
  };
  return {
    "/v3/transfers/largest": { get: transfers },
    "/v3/assets/{asset}/events": { get: events },
  };
}

/** The schemas of a list of rows, in every format. */
const rowSchemas = (name: string, one: string, what: string, columns: readonly RecordColumn[]) => ({
  [one]: object(members(columns), `One ${what}.`),
  [name]: object({ ...builtMembers(), [name.toLowerCase()]: listOf(reference(one)) }),
  [`${name}Csv`]: { ...textSchema(`A header, then a line for each ${what}.`), pattern: "^t," },
  [`${name}Lines`]: { ...textSchema("An object a line, with the members that JSON has."), pattern: "^(\\{|$)" },
  [`${name}Arrow`]: textSchema("A stream of Arrow's IPC format, with the rows and columns that CSV has."),
  [`${name}Parquet`]: textSchema("A Parquet file with the rows and columns that CSV has."),
});

export const transferSchemas = (): Record<string, Json> => ({
  ...rowSchemas("Transfers", "Transfer", "transfer", LARGE_TRANSFER_COLUMNS),
  ...rowSchemas("Events", "Event", "event", EVENT_COLUMNS),
});
