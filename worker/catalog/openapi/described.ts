/** Members that metrics and assets have in every version of the API. */

import { metricByName, metricNames, V1_GROUPS, V1_RESOLUTIONS } from "../../../data-schema/registry.ts";
import { instantSchema, type Json, listOf, object, oneOf, reference, TIME, textSchema } from "./schema.ts";

export const range = object({ first: TIME, last: TIME }, "First and last point.");

export const describedMetric = (): Record<string, Json> => ({
  name: oneOf(metricNames("v1")),
  path: textSchema("Where its series are."),
  title: textSchema(),
  group: oneOf(Object.keys(V1_GROUPS)),
  unit: oneOf(
    new Set(metricNames("v1").map((name) => metricByName(name).unit)),
    "usd_per_token is a price; a ratio has no unit.",
  ),
  description: textSchema(),
  formula: textSchema("In words and signs; GET /v1/metrics says what the signs stand for."),
  kind: oneOf(["flow", "state"], "flow: over the events of a bucket. state: at the close of a day."),
  dense: {
    type: "boolean",
    description:
      "true: a point in every day and hour, 0 where nothing happened. false: only where the metric is defined. By block there are only blocks in which something counts.",
  },
  resolutions: listOf(oneOf(V1_RESOLUTIONS)),
  selector: { oneOf: [reference("Selector"), { type: "null" }], description: "null: the metric has one series only." },
  parameters: listOf(reference("Parameter")),
});

export const describedAsset = (): Record<string, Json> => ({
  symbol: textSchema(),
  name: textSchema(),
  chain: textSchema(),
  contract: { ...textSchema(), pattern: "^0x[0-9a-f]{40}$" },
  decimals: { type: "integer", minimum: 0 },
  asOf: { ...instantSchema, description: "Events before this time are in." },
  build: textSchema("Changes with the data."),
  ranges: {
    ...object(Object.fromEntries(V1_RESOLUTIONS.map((resolution) => [`${resolution}?`, range]))),
    description: "A resolution that is absent is not published.",
  },
  balanceEdges: {
    ...listOf({ ...textSchema(), pattern: "^\\d+(\\.\\d+)?$" }),
    description: "Lower edges of balance_cohort_1 to balance_cohort_7 in whole tokens, exact.",
  },
});
