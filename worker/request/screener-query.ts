/** The query string of GET /v3/screener. */

import { givenValues } from "./parameters/given.ts";
import { type TableParameter, tableParameter } from "./parameters/table-parameters.ts";
import { choiceOf } from "./table-query.ts";

const SCREENER_FORMATS = ["json", "csv"] as const;
export type ScreenerFormat = (typeof SCREENER_FORMATS)[number];

/** The parameters, in the order in which they are shown. */
export const SCREENER_PARAMETERS: readonly TableParameter[] = [
  tableParameter("api_key"),
  { ...tableParameter("f"), values: SCREENER_FORMATS },
];

/** @throws {Problem} 400 a parameter that it does not take, or another format */
export function validateScreener(parameters: URLSearchParams): ScreenerFormat {
  const values = givenValues(parameters, SCREENER_PARAMETERS);
  return choiceOf(SCREENER_PARAMETERS.find(({ name }) => name === "f")!, values) as ScreenerFormat;
}
