/** The paths of holders, and the schemas of what they answer. */

import {
  HOLDER_COLUMNS,
  LARGEST_COLUMNS,
  MOST_LARGEST,
  MOST_LISTED,
  type RecordColumn,
} from "../../../data-schema/stored.ts";
import { ADDRESS_PARAMETERS, HOLDERS_PARAMETERS, MOST_LOOKED_UP } from "../../request/parameters/holder-parameters.ts";
import { ADDRESS_FORMATS, HOLDERS_FORMATS } from "../../request/parameters/table-formats.ts";
import { describesTable } from "../table-metrics.ts";
import { tableParameterSchema } from "./documented-parameters.ts";
import { DESCRIBED, headers, notModifiedResponse } from "./headers.ts";
import { problems } from "./problem-answers.ts";
import { countSchema, instantSchema, type Json, listOf, object, reference, TIME, textSchema } from "./schema.ts";
import { contentOf } from "./series-paths.ts";

export const HOLDERS_TAG = { name: "Holders", description: "The addresses that have ever held a token." };

const SENT = ["RateLimit-Policy", "Content-Disposition", "Content-Encoding"] as const;
/** The headers of an address, which is in several builds. */
const ADDRESSED = ["ETag", "Vary", "Cache-Control", "X-Request-Id", "Server-Timing"] as const;

/** GET /v3/holders and GET /v3/holders/<address>. */
export function holderPaths(): Json {
  const list = {
    operationId: "v3_holders",
    tags: [HOLDERS_TAG.name],
    summary: "Addresses of an asset, in an order",
    description: `What each address holds and has paid, gained and lost, at the close of the last complete day: the first ${MOST_LISTED} by any of the columns, in either order, of all addresses or of a group. The ten largest holders at a loss are sort=unrealised_profit&order=asc&limit=10.

With at, the ${MOST_LARGEST} largest balances at that day's close; sort, order and group go without it.`,
    externalDocs: { url: "/methodology#12-holders", description: "How it is computed" },
    parameters: HOLDERS_PARAMETERS.filter(describesTable).map(tableParameterSchema),
    responses: {
      200: {
        description: "The addresses.",
        headers: headers(...DESCRIBED, ...SENT),
        content: contentOf(HOLDERS_FORMATS),
      },
      304: notModifiedResponse(...DESCRIBED, "RateLimit-Policy"),
      ...problems("table"),
    },
  };
  const address = {
    operationId: "v3_address",
    tags: [HOLDERS_TAG.name],
    summary: "One address, in every asset",
    description: `A row for each asset that the address has ever held, of the assets in a, or of all if there are up to ${MOST_LOOKED_UP}. It is empty for an address that has held none.`,
    externalDocs: { url: "/methodology#12-holders", description: "How it is computed" },
    parameters: [
      {
        name: "address",
        in: "path",
        description: "The address: 0x and 40 hex digits, in any case.",
        required: true,
        schema: { type: "string", pattern: "^0[xX][0-9A-Fa-f]{40}$" },
        // A contract of the demo.
        example: "0xe5139a8471078efe7a9843d2108f1ec913bd3111",
      },
      ...ADDRESS_PARAMETERS.filter(describesTable).map(tableParameterSchema),
    ],
    responses: {
      200: {
        description: "The address.",
        headers: headers(...ADDRESSED, ...SENT),
        content: contentOf(ADDRESS_FORMATS),
      },
      304: notModifiedResponse(...ADDRESSED, "RateLimit-Policy"),
      ...problems("table"),
    },
  };
  return { "/v3/holders": { get: list }, "/v3/holders/{address}": { get: address } };
}

const TYPES: Record<RecordColumn["type"], Json> = {
  text: textSchema(),
  names: listOf(textSchema()),
  number: { type: "number" },
  count: countSchema,
  time: { ...TIME, description: undefined },
};

/** The members of a row. */
export const members = (columns: readonly RecordColumn[]): Record<string, Json> =>
  Object.fromEntries(
    columns.map(({ name, type, nullable, description }) => {
      const schema = TYPES[type];
      return [name, { ...schema, ...(nullable && { type: [schema.type, "null"] }), description }];
    }),
  );

export const builtMembers = (): Record<string, Json> => ({
  asset: textSchema("The symbol of the asset."),
  build: textSchema("The id of the build. It changes whenever the data changes."),
  asOf: { ...instantSchema, description: "The time up to which the data is complete: all earlier events are counted." },
});

/** The schemas of what these paths answer. */
export const holderSchemas = (): Record<string, Json> => ({
  Holder: object(members(HOLDER_COLUMNS), "An address at the close of the last complete day."),
  LargeHolder: object(members(LARGEST_COLUMNS), "One of the largest addresses at a day's close."),
  Holders: object({
    ...builtMembers(),
    "at?": { ...TIME, description: "With at: the start of that day." },
    holders: {
      ...listOf({ oneOf: [reference("Holder"), reference("LargeHolder")] }),
      description: "The addresses in the order that was asked for: LargeHolder with at, otherwise Holder.",
    },
  }),
  Address: object({
    address: textSchema("The address, in lower case."),
    holders: listOf(object({ ...builtMembers(), ...members(HOLDER_COLUMNS) })),
    "unavailable?": {
      ...listOf(textSchema()),
      description: "Symbols of assets whose build is older than holders. Their next build has them.",
    },
  }),
  HoldersCsv: {
    ...textSchema("A header, then a line for each address; of a single address, a line for each asset."),
    pattern: "^(address|asset),",
  },
  HoldersLines: { ...textSchema("An object a line, with the members that JSON has."), pattern: "^(\\{|$)" },
  HoldersArrow: textSchema("A stream of Arrow's IPC format, with the rows and columns that CSV has."),
  HoldersParquet: textSchema("A Parquet file with the rows and columns that CSV has."),
});
