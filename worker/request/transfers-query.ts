/** Query strings of GET /v3/transfers/largest and GET /v3/assets/<asset>/events → queries. Source: docs/api.md#largest-transfers. */

import { Problem } from "../problems/problem.ts";
import { givenValues } from "./parameters/given.ts";
import type { TableFormat } from "./parameters/table-formats.ts";
import { tableParameter } from "./parameters/table-parameters.ts";
import { EVENTS_PARAMETERS, TRANSFERS_PARAMETERS } from "./parameters/transfer-parameters.ts";
import { type Bound, bound, choiceOf, reversed } from "./table-query.ts";
import { upperCase } from "./validate.ts";

/** The largest transfers of some days. */
export interface TransfersQuery {
  /** In upper case. Whether there is such an asset is checked in the next step. */
  symbol: string;
  /** Null: a single day, the last one until `until`. */
  since: Bound | null;
  /** Infinity when not given. */
  until: Bound;
  format: TableFormat;
}

/** @throws {Problem} 400 with the first wrong parameter, and what is allowed */
export function validateTransfers(parameters: URLSearchParams): TransfersQuery {
  const values = givenValues(parameters, TRANSFERS_PARAMETERS);
  const symbol = values.get("a");
  if (symbol === undefined) {
    throw new Problem("missing-parameter", "Name the asset in the parameter a.", { parameter: "a" });
  }
  const since = values.has("s") ? bound("s", values, Number.NEGATIVE_INFINITY) : null;
  const until = bound("u", values, Number.POSITIVE_INFINITY);
  if (typeof since === "number" && typeof until === "number" && since > until) throw reversed("s", "u");
  const format = choiceOf(tableParameter("f"), values) as TableFormat;
  return { symbol: upperCase(symbol), since, until, format };
}

/** The events of an asset. */
export interface EventsQuery {
  /** In upper case. */
  symbol: string;
  format: TableFormat;
}

/** @param asset as the path has it @throws {Problem} 400 as `validateTransfers` */
export function validateEvents(asset: string, parameters: URLSearchParams): EventsQuery {
  const values = givenValues(parameters, EVENTS_PARAMETERS);
  return { symbol: upperCase(asset), format: choiceOf(tableParameter("f"), values) as TableFormat };
}
