/** JSON Schemas of all answers of the API but errors, by their names in the OpenAPI document. */

import { V1_GROUPS, V1_SIGNS, VERSIONS } from "../../../data-schema/registry.ts";
import { problemPath, TYPES } from "../../problems/problems.ts";
import { describedAsset, describedMetric } from "./described.ts";
import { instantSchema, type Json, listOf, object, oneOf, reference, TIME, textSchema } from "./schema.ts";
import { tableSchemas } from "./table-schemas.ts";

/** All schemas but those of errors. A function, so that a Worker starts without them. */
export const schemas = (): Record<string, Json> => ({
  Point: object({ t: TIME, v: { type: "number", description: "Finite; as many digits as tell the double apart." } }),
  Series: { ...listOf(reference("Point")), description: "Points, ascending in time." },
  SeriesCsv: { ...textSchema("The header t,v, then a line for each point."), pattern: "^t,v\\n" },
  Metric: object(describedMetric()),
  MetricWithVersion: object({ version: oneOf(VERSIONS), ...describedMetric() }),
  Selector: object(
    {
      parameter: oneOf(["c", "t"]),
      title: textSchema(),
      default: textSchema(),
      values: listOf(textSchema()),
      families: listOf(
        object({ title: textSchema(), values: listOf(textSchema()) }, "Values that have something in common."),
      ),
    },
    "The parameter that picks one of a metric's series.",
  ),
  Parameter: object({
    name: textSchema(),
    title: textSchema(),
    description: textSchema(),
    required: { type: "boolean" },
    "values?": { ...listOf(textSchema()), description: "All it takes." },
    "forms?": { ...listOf(textSchema()), description: "In words, the forms that a value may have." },
    "default?": textSchema("What holds when it is left out."),
  }),
  Metrics: object({
    version: oneOf(VERSIONS),
    groups: listOf(object({ name: oneOf(Object.keys(V1_GROUPS)), title: textSchema() })),
    signs: {
      ...listOf(object({ sign: oneOf(Object.keys(V1_SIGNS)), meaning: textSchema() })),
      description: "What the signs in formulas stand for.",
    },
    metrics: listOf(reference("Metric")),
  }),
  Asset: object(describedAsset()),
  Assets: object({ assets: listOf(reference("Asset")) }),
  ...tableSchemas(),
  Health: object({
    status: oneOf(["ok", "degraded"], "degraded: the manifest of some assets cannot be read; the status is 503."),
    version: textSchema("Of Soprano."),
    schema: { type: "integer", description: "Version of the stored series." },
    assets: listOf(
      object({ symbol: textSchema(), asOf: instantSchema, ageSeconds: { type: "integer" }, build: textSchema() }),
    ),
    "unreadable?": { ...listOf(textSchema()), description: "Symbols of the assets whose manifest cannot be read." },
  }),
  Explorer: object({
    publicKey: { type: ["string", "null"], description: "An API key for everyone; null where there is none." },
    version: textSchema("Of Soprano."),
    terms: {
      ...listOf(
        object({
          names: listOf(textSchema()),
          note: textSchema(),
          series: listOf(textSchema("metric or metric:selector")),
          "family?": textSchema("metric:by, for a picture of all of a family's parts."),
        }),
      ),
      description: "Words that name no metric, and the series that answer them.",
    },
    formulas: {
      ...listOf(
        object({
          name: textSchema(),
          title: textSchema(),
          text: textSchema("In terms of metrics."),
          description: textSchema(),
          "isShare?": { const: true, description: "Its values are shown in per cent." },
        }),
      ),
      description: "Formulas with names of their own.",
    },
  }),
  ProblemType: object({
    type: oneOf(TYPES.map(problemPath)),
    title: textSchema(),
    status: { type: "integer" },
    meaning: textSchema("What it means and what to do about it."),
  }),
});
