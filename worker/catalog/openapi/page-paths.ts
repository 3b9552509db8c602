/** The paths that need no key. */

import { METRICS, metricNames, type Version } from "../../../data-schema/registry.ts";
import { type ProblemType, TYPES } from "../../problems/problems.ts";
import { BEFORE, MAX_AGE } from "../../request/parameters/page-parameters.ts";
import type { Parameter } from "../../request/parameters/v1-parameters.ts";
import { ASSET, queryParameter } from "./documented-parameters.ts";
import { type HeaderName, headers, notModifiedResponse } from "./headers.ts";
import { problemResponse, problems } from "./problem-answers.ts";
import { type Json, object, reference, textSchema } from "./schema.ts";

export const CATALOG_TAG = { name: "Catalog", description: "The catalog of assets and metrics. Needs no key." };
export const SERVICE_TAG = {
  name: "Service",
  description: "The service itself: its health and this document. Needs no key.",
};

const JSON_TYPE = "application/json";
const TEXT = "text/plain";

/** The catalog of v1 or v2. */
export function catalogPaths(version: Version): [path: string, item: Json][] {
  return [
    [`/${version}/assets`, open(`${version}_assets`, CATALOG_TAG, `Assets of ${version}`, "Assets", "stored")],
    [`/${version}/metrics`, open(`${version}_metrics`, CATALOG_TAG, `Metrics of ${version}`, "Metrics", "every")],
    [
      `/${version}/metrics/{metric}/meta`,
      ofPath(
        open(`${version}_meta`, CATALOG_TAG, `One metric of ${version}`, "MetricWithVersion", "every"),
        { name: "metric", description: "Name of the metric.", values: metricNames(version) },
        "unknown-metric",
      ),
    ],
  ];
}

/** The catalog of v3, and what there is to know of the service. */
export function pageSchemas(): Json {
  return {
    "/v3/assets": open("v3_assets", CATALOG_TAG, "Assets of v3", "TableAssets", "stored"),
    "/v3/assets/{asset}": ofAsset(open("v3_asset", CATALOG_TAG, "One asset of v3", "TableAsset", "stored")),
    "/v3/assets/{asset}/builds": ofAsset(
      open("v3_builds", CATALOG_TAG, "Builds of an asset that are kept", "Builds", "stored"),
    ),
    "/v3/assets/{asset}/changes": ofAsset(
      open("v3_changes", CATALOG_TAG, "What each activation of a build changed", "Changes", "stored"),
      [BEFORE],
    ),
    "/v3/status": open("v3_status", CATALOG_TAG, "How fresh each asset's data is", "Status", "stored", null),
    "/v3/distributions": open("v3_distributions", CATALOG_TAG, "Distributions", "Distributions", "every"),
    "/v3/metrics": open("v3_metrics", CATALOG_TAG, "Metrics of v3", "TableMetrics", "every"),
    "/v3/metrics/{metric}": ofPath(
      open("v3_metric", CATALOG_TAG, "One metric of v3", "TableMetricWithVersion", "every"),
      { name: "metric", description: "Name of the metric.", values: METRICS.map(({ name }) => name) },
      "unknown-metric",
    ),
    "/health": healthPath(),
    "/openapi.json": open("openapi", SERVICE_TAG, "This document", { type: "object" }, "every"),
    "/llms.txt": open("llms", SERVICE_TAG, "The API in short, for language models", { type: "string" }, "every", TEXT),
    "/explorer.json": open("explorer", SERVICE_TAG, "What the explorer asks when it opens", "Explorer", "every"),
    "/problems/{type}": ofPath(
      open("problem", SERVICE_TAG, "What an error means", "ProblemType", "every"),
      { name: "type", description: "Name of the problem type.", values: TYPES },
      "unknown-path",
    ),
  };
}

/** A path whose only operation, GET, takes no key and no query. A media type of null stands for JSON that no cache may keep. */
function open(
  operationId: string,
  tag: { name: string },
  summary: string,
  schema: string | Json,
  on: "every" | "stored",
  mediaType: string | null = JSON_TYPE,
) {
  const kept = mediaType !== null;
  const content = {
    [mediaType ?? JSON_TYPE]: { schema: typeof schema === "string" ? reference(schema) : schema },
  };
  const names: HeaderName[] = [...(kept ? (["ETag"] as const) : []), "Cache-Control", "X-Request-Id"];
  const responses: Json = {
    200: { description: `${summary}.`, headers: headers(...names), content },
    ...(kept ? { 304: notModifiedResponse(...names) } : {}),
    ...problems(on),
  };
  return { get: { operationId, tags: [tag.name], summary, security: [], responses } };
}

/** The health of the service is a document also if it is not well. */
function healthPath() {
  const { get } = open(
    "health",
    SERVICE_TAG,
    "Whether the data can be read, and how old it is",
    "Health",
    "stored",
    null,
  );
  const unavailable = problemResponse(["store-unavailable"]);
  const description = `Manifests cannot be read, or data is older than maxAge; ${unavailable.description}`;
  const content = { [JSON_TYPE]: { schema: reference("Health") }, ...unavailable.content };
  const refused = problemResponse(invalidQueries([MAX_AGE]));
  const responses = { ...get.responses, 400: refused, 503: { ...unavailable, description, content } };
  return { get: { ...get, parameters: [queryParameter(MAX_AGE)], responses } };
}

/** A path that takes a name; an unknown name answers 404. */
function ofPath(
  { get }: ReturnType<typeof open>,
  { name, description, values }: { name: string; description: string; values: readonly string[] },
  unknown: ProblemType,
) {
  const schema = { type: "string", enum: values };
  const parameter = { name, in: "path", description, required: true, schema, example: values[0] };
  const responses = { ...get.responses, 404: problemResponse([unknown]) };
  return { get: { ...get, parameters: [parameter], responses } };
}

/** What answers in place of a symbol that the asset had before. */
const MOVED: Json = {
  description: "The asset has another symbol now.",
  headers: headers("Location", "Cache-Control", "X-Request-Id", "X-Soprano-Renamed"),
  content: { [JSON_TYPE]: { schema: object({ asset: textSchema(), location: textSchema() }) } },
};

/** A path that names an asset, which may not exist; it reads the asset's manifest, and some take parameters. */
function ofAsset({ get }: ReturnType<typeof open>, taken: readonly Parameter<string>[] = []) {
  const parameters = [ASSET, ...taken.map(queryParameter)];
  const responses = {
    ...get.responses,
    308: MOVED,
    400: problemResponse(invalidQueries(taken)),
    404: problemResponse(["unsupported-asset"]),
    410: problemResponse(["removed-asset"]),
    500: problemResponse(["damaged-data", "internal-error"]),
  };
  return { get: { ...get, parameters, responses } };
}

/** What is wrong with the query of a page that takes these parameters. */
function invalidQueries(taken: readonly Parameter<string>[]): ProblemType[] {
  const invalid = taken.length > 0 ? QUERY_PROBLEMS : [];
  return TYPES.filter((type) => type === "unknown-parameter" || invalid.includes(type));
}

/** What may be wrong with the parameters of a page. */
const QUERY_PROBLEMS: readonly ProblemType[] = ["repeated-parameter", "empty-parameter", "invalid-parameter"];
