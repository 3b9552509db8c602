/** Path and query string of GET /v3/distributions/<name> → query, checked against the table of distributions. */

import {
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  DISTRIBUTION_SELECTORS,
  type DistributionName,
  type DistributionResolution,
  type DistributionSelector,
  isDistribution,
} from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";
import { givenValues } from "./parameters/given.ts";
import type { TableFormat } from "./parameters/table-formats.ts";
import { type TableParameter, type TimeForm, tableParameter } from "./parameters/table-parameters.ts";
import { PARAMETERS } from "./parameters/v1-parameters.ts";
import { type Bound, bound, choiceOf, lastOf, refuseTogether, reversed } from "./table-query.ts";
import { upperCase } from "./validate.ts";

const { otherValues: _own, list: _list, ...ofAddresses } = tableParameter("c");

/** The parameters, in the order in which they are shown. */
export const DISTRIBUTION_PARAMETERS: readonly TableParameter[] = [
  tableParameter("api_key"),
  { ...PARAMETERS.a, name: "a" },
  {
    ...ofAddresses,
    description:
      "Whose tokens to count: those of all addresses, or those of users, the addresses that are neither contracts nor an exchange's.",
    values: DISTRIBUTION_SELECTORS,
    default: "total",
  },
  {
    ...tableParameter("r"),
    description: "The resolution. A week or a month has the values of its last day.",
    values: DISTRIBUTION_RESOLUTIONS,
  },
  tableParameter("s"),
  tableParameter("u"),
  tableParameter("last"),
  tableParameter("time"),
  tableParameter("f"),
];

const parameter = (name: TableParameter["name"]) => DISTRIBUTION_PARAMETERS.find((one) => one.name === name)!;

export interface DistributionQuery {
  name: DistributionName;
  /** In upper case. Whether there is such an asset is checked in the next step. */
  symbol: string;
  selector: DistributionSelector;
  resolution: DistributionResolution;
  /** Inclusive, like until. -Infinity and Infinity when not given. */
  since: Bound;
  until: Bound;
  last: number | null;
  time: TimeForm;
  format: TableFormat;
}

/** @throws {Problem} 404 there is no such distribution */
export function knownDistribution(name: string): DistributionName {
  if (isDistribution(name)) return name;
  throw new Problem("unknown-distribution", "There is no such distribution.", {
    allowed: DISTRIBUTION_NAMES,
    suggestion: nearest(name, DISTRIBUTION_NAMES),
  });
}

/** @throws {Problem} 400 with the first wrong parameter, what is allowed, and the nearest of that */
export function validateDistribution(name: DistributionName, parameters: URLSearchParams): DistributionQuery {
  const values = givenValues(parameters, DISTRIBUTION_PARAMETERS);
  const symbol = values.get("a");
  if (symbol === undefined) {
    throw new Problem("missing-parameter", "Name the asset in the parameter a.", { parameter: "a" });
  }
  const selector = choiceOf(parameter("c"), values) as DistributionSelector;
  const resolution = choiceOf(parameter("r"), values) as DistributionResolution;
  refuseTogether(values, "last", ["s"]);
  const since = bound("s", values, Number.NEGATIVE_INFINITY);
  const until = bound("u", values, Number.POSITIVE_INFINITY);
  if (typeof since === "number" && typeof until === "number" && since > until) throw reversed("s", "u");
  const last = lastOf(values);
  const time = choiceOf(parameter("time"), values) as TimeForm;
  const format = choiceOf(parameter("f"), values) as TableFormat;
  return { name, symbol: upperCase(symbol), selector, resolution, since, until, last, time, format };
}
