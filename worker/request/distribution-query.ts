/** Path and query string of GET /v3/distributions/<name> → query, checked against the table of distributions. */

import {
  allLotSelectors,
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  DISTRIBUTION_SELECTORS,
  DISTRIBUTIONS,
  type DistributionName,
  type DistributionResolution,
  type DistributionSelector,
  dividesLots,
  isDistribution,
  LOT_METHODS,
  type LotSelector,
} from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";
import { givenValues } from "./parameters/given.ts";
import type { TableFormat } from "./parameters/table-formats.ts";
import {
  type TableParameter,
  type TableParameterName,
  type TimeForm,
  tableParameter,
} from "./parameters/table-parameters.ts";
import { PARAMETERS } from "./parameters/v1-parameters.ts";
import { type Bound, bound, choiceOf, lastOf, refuseTogether, reversed } from "./table-query.ts";
import { upperCase } from "./validate.ts";

const { otherValues: _own, list: _list, ...ofAddresses } = tableParameter("c");

type DistributionParameterName = TableParameterName | "around";

/** Buckets on each side of the price, at most. */
export const MOST_AROUND = 100;

const AROUND: TableParameter<"around"> = {
  name: "around",
  title: "Around the price",
  description: `Of cost_basis alone: how many buckets below and above the one that holds the price to keep, 1 to ${MOST_AROUND}. All that is below these is the bucket below, all that is above the bucket above. Left out: all buckets.`,
  required: false,
  forms: [`a whole number from 1 to ${MOST_AROUND}`],
  pattern: "^([1-9]\\d?|100)$",
  example: "10",
  synonyms: ["near", "window", "price", "width"],
};

/** The parameters, in the order in which they are shown. */
const ALL_PARAMETERS: readonly TableParameter<DistributionParameterName>[] = [
  tableParameter("api_key"),
  { ...PARAMETERS.a, name: "a" },
  {
    ...ofAddresses,
    description:
      "Whose tokens to count: those of all addresses, or those of users, the addresses that are neither contracts nor an exchange's. For assets with lots also those of lots by a method, all or those of users, which have no num_addresses: not of first_seen.",
    values: DISTRIBUTION_SELECTORS,
    otherValues: `^(${LOT_METHODS.join("|")})(\\.users)?$`,
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
  AROUND,
  tableParameter("time"),
  tableParameter("f"),
];

/** Whether a distribution takes `around`: its keys are prices. */
const hasPrice = (name: DistributionName) => DISTRIBUTIONS[name].key === "cost";

/** The selectors of a distribution; of all of them without a name. */
export const selectorsOfDistributions = (name?: DistributionName): readonly string[] =>
  name === undefined || dividesLots(name)
    ? [...DISTRIBUTION_SELECTORS, ...allLotSelectors(DISTRIBUTION_SELECTORS)]
    : DISTRIBUTION_SELECTORS;

/** The parameters of a distribution; of all of them without a name. */
export const distributionParameters = (name?: DistributionName): typeof ALL_PARAMETERS =>
  ALL_PARAMETERS.filter((one) => one !== AROUND || name === undefined || hasPrice(name)).map((one) =>
    one.name === "c" && name !== undefined && !dividesLots(name) ? withoutLots(one) : one,
  );

const withoutLots = ({ otherValues: _, ...parameter }: (typeof ALL_PARAMETERS)[number]) => parameter;

const parameter = (name: DistributionParameterName) => ALL_PARAMETERS.find((one) => one.name === name)!;

export interface DistributionQuery {
  name: DistributionName;
  /** In upper case. Whether there is such an asset is checked in the next step. */
  symbol: string;
  selector: DistributionSelector | LotSelector;
  resolution: DistributionResolution;
  /** Inclusive, like until. -Infinity and Infinity when not given. */
  since: Bound;
  until: Bound;
  last: number | null;
  /** Buckets on each side of the price; null for all there are. */
  around: number | null;
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
  const values = givenValues(parameters, ALL_PARAMETERS);
  const symbol = values.get("a");
  if (symbol === undefined) {
    throw new Problem("missing-parameter", "Name the asset in the parameter a.", { parameter: "a" });
  }
  const selectors = { ...parameter("c"), values: selectorsOfDistributions(name) };
  const selector = choiceOf(selectors, values) as DistributionSelector | LotSelector;
  const resolution = choiceOf(parameter("r"), values) as DistributionResolution;
  refuseTogether(values, "last", ["s"]);
  const since = bound("s", values, Number.NEGATIVE_INFINITY);
  const until = bound("u", values, Number.POSITIVE_INFINITY);
  if (typeof since === "number" && typeof until === "number" && since > until) throw reversed("s", "u");
  const last = lastOf(values);
  const around = aroundOf(name, values.get(AROUND.name));
  const time = choiceOf(parameter("time"), values) as TimeForm;
  const format = choiceOf(parameter("f"), values) as TableFormat;
  return { name, symbol: upperCase(symbol), selector, resolution, since, until, last, around, time, format };
}

function aroundOf(name: DistributionName, value: string | undefined): number | null {
  if (value === undefined) return null;
  if (!hasPrice(name)) {
    const taking = DISTRIBUTION_NAMES.filter(hasPrice).join(", ");
    throw new Problem(
      "inapplicable-parameter",
      `Only ${taking} takes around: the buckets of ${name} are times, and no price is among them.`,
      { parameter: AROUND.name },
    );
  }
  if (!new RegExp(AROUND.pattern!).test(value)) {
    const { forms } = AROUND;
    throw new Problem("invalid-parameter", `around is not ${forms![0]}.`, { parameter: AROUND.name, allowed: forms });
  }
  return Number(value);
}
