/**
 * GET /openapi.json: the API as an OpenAPI 3.1 document. Paths and parameters come from the registry, errors from their
 * table; the files in openapi/ only combine them.
 */

import { metricByName, metricNames, V1_GROUPS, VERSIONS } from "../../data-schema/registry.ts";
import { route, seriesPath } from "../request/route.ts";
import { VERSION } from "../version.ts";
import { sharedParameters } from "./openapi/documented-parameters.ts";
import { FILES_TAG, filePaths } from "./openapi/file-paths.ts";
import { HEADERS } from "./openapi/headers.ts";
import { HOLDERS_TAG, holderPaths } from "./openapi/holder-paths.ts";
import { CATALOG_TAG, catalogPaths, pageSchemas, SERVICE_TAG } from "./openapi/page-paths.ts";
import { problemResponses, problemSchemas } from "./openapi/problem-answers.ts";
import type { Json } from "./openapi/schema.ts";
import { schemas } from "./openapi/schemas.ts";
import {
  distributionPaths,
  screenerOperation,
  seriesOperation,
  TABLE_TAG,
  tableOperation,
} from "./openapi/series-paths.ts";
import { EVENTS_TAG, transferPaths } from "./openapi/transfer-paths.ts";

const DESCRIPTION = `On-chain metrics of ERC-20 tokens over time, for address cohorts and exchanges, by block, hour, day, week and month.

\`GET /v3/series\` answers several series on one time line, as JSON, CSV, Arrow or Parquet; \`GET /v1/metrics/<metric>\` answers one.
Series and files need an API key: as the header \`X-Api-Key\`, as \`Authorization: Bearer\`, or as the parameter \`api_key\`. The catalog needs none.
\`GET /v3/assets\` lists the assets, \`GET /v3/metrics\` the metrics.

HEAD answers as GET does, without the body; OPTIONS answers a CORS preflight. Every 200 that may be kept has an ETag: send it back as If-None-Match.
Errors are problem documents (RFC 9457): go by \`type\`. A parameter that does not exist, or is given twice, is an error.

\`POST /mcp\` is for language models: it speaks the Model Context Protocol, and takes the same keys. \`GET /udf/…\` is for charts: it speaks TradingView's UDF protocol.`;

/** The whole document. */
export function openApi(): Json {
  const endpoints = VERSIONS.flatMap((version) => metricNames(version).map((name) => route(version, name)));
  return {
    openapi: "3.1.0",
    info: {
      title: "Soprano",
      version: VERSION,
      summary: "On-chain metrics for ERC-20 tokens",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server that this document comes from." }],
    tags: [TABLE_TAG, HOLDERS_TAG, EVENTS_TAG, FILES_TAG, ...groupTags(), CATALOG_TAG, SERVICE_TAG],
    security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
    paths: {
      ...Object.fromEntries(endpoints.map((endpoint) => [seriesPath(endpoint), { get: seriesOperation(endpoint) }])),
      ...Object.fromEntries(VERSIONS.flatMap(catalogPaths)),
      "/v3/series": { get: tableOperation() },
      "/v3/screener": { get: screenerOperation() },
      ...distributionPaths(),
      ...holderPaths(),
      ...transferPaths(),
      ...filePaths(),
      ...pageSchemas(),
    },
    components: {
      securitySchemes: SECURITY,
      parameters: sharedParameters(endpoints),
      headers: HEADERS,
      responses: problemResponses(),
      schemas: { ...schemas(), ...problemSchemas() },
    },
  };
}

/** The groups of metrics, each with its metrics. */
function groupTags(): Json[] {
  return Object.entries(V1_GROUPS).map(([group, name]) => {
    const metrics = metricNames("v1").map(metricByName);
    const titles = metrics.filter((metric) => metric.group === group).map(({ title }) => title);
    return { name, description: `${titles.join(", ")}.` };
  });
}

const SECURITY = {
  header: { type: "apiKey", in: "header", name: "X-Api-Key", description: "Your key: a UUID, in any case." },
  bearer: { type: "http", scheme: "bearer", description: "Your key as a bearer token." },
  query: {
    type: "apiKey",
    in: "query",
    name: "api_key",
    description: "Your key in the URL, which is then a secret itself: URLs end up in logs.",
  },
};
