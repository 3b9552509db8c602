/** JSON Schemas of all answers of the API but errors, by their names in the OpenAPI document. */

import { V1_GROUPS, V1_SIGNS, VERSIONS } from "../../../data-schema/registry/metrics.ts";
import { problemPath, TYPES } from "../../problems/problems.ts";
import { describedAsset, describedMetric } from "./described.ts";
import { instant, type Json, listOf, object, oneOf, reference, TIME, text } from "./schema.ts";
import { tableSchemas } from "./table-schemas.ts";

/** All schemas but those of errors. A function, so that a Worker starts without them. */
export const schemas = (): Record<string, Json> => ({
  Point: object({ t: TIME, v: { type: "number", description: "Finite; as many digits as tell the double apart." } }),
  Series: { ...listOf(reference("Point")), description: "Points, ascending in time." },
  SeriesCsv: { ...text("The header t,v, then a line for each point."), pattern: "^t,v\\n" },
  Metric: object(describedMetric()),
  MetricWithVersion: object({ version: oneOf(VERSIONS), ...describedMetric() }),
  Selector: object(
    {
      parameter: oneOf(["c", "t"]),
      title: text(),
      default: text(),
      values: listOf(text()),
      families: listOf(object({ title: text(), values: listOf(text()) }, "Values that have something in common.")),
    },
    "The parameter that picks one of a metric's series.",
  ),
  Parameter: object({
    name: text(),
    title: text(),
    description: text(),
    required: { type: "boolean" },
    "values?": { ...listOf(text()), description: "All it takes." },
    "forms?": { ...listOf(text()), description: "In words, the forms that a value may have." },
    "default?": text("What holds when it is left out."),
  }),
  Metrics: object({
    version: oneOf(VERSIONS),
    groups: listOf(object({ name: oneOf(Object.keys(V1_GROUPS)), title: text() })),
    signs: {
      ...listOf(object({ sign: oneOf(Object.keys(V1_SIGNS)), meaning: text() })),
      description: "What the signs in formulas stand for.",
    },
    metrics: listOf(reference("Metric")),
  }),
  Asset: object(describedAsset()),
  Assets: object({ assets: listOf(reference("Asset")) }),
  ...tableSchemas(),
  Health: object({
    status: oneOf(["ok", "degraded"], "degraded: the manifest of some assets cannot be read; the status is 503."),
    version: text("Of Soprano."),
    schema: { type: "integer", description: "Version of the stored series." },
    assets: listOf(object({ symbol: text(), asOf: instant, ageSeconds: { type: "integer" }, build: text() })),
    "unreadable?": { ...listOf(text()), description: "Symbols of the assets whose manifest cannot be read." },
  }),
  Explorer: object({
    publicKey: { type: ["string", "null"], description: "An API key for everyone; null where there is none." },
    version: text("Of Soprano."),
    terms: {
      ...listOf(
        object({
          names: listOf(text()),
          note: text(),
          series: listOf(text("metric or metric:selector")),
          "family?": text("metric:by, for a picture of all of a family's parts."),
        }),
      ),
      description: "Words that name no metric, and the series that answer them.",
    },
    formulas: {
      ...listOf(
        object({
          name: text(),
          title: text(),
          text: text("In terms of metrics."),
          description: text(),
          "isShare?": { const: true, description: "Its values are shown in per cent." },
        }),
      ),
      description: "Formulas with names of their own.",
    },
  }),
  ProblemType: object({
    type: oneOf(TYPES.map(problemPath)),
    title: text(),
    status: { type: "integer" },
    meaning: text("What it means and what to do about it."),
  }),
});
