/** The parameters of GET /v3/transfers/largest and of GET /v3/assets/<asset>/events. */

import { MOST_LARGE_TRANSFERS } from "../../../data-schema/stored.ts";
import { tableParameter } from "./table-parameters.ts";
import { PARAMETERS, type Parameter } from "./v1-parameters.ts";

/** Days of one answer. */
export const MOST_TRANSFER_DAYS = 100;

/** The parameters of large transfers, in the order in which they are shown. */
export const TRANSFERS_PARAMETERS = [
  tableParameter("api_key"),
  { ...PARAMETERS.a, name: "a", description: "Symbol of the asset, in any case. /v3/assets lists all there are." },
  {
    ...tableParameter("s"),
    description: `The ${MOST_LARGE_TRANSFERS} largest transfers of each day that begins at or after this time, UTC. Left out: of a single day, the last one.`,
    example: "2025-03-01",
  },
  {
    ...tableParameter("u"),
    description: `Days that begin at or before this time, UTC. Left out: to the last day. An answer has up to ${MOST_TRANSFER_DAYS} days.`,
    example: "2025-03-02",
  },
  tableParameter("f"),
] as const satisfies readonly Parameter<string>[];

/** The parameters of events. */
export const EVENTS_PARAMETERS = [
  tableParameter("api_key"),
  tableParameter("f"),
] as const satisfies readonly Parameter<string>[];
