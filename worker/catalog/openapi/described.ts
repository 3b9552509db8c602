/** Members that metrics and assets have in every version of the API. */

import { metricByName, metricNames, V1_GROUPS, V1_RESOLUTIONS } from "../../../data-schema/registry.ts";
import { instantSchema, type Json, listOf, object, oneOf, reference, TIME, textSchema } from "./schema.ts";

export const range = object({ first: TIME, last: TIME }, "First and last point.");

export const describedMetric = (): Record<string, Json> => ({
  name: oneOf(metricNames("v1")),
  path: textSchema("The path of the metric's series."),
  title: textSchema(),
  group: oneOf(Object.keys(V1_GROUPS)),
  unit: oneOf(
    new Set(metricNames("v1").map((name) => metricByName(name).unit)),
    "The unit of the values: usd_per_token is a price, and a ratio is a plain number.",
  ),
  description: textSchema(),
  formula: textSchema("The formula, in words and symbols. `signs` in GET /v1/metrics explains the symbols."),
  kind: oneOf(
    ["flow", "state"],
    "flow: computed from the events in a day, hour or block. state: computed from what is held at the close of a day.",
  ),
  dense: {
    type: "boolean",
    description:
      "Whether there is a point for every day and hour, 0 where nothing happened. If false, there are points only where the metric is defined. Series by block only ever have the blocks in which something counts.",
  },
  resolutions: listOf(oneOf(V1_RESOLUTIONS)),
  selector: {
    oneOf: [reference("Selector"), { type: "null" }],
    description: "The parameter that selects one of the metric's series; null if the metric has a single series.",
  },
  parameters: listOf(reference("Parameter")),
});

export const describedAsset = (): Record<string, Json> => ({
  symbol: textSchema(),
  name: textSchema(),
  chain: textSchema(),
  contract: { ...textSchema(), pattern: "^0x[0-9a-f]{40}$" },
  decimals: { type: "integer", minimum: 0 },
  asOf: { ...instantSchema, description: "The time up to which the data is complete: all earlier events are counted." },
  build: textSchema("The id of the active build. It changes whenever the data changes."),
  ranges: {
    ...object(Object.fromEntries(V1_RESOLUTIONS.map((resolution) => [`${resolution}?`, range]))),
    description: "The times of the first and last point, by resolution. Resolutions that are absent are not published.",
  },
  balanceEdges: {
    ...listOf({ ...textSchema(), pattern: "^\\d+(\\.\\d+)?$" }),
    description: "The lower bounds of the cohorts balance_cohort_1 to balance_cohort_7, exact, in whole tokens.",
  },
});
