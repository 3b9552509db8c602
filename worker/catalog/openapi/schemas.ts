/** JSON Schemas of all answers of the API but errors, by their names in the OpenAPI document. */

import { V1_GROUPS, V1_SIGNS, VERSIONS } from "../../../data-schema/registry.ts";
import { problemPath, TYPES } from "../../problems/problems.ts";
import { describedAsset, describedMetric } from "./described.ts";
import { holderSchemas } from "./holder-paths.ts";
import { instantSchema, type Json, listOf, object, oneOf, reference, TIME, textSchema } from "./schema.ts";
import { tableSchemas } from "./table-schemas.ts";
import { transferSchemas } from "./transfer-paths.ts";

/** All schemas but those of errors. A function, so that a Worker starts without them. */
export const schemas = (): Record<string, Json> => ({
  Point: object({
    t: TIME,
    v: {
      type: "number",
      description: "A finite number, with as many digits as it takes to tell one double from the next.",
    },
  }),
  Series: { ...listOf(reference("Point")), description: "Points, ascending in time." },
  SeriesCsv: { ...textSchema("A header line t,v, then one line for each point."), pattern: "^t,v\\n" },
  Metric: object(describedMetric()),
  MetricWithVersion: object({ version: oneOf(VERSIONS), ...describedMetric() }),
  Selector: object(
    {
      parameter: oneOf(["c", "t"]),
      title: textSchema(),
      default: textSchema(),
      values: listOf(textSchema()),
      families: listOf(
        object(
          { title: textSchema(), values: listOf(textSchema()) },
          "A group of selector values that belong together, such as all cohorts by age.",
        ),
      ),
    },
    "The parameter that picks one of a metric's series.",
  ),
  Parameter: object({
    name: textSchema(),
    title: textSchema(),
    description: textSchema(),
    required: { type: "boolean" },
    "values?": { ...listOf(textSchema()), description: "All values that the parameter takes." },
    "forms?": { ...listOf(textSchema()), description: "The forms that a value may have, in words." },
    "default?": textSchema("The value that applies if the parameter is left out."),
  }),
  Metrics: object({
    version: oneOf(VERSIONS),
    groups: listOf(object({ name: oneOf(Object.keys(V1_GROUPS)), title: textSchema() })),
    signs: {
      ...listOf(object({ sign: oneOf(Object.keys(V1_SIGNS)), meaning: textSchema() })),
      description: "The symbols used in formulas, each with its meaning.",
    },
    metrics: listOf(reference("Metric")),
  }),
  Asset: object(describedAsset()),
  Assets: object({ assets: listOf(reference("Asset")) }),
  ...tableSchemas(),
  ...holderSchemas(),
  ...transferSchemas(),
  Health: object({
    status: oneOf(
      ["ok", "late", "degraded"],
      "ok; with HTTP status 503, degraded if the manifest of some asset cannot be read, or else late if the data of one is older than maxAge.",
    ),
    version: textSchema("The version of Soprano."),
    schema: { type: "integer", description: "The version of the format of stored series." },
    assets: listOf(
      object({ symbol: textSchema(), asOf: instantSchema, ageSeconds: { type: "integer" }, build: textSchema() }),
    ),
    "late?": { ...listOf(textSchema()), description: "Symbols of the assets whose data is older than maxAge." },
    "unreadable?": { ...listOf(textSchema()), description: "Symbols of the assets whose manifest cannot be read." },
  }),
  Explorer: object({
    publicKey: { type: ["string", "null"], description: "An API key that anyone may use; null if there is none." },
    version: textSchema("The version of Soprano."),
    terms: {
      ...listOf(
        object({
          names: listOf(textSchema()),
          note: textSchema(),
          series: listOf(textSchema("metric or metric:selector")),
          "formula?": textSchema("The name of the formula that the term means."),
          "family?": textSchema("metric:by, for a picture of all of a family's parts."),
        }),
      ),
      description: "Search terms that are not the name of a metric, and the series that answer them.",
    },
    formulas: {
      ...listOf(
        object({
          name: textSchema(),
          title: textSchema(),
          text: textSchema("The formula, in terms of metrics."),
          description: textSchema(),
          "isShare?": { const: true, description: "Whether the values are shown as percentages." },
          look: reference("NaturalLook"),
        }),
      ),
      description: "The named formulas.",
    },
  }),
  ProblemType: object({
    type: oneOf(TYPES.map(problemPath)),
    title: textSchema(),
    status: { type: "integer" },
    meaning: textSchema("What the error means and what to do about it."),
  }),
});
