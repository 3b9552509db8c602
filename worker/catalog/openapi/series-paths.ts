/** The paths of series: one by one in v1 and v2, several on one time line in v3. */

import {
  DISTRIBUTION_DESCRIPTIONS,
  DISTRIBUTION_NAMES,
  DISTRIBUTIONS,
  type DistributionName,
  METRIC_GROUPS,
  VERSIONS,
} from "../../../data-schema/registry.ts";
import { distributionParameters } from "../../request/distribution-query.ts";
import { DISTRIBUTION_FORMATS, TABLE_FORMATS, type TableFormatFacts } from "../../request/parameters/table-formats.ts";
import { mostSeries, TABLE_PARAMETERS } from "../../request/parameters/table-parameters.ts";
import { describesSeries } from "../../request/parameters/v1-parameters.ts";
import type { Endpoint } from "../../request/route.ts";
import { SCREENER_PARAMETERS } from "../../request/screener-query.ts";
import { distributionPath } from "../distribution-catalog.ts";
import { describesTable } from "../table-metrics.ts";
import { isShared, queryParameter, sharedReference, tableParameterSchema } from "./documented-parameters.ts";
import { DESCRIBED, headers, notModifiedResponse } from "./headers.ts";
import { problems } from "./problem-answers.ts";
import { type Json, reference } from "./schema.ts";

export const TABLE_TAG = { name: "Series", description: "Several assets, metrics and selectors on one time line." };

export function seriesOperation(endpoint: Endpoint): Json {
  const { metric, version, parameters } = endpoint;
  return {
    operationId: `${version}_${metric.name}`,
    tags: [METRIC_GROUPS[metric.group]],
    // A reader of the document tells metrics of both versions apart by their summary.
    summary: version === VERSIONS[0] ? metric.title : `${metric.title} (${version})`,
    description: `${metric.description}\n\nFormula: ${metric.formula}. Unit: ${metric.unit}.`,
    externalDocs: { url: `/methodology#${metric.name}`, description: "How it is computed" },
    parameters: parameters
      .filter(describesSeries)
      .map((parameter) => (isShared(parameter) ? sharedReference(parameter) : queryParameter(parameter))),
    responses: {
      200: {
        description: "The series.",
        headers: headers(...DESCRIBED, "RateLimit-Policy", "Content-Disposition", "Content-Encoding"),
        content: {
          "application/json": {
            schema: reference("Series"),
            example: [
              { t: "2025-03-01T00:00:00", v: 1.1531384013725186 },
              { t: "2025-03-02T00:00:00", v: 1.1334308125688835 },
            ],
          },
          "text/csv": { schema: reference("SeriesCsv"), example: "t,v\n2025-03-01T00:00:00,1.1531384013725186\n" },
        },
      },
      304: notModifiedResponse(...DESCRIBED, "RateLimit-Policy"),
      ...problems("series"),
    },
  };
}

/** The answers in each format, by media type. */
export function contentOf(formats: Record<string, TableFormatFacts>): Json {
  const entries = Object.values(formats).map(({ mediaType, schema, example }) => [
    mediaType.split(";")[0],
    { schema: reference(schema), ...(example !== undefined && { example }) },
  ]);
  return Object.fromEntries(entries);
}

/** GET /v3/distributions/<name>. */
export function distributionPaths(): Json {
  const operation = (name: DistributionName): Json => ({
    operationId: `v3_${name}`,
    tags: [TABLE_TAG.name],
    summary: DISTRIBUTIONS[name].title,
    description: `${DISTRIBUTION_DESCRIPTIONS[name]}\n\nAt the close of each day, or of the last day of each week or month. An answer has up to 2,000,000 cells: rows times buckets.`,
    externalDocs: { url: "/methodology#11-distributions", description: "How it is computed" },
    parameters: distributionParameters(name).filter(describesTable).map(tableParameterSchema),
    responses: {
      200: {
        description: "The distribution.",
        headers: headers(...DESCRIBED, "RateLimit-Policy", "Content-Disposition", "Content-Encoding"),
        content: contentOf(DISTRIBUTION_FORMATS),
      },
      304: notModifiedResponse(...DESCRIBED, "RateLimit-Policy"),
      ...problems("distribution"),
    },
  });
  return Object.fromEntries(DISTRIBUTION_NAMES.map((name) => [distributionPath(name), { get: operation(name) }]));
}

/** The headers of the screener, which is of many builds. */
const SCREENED = ["ETag", "Cache-Control", "X-Request-Id", "Server-Timing"] as const;

/** GET /v3/screener. */
export function screenerOperation(): Json {
  return {
    operationId: "v3_screener",
    tags: [TABLE_TAG.name],
    summary: "One row per asset",
    description:
      "For every asset: the latest value of each metric, its changes over 1, 7 and 30 days, and on how many of the last 365 days the value was no higher. Changes of the price and of the market capitalisation are fractions; all others are differences. Missing values are null in JSON and empty in CSV.",
    parameters: SCREENER_PARAMETERS.filter(describesTable).map(tableParameterSchema),
    responses: {
      200: {
        description: "All assets, in the order of their symbols.",
        headers: headers(...SCREENED, "Vary", "RateLimit-Policy", "Content-Disposition", "Content-Encoding"),
        content: {
          "application/json": { schema: reference("Screener") },
          "text/csv": { schema: reference("ScreenerCsv") },
        },
      },
      304: notModifiedResponse(...SCREENED, "Vary", "RateLimit-Policy"),
      ...problems("series"),
    },
  };
}

/** GET /v3/series. */
export function tableOperation(): Json {
  return {
    operationId: "v3_series",
    tags: [TABLE_TAG.name],
    summary: "Several series on one time line",
    description: `All series of all assets, metrics and selectors that are named, from one build of each asset. Where a series has no point, its value is null, or empty in CSV.

last goes without s and sb, sb and ub without s and u, and only with r=block. An answer has up to ${mostSeries("day")} series, ${mostSeries("hour")} at r=hour and ${mostSeries("block")} at r=block.`,
    parameters: TABLE_PARAMETERS.filter(describesTable).map(tableParameterSchema),
    responses: {
      200: {
        description: "The series.",
        headers: headers(...DESCRIBED, "RateLimit-Policy", "Content-Disposition", "Content-Encoding"),
        content: contentOf(TABLE_FORMATS),
      },
      304: notModifiedResponse(...DESCRIBED, "RateLimit-Policy"),
      ...problems("table"),
    },
  };
}
