/**
 * GET /openapi.json: the API as an OpenAPI 3.1 document. Paths and parameters come from the registry, errors from their
 * table; this file only combines them.
 */

import { GROUPS, METRICS, metricByName, metricNames, VERSIONS, type Version } from "../../data-schema/metrics.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { PROBLEMS, type ProblemType, TYPES } from "../problems/problems.ts";
import { BEFORE } from "../request/page-parameters.ts";
import { describesSeries, PARAMETERS, type Parameter } from "../request/parameters.ts";
import { type Endpoint, route, seriesPath } from "../request/route.ts";
import { mostSeries, TABLE_PARAMETERS, type TableParameter } from "../request/table-parameters.ts";
import { VERSION } from "../version.ts";
import { problemName, problemSchema, reference, schemas } from "./schemas.ts";
import { describesTable } from "./table-metrics.ts";

type Json = Record<string, unknown>;

const DESCRIPTION = `On-chain metrics of ERC-20 tokens over time, for address cohorts and exchanges, by block, hour, day, week and month.

\`GET /v3/series\` answers several series on one time line, as JSON, CSV, Arrow or Parquet; \`GET /v1/metrics/<metric>\` answers one.
Series and files need an API key: as the header \`X-Api-Key\`, as \`Authorization: Bearer\`, or as the parameter \`api_key\`. The catalog needs none.
\`GET /v3/assets\` lists the assets, \`GET /v3/metrics\` the metrics.

HEAD answers as GET does, without the body; OPTIONS answers a CORS preflight. Every 200 that may be kept has an ETag: send it back as If-None-Match.
Errors are problem documents (RFC 9457): go by \`type\`. A parameter that does not exist, or is given twice, is an error.

\`POST /mcp\` is for language models: it speaks the Model Context Protocol, and takes the same keys.`;

const FILES_TAG = { name: "Files", description: "The published Parquet objects, for DuckDB, pandas and others." };
const TABLE_TAG = { name: "Series", description: "Several assets, metrics and selectors on one time line." };
const CATALOG_TAG = { name: "Catalog", description: "What there is. No key is needed." };
const SERVICE_TAG = { name: "Service", description: "About this service. No key is needed." };

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
    servers: [{ url: "/", description: "Where this document is." }],
    tags: [TABLE_TAG, FILES_TAG, ...groupTags(), CATALOG_TAG, SERVICE_TAG],
    security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
    paths: {
      ...Object.fromEntries(endpoints.map((endpoint) => [seriesPath(endpoint), { get: seriesOperation(endpoint) }])),
      ...Object.fromEntries(VERSIONS.flatMap(catalogPaths)),
      "/v3/series": { get: tableOperation() },
      ...filePaths(),
      "/v3/assets": open("v3_assets", CATALOG_TAG, "Assets of v3", "TableAssets", "stored"),
      "/v3/assets/{asset}/builds": ofAsset(
        open("v3_builds", CATALOG_TAG, "Builds of an asset that are kept", "Builds", "stored"),
      ),
      "/v3/assets/{asset}/changes": ofAsset(
        open("v3_changes", CATALOG_TAG, "What each activation of a build changed", "Changes", "stored"),
        [BEFORE],
      ),
      "/v3/metrics": open("v3_metrics", CATALOG_TAG, "Metrics of v3", "TableMetrics", "every"),
      "/v3/metrics/{metric}": ofPath(
        open("v3_metric", CATALOG_TAG, "One metric of v3", "TableMetricWithVersion", "every"),
        { name: "metric", description: "Name of the metric.", values: METRICS.map(({ name }) => name) },
        "unknown-metric",
      ),
      "/health": healthPath(),
      "/openapi.json": open("openapi", SERVICE_TAG, "This document", { type: "object" }, "every"),
      "/llms.txt": open(
        "llms",
        SERVICE_TAG,
        "The API in short, for language models",
        { type: "string" },
        "every",
        TEXT,
      ),
      "/explorer.json": open("explorer", SERVICE_TAG, "What the explorer asks when it opens", "Explorer", "every"),
      "/problems/{type}": ofPath(
        open("problem", SERVICE_TAG, "What an error means", "ProblemType", "every"),
        { name: "type", description: "Name of the error.", values: TYPES },
        "unknown-path",
      ),
    },
    components: {
      securitySchemes: SECURITY,
      parameters: sharedParameters(endpoints),
      headers: HEADERS,
      responses: problemResponses(),
      schemas: {
        ...schemas(),
        ...Object.fromEntries(TYPES.map((type) => [problemName(type), problemSchema(type)])),
      },
    },
  };
}

/** The groups of metrics, each with its metrics. */
function groupTags(): Json[] {
  return Object.entries(GROUPS).map(([group, name]) => {
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

const header = (description: string, required = true) => ({ description, required, schema: { type: "string" } });

const HEADERS = {
  ETag: header("Entity tag; send it back as If-None-Match. Weak for CSV if the client takes gzip, otherwise strong."),
  Vary: header("Accept-Encoding, for CSV.", false),
  "Content-Encoding": header("gzip, for CSV if the client takes it and the series is not too long.", false),
  "Cache-Control": header("Who may keep the answer, and how long."),
  "X-Request-Id": header("Name it when you report a fault."),
  "X-Soprano-As-Of": header("Events before this time are in, ISO 8601."),
  Link: header("Where the metric is described."),
  "Server-Timing": header("What the server waited for, in milliseconds."),
  "RateLimit-Policy": header("What the key's plan, or one address, may send in a minute.", false),
  "Content-Disposition": header("A file name for CSV, and of a stored file.", false),
  "Accept-Ranges": header("bytes: a file can be read in ranges."),
  "Content-Range": header("Which bytes of how many; of how many, if there are none in the range."),
  "WWW-Authenticate": header("How to give a key."),
  "Retry-After": header("Seconds to wait."),
  Allow: header("The methods there are, where another one was used.", false),
};
type HeaderName = keyof typeof HEADERS;

const headers = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const DESCRIBED = [
  "ETag",
  "Vary",
  "Cache-Control",
  "X-Request-Id",
  "X-Soprano-As-Of",
  "Link",
  "Server-Timing",
] as const;

function seriesOperation(endpoint: Endpoint): Json {
  const { metric, version, parameters } = endpoint;
  return {
    operationId: `${version}_${metric.name}`,
    tags: [GROUPS[metric.group]],
    // A reader of the document tells metrics of both versions apart by their summary.
    summary: version === VERSIONS[0] ? metric.title : `${metric.title} (${version})`,
    description: `${metric.description}\n\nFormula: ${metric.formula}. Unit: ${metric.unit}.`,
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
              { t: "2025-03-01T00:00:00", v: 0.6178513623250149 },
              { t: "2025-03-02T00:00:00", v: 0.5294289910295572 },
            ],
          },
          "text/csv": { schema: reference("SeriesCsv"), example: "t,v\n2025-03-01T00:00:00,0.6178513623250149\n" },
        },
      },
      304: {
        description: "What you have is still right.",
        headers: headers(...DESCRIBED, "RateLimit-Policy"),
      },
      ...problems("series"),
    },
  };
}

/** GET /v3/series. */
function tableOperation(): Json {
  const example = {
    builds: { ARIA: "64874e0a1b2c3d4e" },
    asOf: { ARIA: "2025-03-03T00:00:00Z" },
    resolution: "day",
    t: ["2025-03-01T00:00:00", "2025-03-02T00:00:00"],
    series: [
      { asset: "ARIA", metric: "sopr", selector: "total", unit: "ratio", v: [0.6178513623250149, 0.5294289910295572] },
    ],
  };
  return {
    operationId: "v3_series",
    tags: [TABLE_TAG.name],
    summary: "Several series on one time line",
    description: `All series of all assets, metrics and selectors that are named, from one build of each asset. Where a series has no point, its value is null, or empty in CSV.

last goes without s and sb, sb and ub without s and u, and only with r=block. An answer has up to ${mostSeries("day")} series, ${mostSeries("hour")} at r=hour and ${mostSeries("block")} at r=block.`,
    parameters: TABLE_PARAMETERS.filter(describesTable).map(tableParameter),
    responses: {
      200: {
        description: "The series.",
        headers: headers(...DESCRIBED, "RateLimit-Policy", "Content-Disposition", "Content-Encoding"),
        content: {
          "application/json": { schema: reference("Table"), example },
          "text/csv": {
            schema: reference("TableCsv"),
            example: "t,ARIA:sopr:total\n2025-03-01T00:00:00,0.6178513623250149\n",
          },
          "application/x-ndjson": {
            schema: reference("TableLines"),
            example: '{"t":"2025-03-01T00:00:00","ARIA:sopr:total":0.6178513623250149}\n',
          },
          "application/vnd.apache.arrow.stream": { schema: reference("TableArrow") },
          "application/vnd.apache.parquet": { schema: reference("TableParquet") },
        },
      },
      304: { description: "What you have is still right.", headers: headers(...DESCRIBED, "RateLimit-Policy") },
      ...problems("table"),
    },
  };
}

/** GET /v3/files: the list of an asset's files, and the files. */
function filePaths(): Json {
  const ofPath = (name: string, description: string, schema: Json, example: string) => ({
    ...{ name, in: "path", description, required: true, schema: { type: "string", ...schema }, example },
  });
  const asset = ofPath("asset", "Symbol of the asset, in any case.", { pattern: "^[A-Za-z0-9._-]{1,20}$" }, "ARIA");
  const notModified = (...names: HeaderName[]) => ({
    description: "What you have is still right.",
    headers: headers(...names, "RateLimit-Policy"),
  });
  const ofList = ["ETag", "Cache-Control", "X-Request-Id", "X-Soprano-As-Of", "Server-Timing"] as const;
  const ofFile = ["ETag", "Cache-Control", "X-Request-Id", "Server-Timing", "Accept-Ranges"] as const;
  const content = { "application/vnd.apache.parquet": { schema: reference("File") } };
  const sent = [...ofFile, "RateLimit-Policy", "Content-Disposition"] as const;
  const list = {
    operationId: "v3_files",
    tags: [FILES_TAG.name],
    summary: "Files of an asset",
    description: "Every Parquet object of the active build.",
    parameters: [asset],
    responses: {
      200: {
        description: "The files.",
        headers: headers(...ofList, "RateLimit-Policy"),
        content: { [JSON_TYPE]: { schema: reference("Files") } },
      },
      304: notModified(...ofList),
      ...problems("keyed"),
    },
  };
  const file = {
    operationId: "v3_file",
    tags: [FILES_TAG.name],
    summary: "One file, or a range of it",
    description: `A file never changes: a later build has others. It stays as long as it is stored, also if it is of an earlier build.

Range takes one range of bytes. If-Range, If-Match and If-None-Match take the ETag.`,
    parameters: [
      asset,
      ofPath("resolution", "Resolution of the series.", { enum: RESOLUTIONS }, "day"),
      ofPath("metric", "Name of the metric.", { enum: METRICS.map(({ name }) => name) }, "sopr"),
      ofPath(
        "file",
        "Name of the file, as the list has it.",
        { pattern: "^[0-9a-z-]+\\.[0-9a-f]{32}\\.parquet$" },
        "all.0123456789abcdef0123456789abcdef.parquet",
      ),
    ],
    responses: {
      200: { description: "The file.", headers: headers(...sent), content },
      206: { description: "The range of it.", headers: headers(...sent, "Content-Range"), content },
      304: notModified(...ofFile),
      ...problems("file"),
    },
  };
  return {
    "/v3/files/{asset}": { get: list },
    "/v3/files/{asset}/{resolution}/{metric}/{file}": { get: file },
  };
}

/** A parameter of v3; a list is an array whose items are joined by commas. */
function tableParameter({
  name,
  description,
  required,
  list,
  values,
  default: preset,
  pattern,
  example,
}: TableParameter): Json {
  const schema = { type: "string", enum: values, default: preset, pattern };
  const shared = { name, in: "query", description, required };
  if (list === undefined) return { ...shared, schema, example };
  return {
    ...shared,
    style: "form",
    explode: false,
    schema: { type: "array", items: schema, minItems: 1, maxItems: list.most, uniqueItems: true },
    example: [example],
  };
}

// A selector's title and values depend on the metric; all other parameters are the same everywhere.
const isShared = ({ name }: Parameter) => name !== "c" && name !== "t";

const sharedReference = ({ name }: Parameter) => ({ $ref: `#/components/parameters/${name}` });

function sharedParameters(endpoints: readonly Endpoint[]): Json {
  const shared = endpoints
    .flatMap(({ parameters }) => parameters)
    .filter((parameter) => describesSeries(parameter) && isShared(parameter));
  return Object.fromEntries(shared.map((parameter) => [parameter.name, queryParameter(parameter)]));
}

function queryParameter({
  name,
  description,
  required,
  values,
  default: preset,
  pattern,
  example,
}: Parameter<string>): Json {
  return {
    name,
    in: "query",
    description,
    required,
    // JSON leaves out the undefined members.
    schema: { type: "string", enum: values, default: preset, pattern },
    example,
  };
}

const JSON_TYPE = "application/json";
const TEXT = "text/plain";

function catalogPaths(version: Version): [path: string, item: Json][] {
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
    ...(kept ? { 304: { description: "What you have is still right.", headers: headers(...names) } } : {}),
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
  const description = `Manifests cannot be read; ${unavailable.description}`;
  const content = { [JSON_TYPE]: { schema: reference("Health") }, ...unavailable.content };
  return { get: { ...get, responses: { ...get.responses, 503: { ...unavailable, description, content } } } };
}

/** The same of a path that names something that may not exist. */
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

/** A path that names an asset, which may not exist; it reads the asset's manifest, and some take parameters. */
function ofAsset({ get }: ReturnType<typeof open>, taken: readonly Parameter<string>[] = []) {
  const { pattern, example } = PARAMETERS.a;
  const asset = {
    name: "asset",
    in: "path",
    description: "Symbol of the asset, in any case.",
    required: true,
    example,
  };
  const parameters = [{ ...asset, schema: { type: "string", pattern } }, ...taken.map(queryParameter)];
  const invalid = taken.length > 0 ? QUERY_PROBLEMS : [];
  const badRequests = TYPES.filter((type) => type === "unknown-parameter" || invalid.includes(type));
  const responses = {
    ...get.responses,
    400: problemResponse(badRequests),
    404: problemResponse(["unsupported-asset"]),
    500: problemResponse(["damaged-data", "internal-error"]),
  };
  return { get: { ...get, parameters, responses } };
}

/** What may be wrong with the parameters of a page. */
const QUERY_PROBLEMS: readonly ProblemType[] = ["repeated-parameter", "empty-parameter", "invalid-parameter"];

/** Problems that no path of the document answers to GET. Each path lists them all the same, so that clients know them. */
const others = TYPES.filter((type) => PROBLEMS[type].on === "none");

type Kind = "every" | "stored" | "keyed" | "series" | "table" | "file";

/** The kind of path whose errors each kind has besides its own. */
const BASE: Record<Kind, Kind | null> = {
  every: null,
  stored: "every",
  keyed: "stored",
  series: "keyed",
  table: "series",
  file: "keyed",
};
const KINDS = Object.keys(BASE) as Kind[];

/** The errors of a kind of path, by status. */
function problemsOf(kind: Kind): Map<number, ProblemType[]> {
  const kinds: string[] = [];
  for (let one: Kind | null = kind; one !== null; one = BASE[one]) kinds.push(one);
  const types = TYPES.filter((type) => kinds.includes(PROBLEMS[type].on ?? "series"));
  return Map.groupBy(types, (type) => PROBLEMS[type].status);
}

const responseName = (kind: Kind, status: number) => `${kind}.${status}`;

function problems(kind: Kind): Json {
  const statuses = [...problemsOf(kind).keys()];
  return {
    ...Object.fromEntries(
      statuses.map((status) => [status, { $ref: `#/components/responses/${responseName(kind, status)}` }]),
    ),
    default: { $ref: "#/components/responses/default" },
  };
}

function problemResponses(): Json {
  const responses = KINDS.flatMap((kind) =>
    [...problemsOf(kind)].map(([status, types]) => [responseName(kind, status), problemResponse(types)]),
  );
  return { ...Object.fromEntries(responses), default: problemResponse(others) };
}

function problemResponse(types: readonly ProblemType[]) {
  const entries = types.map((type) => PROBLEMS[type]);
  const names = entries.flatMap((entry) => [...Object.keys(entry.headers ?? {}), ...(entry.ownHeaders ?? [])]);
  const own = new Set(names as HeaderName[]);
  const schemas = types.map((type) => reference(problemName(type)));
  return {
    description: entries.map(({ title }) => title).join("; "),
    headers: headers("Cache-Control", "X-Request-Id", ...own),
    content: { "application/problem+json": { schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas } } },
  };
}
