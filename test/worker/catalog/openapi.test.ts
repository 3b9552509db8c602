/** The OpenAPI document against the Worker: random requests are made from it, and every answer must be one it declares. */

import { env } from "cloudflare:workers";
import { type Schema, Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { ADDRESS_LIMIT } from "../../../data-schema/access/plans.ts";
import {
  bucketSeries,
  DISTRIBUTION_FIELDS,
  DISTRIBUTION_SELECTORS,
  type DistributionName,
  type DistributionResolution,
} from "../../../data-schema/registry/distributions.ts";
import type { ChangeEntry } from "../../../data-schema/stored/changes.ts";
import { knownLine } from "../../../data-schema/stored/known-lines.ts";
import { changeKey, currentKey } from "../../../data-schema/stored/objects.ts";
import { parseManifest } from "../../../data-schema/stored.ts";
import { openApi } from "../../../worker/catalog/openapi.ts";
import { PROBLEMS } from "../../../worker/problems/problems.ts";
import { ANY_CHARACTER } from "../../data-schema/text/characters.ts";
import { alteringBucket } from "../bindings.ts";
import { type Client, freshIsolate, KEY, putKey } from "../client.ts";
import type { StoredHolders } from "../holders-token.ts";
import { at, DAY, HOUR, publish, QUALITY } from "../token.ts";

interface Parameter {
  name: string;
  in: "query" | "path";
  required: boolean;
  /** A list is an array whose items are joined by commas. */
  schema: ValueSchema & { items?: ValueSchema; maxItems?: number };
  example: string | string[];
}

interface ValueSchema {
  enum?: string[];
  pattern?: string;
  anyOf?: ValueSchema[];
}

interface Header {
  required?: boolean;
}

interface Answer {
  headers: Record<string, Header | Reference>;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  path: string;
  parameters: Parameter[];
  responses: Record<string, Answer>;
  isSeries: boolean;
}

/** A request for an operation. */
interface Ask {
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  method: string;
}

const REVOKED = "00000000-0000-4000-8000-000000000001";
const EXPIRED = "00000000-0000-4000-8000-000000000002";
const UNKNOWN = "00000000-0000-4000-8000-000000000004";

/**
 * The number of random requests for a path: of those that must succeed, and of arbitrary ones. The metrics of v1 and v2,
 * most of the paths, are one endpoint: they share the requests that try it, and route.test.ts makes each one that names a
 * selector or a resolution.
 */
const usual = (most: number, { path }: Operation) => (METRIC_PATH.test(path) ? 5 : most) * inject("effort");
const good = (operation: Operation) => usual(15, operation);
const any = (operation: Operation) => usual(35, operation);

const METRIC_PATH = /^\/v[12]\/metrics\/\w+$/;

interface Reference {
  $ref: string;
}

interface Path {
  get: {
    parameters?: (Parameter | Reference)[];
    responses: Record<string, Answer | Reference>;
    security?: unknown;
  };
}

/** The parts of the document that the test uses. */
interface OpenApi {
  paths: Record<string, Path>;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, Answer>;
    headers: Record<string, Header>;
    schemas: Record<string, Schema>;
  };
}

const document: OpenApi = JSON.parse(JSON.stringify(openApi()));

const isReference = (part: object): part is Reference => "$ref" in part;

/** Resolves references into the components of the document. */
const among =
  <T extends object>(kind: string, known: Record<string, T>) =>
  (part: T | Reference): T => {
    if (!isReference(part)) return part;
    const prefix = `#/components/${kind}/`;
    const found = part.$ref.startsWith(prefix) ? known[part.$ref.slice(prefix.length)] : undefined;
    if (found === undefined) throw new Error(`${part.$ref} leads nowhere`);
    return found;
  };

const parameterOf = among("parameters", document.components.parameters);
const responseOf = among("responses", document.components.responses);
const headerOf = among("headers", document.components.headers);

const OPERATIONS: Operation[] = Object.entries(document.paths).map(([path, { get }]) => ({
  path,
  parameters: (get.parameters ?? []).map(parameterOf),
  responses: Object.fromEntries(
    Object.entries(get.responses).map(([status, response]) => [status, responseOf(response)]),
  ),
  isSeries: get.security === undefined,
}));

const START = at("2025-03-01");
let client: Client;
/** The paths of the files of an asset. */
let filePaths: string[];
/** The build of ARIA. */
const BUILD = "64874e0a1b2c3d4e";

let tried = 0;

/** When it began to be logged what was known. */
const KNOWN_SINCE = "2026-01-01T02:00:00.000Z";

/** The entry of an activation. */
const CHANGE: ChangeEntry = {
  schema: 1,
  symbol: "ARIA",
  n: 1,
  previous: null,
  build: BUILD,
  previousBuild: "0123456789abcdef",
  asOf: "2026-01-01T00:00:00Z",
  activated: "2026-01-01T01:00:00Z",
  nights: [],
  uncompared: 0,
  causes: [{ kind: "engine", now: "3", before: "2" }],
  series: [{ resolution: "day", metric: "sopr", first: START, points: 2, appeared: 1, disappeared: 0, largest: 0.5 }],
};

/** Two buckets of each distribution; by day only, for weeks and months are not published. */
const distributionsOf = (name: DistributionName, resolution: DistributionResolution): Series[] => {
  if (resolution !== "day") return [];
  const buckets = name === "cost_basis" ? ["0", "k-12"] : ["2024-12", "2025-03"];
  const t = Float64Array.from([6, 9], (day) => START + day * DAY);
  return DISTRIBUTION_FIELDS.flatMap((field) =>
    DISTRIBUTION_SELECTORS.flatMap((selector) =>
      buckets.map((bucket) => ({ selector: bucketSeries(field, selector, bucket), t, v: Float64Array.of(1, 2.5) })),
    ),
  );
};

const DEMO_ADDRESS = "0xe5139a8471078efe7a9843d2108f1ec913bd3111";

/** One holds the token, the other one no more. */
const HOLDERS: StoredHolders = {
  rows: [10n ** 18n, 0n].map((balance, n) => ({
    ...{
      address: [DEMO_ADDRESS, `0x${"0".repeat(40)}`][n]!,
      label: 3 * n,
      balance,
      basis: 0.5 - 0.5 * n,
      since: START,
      sent: 2.5,
    },
    ...{ firstEvent: START, lastEvent: START + DAY, realised: -1.5, receipts: 1, sends: 2, cohorts: [0] },
  })),
  price: 2,
  cohorts: ["@team"],
  days: [{ day: START, supply: 10n ** 18n, largest: [[DEMO_ADDRESS, 10n ** 18n]] }],
  groupRows: 2,
  hasLists: false,
};

beforeAll(async () => {
  const period = { name: "all", from: START, to: START + 31 * DAY };
  await Promise.all([
    putKey(),
    putKey(REVOKED, { status: "revoked" }),
    putKey(EXPIRED, { expires: "2024-02-01T00:00:00Z" }),
    publish(env.BUCKET, {
      symbol: "ARIA",
      build: BUILD,
      periods: { day: [period], hour: [period], block: [period] },
      range: { day: [START, START + 30 * DAY], hour: [START, START + 743 * HOUR] },
      ...QUALITY,
      series: () => [0, 1, 5, 9, 30].map((day) => ({ t: START + day * DAY, v: 0.1 + day * 1e20 })),
      distributions: distributionsOf,
      holders: HOLDERS,
      transfers: [
        ...[0, 1].map((n) => ({
          ...{ time: START + n * DAY, block: 5 + n, logIndex: n, from: DEMO_ADDRESS, to: `0x${"2".repeat(40)}` },
          ...{ fromLabel: 0, toLabel: 2 + n, price: n, raw: 10n ** 18n },
        })),
      ],
      events: [
        { t: START, title: "Listing, at last", link: "https://example.org/a" },
        { t: START + DAY, title: "Upgrade" },
      ],
    }),
    publish(env.BUCKET, {
      symbol: "ARIA2",
      periods: { day: [period], hour: [period], block: [period] },
      range: { day: [START + 5 * DAY, START + 20 * DAY], hour: [START, START + 500 * HOUR] },
      series: () => [6, 9].map((day) => ({ t: START + day * DAY, v: day })),
      distributions: distributionsOf,
    }),
    publish(env.BUCKET, {
      symbol: "FILE",
      metrics: ["sopr", "volume"],
      periods: { day: [period], hour: [{ ...period, name: "2025" }], block: [{ ...period, name: "2025-03" }] },
      range: { day: [START, START + DAY], hour: [START, START + HOUR] },
      series: () => [{ t: START, v: 1 }],
    }),
    // Not every asset has every resolution.
    publish(env.BUCKET, { symbol: "DUET", periods: { day: [] }, ...QUALITY, series: () => [] }),
  ]);
  for (const symbol of ["ARIA", "DUET"]) {
    const manifest = parseManifest(await (await env.BUCKET.get(currentKey(symbol)))!.text());
    const lines = [knownLine(manifest, 1, KNOWN_SINCE, null)];
    const known = { since: KNOWN_SINCE, lines, older: null };
    await env.BUCKET.put(changeKey(symbol, 1), JSON.stringify({ ...CHANGE, symbol, build: manifest.build, known }));
  }
  client = freshIsolate({ edge: caches.default });
  const { files } = await (await client.fetch("/v3/files/FILE")).json<{ files: { path: string }[] }>();
  filePaths = files.map(({ path }) => `/v3/files/file/${path}`);
});

/** By the schema as a text: operations share most schemas, and a validator takes longer to make than to use. */
const validators = new Map<string, Validator>();

function validator(schema: string): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify({ ...JSON.parse(schema), $defs: document.components.schemas });
  const made = new Validator(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")), "2020-12");
  validators.set(schema, made);
  return made;
}

/** Schemas with the texts that they have allowed: many requests have the same answer. */
const valid = new Set<string>();

function expectValid(schema: string, text: string, isJson: boolean): void {
  const pair = `${schema} ${text}`;
  if (valid.has(pair)) return;
  const { valid: isValid, errors } = validator(schema).validate(isJson ? JSON.parse(text) : text);
  expect(isValid, `${text.slice(0, 300)} ${JSON.stringify(errors)}`).toBe(true);
  valid.add(pair);
}

async function send({ path, query, headers, method }: Ask): Promise<Response> {
  tried++;
  // Without this, the client would add the key that works.
  const key = query.some(([name]) => name === "api_key") ? [] : [["api_key", ""]];
  return client.fetch(`${path}?${new URLSearchParams([...query, ...key])}`, { method, headers });
}

/** Fails unless the document declares the answer. */
async function expectDeclared({ responses }: Operation, ask: Ask, response: Response): Promise<void> {
  const text = new TextDecoder().decode(await response.arrayBuffer());
  const declared = responses[response.status];
  expect(declared, `${response.status} is not declared: ${text}`).toBeDefined();
  for (const [name, header] of Object.entries(declared!.headers)) {
    if (headerOf(header).required) expect(response.headers.has(name), name).toBe(true);
  }
  for (const name of Object.keys(document.components.headers)) {
    if (response.headers.has(name)) expect(Object.keys(declared!.headers)).toContain(name);
  }
  const mediaType = response.headers.get("Content-Type")?.split(";")[0];
  if (declared!.content === undefined) {
    expect([mediaType, text]).toEqual([undefined, ""]);
    return;
  }
  expect(Object.keys(declared!.content)).toContain(mediaType);
  if (ask.method === "HEAD") {
    expect(text).toBe("");
    return;
  }
  expectValid(JSON.stringify(declared!.content[mediaType!]!.schema), text, /[/+]json$/.test(mediaType!));
  if (mediaType === "application/problem+json") expect(JSON.parse(text).status).toBe(response.status);
}

/** Whether the document allows the query: only its parameters, each once, all required ones, and valid values. */
function allows({ parameters }: Operation, { query }: Ask): boolean {
  const given = query.filter(([name]) => name !== "api_key");
  const names = new Set(given.map(([name]) => name));
  return (
    names.size === given.length &&
    parameters.every((parameter) => isOfPath(parameter) || !parameter.required || names.has(parameter.name)) &&
    given.every(([name, value]) => {
      const { schema } = parameters.find((parameter) => parameter.name === name) ?? {};
      if (schema === undefined) return false;
      // A space stands for a plus sign that was not escaped.
      const meant = value.replaceAll(" ", "+");
      const { items, maxItems = 1 } = schema;
      if (items === undefined) return allowsValue(schema, meant);
      const values = meant.split(",");
      return values.length <= maxItems && values.every((one) => allowsValue(items, one));
    })
  );
}

const allowsValue = ({ enum: values, pattern, anyOf }: ValueSchema, value: string): boolean =>
  anyOf?.some((schema) => allowsValue(schema, value)) ?? values?.includes(value) ?? new RegExp(pattern!).test(value);

const anyText = fc.string({ unit: ANY_CHARACTER, maxLength: 30 });
const method = fc.constantFrom("GET", "GET", "HEAD");
const ifNoneMatch = fc.constantFrom({}, {}, { "If-None-Match": "*" }, { "If-None-Match": '"a", W/"b"' });

/** Values of parameters that have a form; times in every form, before and after the middle of the range. */
const VALUES: Record<string, string[]> = {
  s: ["-1", "1740787200", "2025-03-01", "2025-03-02T10:00", "2025-03-02T10:00:00.250Z", "2025-03-02T10:00+01:00"],
  last: ["1", "30"],
  around: ["1", "10", "100"],
  sb: ["0"],
  ub: ["20000000"],
  build: [BUILD],
  known: ["first", KNOWN_SINCE, "2999-12-31"],
  x: ["sopr * 2", "ma=sma(sopr:users, 7); DUET.price"],
  metric: ["sopr"],
  before: ["1", "100"],
  at: ["2025-03-01", "1740787200", "2025-03-02T10:00+01:00", "-1w"],
  limit: ["1", "10", "1000"],
  offset: ["0", "1", "9000"],
  address: [DEMO_ADDRESS, `0X${"Ab".repeat(20)}`],
  maxAge: ["9999d"],
  u: ["2025-03-20", "1742860800", "2025-03-25T00:00:00", "2025-03-25T00:00-05:30", "2999-12-31"],
};

/** The names that a parameter takes, and the pattern of what else it takes. */
function formsOf({ items, ...schema }: Parameter["schema"]): ValueSchema {
  const { anyOf = [], ...one } = items ?? schema;
  return Object.assign({}, one, ...anyOf);
}

/** A value that the Worker accepts, whatever the other values are. */
function goodValue({ name, schema }: Parameter): fc.Arbitrary<string> {
  const { enum: values } = formsOf(schema);
  if (values) return fc.constantFrom(...values);
  if (name === "a" || name === "asset") return fc.constantFrom("ARIA", "aria", "Aria");
  if (name === "file") return fc.constantFrom(...filePaths.map((path) => path.split("/").at(-1)!));
  return fc.constantFrom(...VALUES[name]!);
}

/** A value that the document allows, or one that it does not. */
function anyValue(parameter: Parameter): fc.Arbitrary<string> {
  const { pattern } = formsOf(parameter.schema);
  const lists = parameter.schema.items
    ? [fc.array(fc.oneof(goodValue(parameter), anyText), { maxLength: 3 }).map((values) => values.join())]
    : [];
  // In upper case, ı is I, too.
  const others = parameter.name === "a" ? [fc.constantFrom("DUET", "arıa")] : [];
  const ofForm = pattern ? [fc.stringMatching(new RegExp(pattern))] : [];
  return fc.oneof({ weight: 5, arbitrary: goodValue(parameter) }, anyText, ...others, ...ofForm, ...lists);
}

function pathOf(path: string, values: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!));
}

const ofPath = (parameters: Parameter[], value: (parameter: Parameter) => fc.Arbitrary<string>) =>
  fc.record(Object.fromEntries(parameters.filter(isOfPath).map((parameter) => [parameter.name, value(parameter)])));
const isOfPath = (parameter: Parameter) => parameter.in === "path";

/** Each parameter of the query, with a value or without. */
const ofQuery = (
  parameters: Parameter[],
  value: (parameter: Parameter) => fc.Arbitrary<string>,
  isNeeded: (parameter: Parameter) => boolean,
) =>
  fc
    .tuple(
      ...parameters
        .filter((parameter) => !isOfPath(parameter))
        .map((parameter) => {
          const pair = value(parameter).map((text): [string, string] => [parameter.name, text]);
          return isNeeded(parameter) ? pair : fc.option(pair);
        }),
    )
    .map((pairs) => pairs.filter((pair) => pair !== null));

/** What v3 takes: last without s, and no times before 1970. */
const ofV3 = (query: [string, string][]) =>
  query.filter(([name, value]) => name !== "s" || !(value === "-1" || query.some(([other]) => other === "last")));

/** The largest at a day go without an order and a group. */
const ofHolders = (query: [string, string][]) =>
  query.some(([name]) => name === "at") ? query.filter(([name]) => !["sort", "order", "group"].includes(name)) : query;

/** Whether a parameter of v3 excludes others, or needs them. */
const isExclusive = ({ name }: Parameter) => ["last", "sb", "ub", "known", "at"].includes(name);

const subset = (...values: string[]) => fc.shuffledSubarray(values, { minLength: 1 }).map((chosen) => chosen.join());

/** A request for a table that must succeed: not every metric has every resolution. */
const goodTable: fc.Arbitrary<[string, string][]> = fc
  .record({
    a: fc.oneof(subset("ARIA", "aria2"), fc.constantFrom("ARIA", "Aria")),
    r: fc.constantFrom("day", "hour", "block"),
    m: subset("sopr", "volume", "num_transfers"),
    c: fc.constantFrom("*", undefined),
    range: fc.constantFrom(
      ...[
        {},
        { build: BUILD },
        { s: "2025-03-05" },
        { s: "-30d", u: "-12h" },
        { s: "-1m" },
        { last: "1" },
        { last: "30", u: "-1w" },
        { known: "first" },
        { known: KNOWN_SINCE, s: "-30d" },
      ],
    ),
    x: fc.constantFrom(undefined, undefined, "volume * 2", "half = sopr / 2; -volume"),
    time: fc.constantFrom("iso", "unix", undefined),
    f: fc.constantFrom("json", "csv", "ndjson", "arrow", "parquet", undefined),
  })
  .map(({ range, c, ...rest }) => {
    const isLarge = rest.a.includes(",") || rest.m.includes(",") || rest.r === "block";
    // ARIA has that build, and a log of what was known, and alone.
    const { build, known, ...bounds } = range;
    const own = rest.a.toUpperCase() === "ARIA" ? { build, known } : {};
    const query = { ...rest, ...bounds, ...own, c: isLarge ? undefined : c };
    return Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  });

const isFile = (path: string) => path.includes("{file}");
const fileHeaders = fc
  .tuple(ifNoneMatch, fc.constantFrom({}, { Range: "bytes=0-3" }, { Range: "bytes=-8" }, { Range: "bytes=0-1,3-4" }))
  .map(([condition, range]) => ({ ...condition, ...range }));

/** A request that must succeed. */
function goodAsk({ path, parameters, isSeries }: Operation): fc.Arbitrary<Ask> {
  const parts = {
    path: isFile(path)
      ? fc.constantFrom(...filePaths)
      : ofPath(parameters, goodValue).map((values) => pathOf(path, values)),
    query:
      path === "/v3/series"
        ? goodTable
        : ofQuery(parameters, goodValue, ({ required }) => required).map((query) =>
            /^\/v3\/(distributions|transfers)\//.test(path) ? ofV3(query) : ofHolders(query),
          ),
    headers: isFile(path) ? fileHeaders : ifNoneMatch,
    method,
  };
  return fc.record(parts).map(({ path, query, headers, method }) => ({
    path,
    query: isSeries ? [...query, ["api_key", KEY]] : query,
    headers,
    method,
  }));
}

const keys = fc.constantFrom(KEY, KEY, KEY, KEY.toUpperCase(), REVOKED, EXPIRED, UNKNOWN, "demo", "");
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ query: [["api_key", KEY] as [string, string]], headers: {} }) },
  keys.map((text) => ({ query: [["api_key", text] as [string, string]], headers: {} })),
  keys.map((text) => ({ query: [], headers: { "X-Api-Key": text } })),
  keys.map((text) => ({ query: [], headers: { Authorization: `Bearer ${text}` } })),
  fc.constant({ query: [], headers: {} }),
);

/** Names that do not belong there, or are given twice. */
const strayName = fc.oneof(fc.constantFrom("a", "s", "u", "r", "c", "t", "f", "api_key", "asset", "since"), anyText);

/** Any request for the path, valid or not. */
function anyAsk({ path, parameters }: Operation): fc.Arbitrary<Ask> {
  const segment = (parameter: Parameter) => fc.oneof(goodValue(parameter), anyText.filter(isSegment));
  const ranges = fc.constantFrom("bytes=9-", "bytes=99999999-", "bytes=-0", "rows=1").map((Range) => ({ Range }));
  const conditions = fc.constantFrom({ "If-Match": '"x"' }, { "If-Match": "*" }, { "If-Range": '"x"' });
  const parts = {
    values: ofPath(parameters, segment),
    query: ofQuery(parameters, anyValue, () => false),
    stray: fc.option(fc.tuple(strayName, anyText), { freq: 8 }),
    key,
    headers: isFile(path) ? fc.oneof(fileHeaders, ranges, conditions) : ifNoneMatch,
    method,
  };
  return fc.record(parts).map(({ values, query, stray, key, headers, method }) => ({
    path: pathOf(path, values),
    query: [...query, ...key.query, ...(stray ? [stray] : [])],
    headers: { ...headers, ...key.headers },
    method,
  }));
}

/** Whether a text can be a segment of a path; others would make another path. */
const isSegment = (text: string) => !["", ".", ".."].includes(text);

describe("the document", () => {
  it("has every series, each page, and every problem that they may answer with", () => {
    const series = OPERATIONS.filter(({ isSeries }) => isSeries).map(({ path }) => path);
    expect([series.length, series.at(-1)]).toEqual([66, "/v3/files/{asset}/{resolution}/{metric}/{file}"]);
    expect(OPERATIONS.filter(({ isSeries }) => !isSeries).map(({ path }) => path)).toEqual([
      ...["/v1/assets", "/v1/metrics", "/v1/metrics/{metric}/meta"],
      ...["/v2/assets", "/v2/metrics", "/v2/metrics/{metric}/meta"],
      ...["/v3/assets", "/v3/assets/{asset}", "/v3/assets/{asset}/builds", "/v3/assets/{asset}/changes"],
      ...["/v3/status", "/v3/distributions", "/v3/metrics", "/v3/metrics/{metric}"],
      ...["/health", "/openapi.json", "/llms.txt", "/explorer.json", "/problems/{type}"],
    ]);
    for (const { responses } of OPERATIONS) expect(Object.keys(responses)).toContain("429");
    const described = Object.keys(document.components.schemas).filter((name) => name.startsWith("Problem."));
    expect(described.sort()).toEqual(
      Object.keys(PROBLEMS)
        .map((type) => `Problem.${type}`)
        .sort(),
    );
  });

  it("forbids the asset arıa, whose capitals are ARIA, and so does the Worker", async () => {
    const response = await client.fetch("/v1/metrics/sopr?a=arıa");
    expect([response.status, await response.json()]).toMatchObject([404, { type: "/problems/unsupported-asset" }]);
  });

  it("is what the Worker answers", async () => {
    const response = await client.fetch("/openapi.json");
    expect(await response.json()).toEqual(document);
  });
});

describe.each(OPERATIONS)("$path", (operation) => {
  it("answers its examples with data", async () => {
    const parameters = operation.parameters.filter((parameter) => !isExclusive(parameter));
    // The tests' data is older than that of the example may be.
    const exampleOf = ({ name, example }: Parameter) => (name === "maxAge" ? VALUES.maxAge![0]! : String(example));
    const pairs = parameters.map((parameter): [string, string] => [parameter.name, exampleOf(parameter)]);
    const query = pairs.filter((_, index) => !isOfPath(parameters[index]!));
    const path = isFile(operation.path) ? filePaths[0]! : pathOf(operation.path, Object.fromEntries(pairs));
    const ask = { path, headers: {}, method: "GET" };
    const response = await send({ ...ask, query: operation.isSeries ? [...query, ["api_key", KEY]] : query });
    expect(response.status).toBe(200);
    if (!operation.isSeries || isFile(operation.path)) return;
    if (!response.headers.get("Content-Type")!.endsWith("json")) {
      expect(await response.text()).toContain("/v3/files/ARIA/");
      return;
    }
    const answer = await response.json<object>();
    const [rows = answer] = Object.values(answer).filter(Array.isArray);
    expect(rows).not.toEqual([]);
  });

  it("answers what the document allows with 200 or 304, as declared", async () => {
    const property = fc.asyncProperty(goodAsk(operation), async (ask) => {
      const response = await send(ask);
      const isRange = ask.headers.Range?.includes(",") === false && ask.method === "GET";
      const isSame = ask.headers["If-None-Match"] === "*" && response.headers.has("ETag");
      const wanted = isSame ? 304 : isRange ? 206 : 200;
      expect(response.status).toBe(wanted);
      await expectDeclared(operation, ask, response);
    });
    await fc.assert(property, { numRuns: good(operation) });
  });

  it("answers anything as declared", async () => {
    const property = fc.asyncProperty(anyAsk(operation), async (ask) => {
      const response = await send(ask);
      if (!allows(operation, ask)) expect(response.status).toBeGreaterThanOrEqual(400);
      await expectDeclared(operation, ask, response);
    });
    await fc.assert(property, { numRuns: any(operation) });
  });
});

it.each([
  ["/v1/metrics/sopr", "POST", 405],
  ["/v1/assets", "DELETE", 405],
  ["/v4/assets", "GET", 404],
  ["/v1/metrics/sorp", "GET", 404],
  ["/nowhere", "GET", 404],
])("%s %s is answered as the document declares any other error", async (path, method, status) => {
  const { responses } = OPERATIONS[0]!;
  const response = await client.fetch(path, { method });
  expect(response.status).toBe(status);
  const ask = { path, method, query: [], headers: {} };
  await expectDeclared({ ...OPERATIONS[0]!, responses: { [status]: responses.default! } }, ask, response);
});

it.each(OPERATIONS.filter(({ path }) => ["/v1/metrics/sopr", "/v1/assets"].includes(path)))(
  "$path refuses too many requests as declared",
  async (operation) => {
    const limited = freshIsolate({ limits: { LIMIT_ADDRESS: env.LIMIT_ADDRESS } });
    const headers = { "CF-Connecting-IP": `198.51.100.${operation.path}` };
    const ask = { path: `${operation.path}?api_key=`, query: [], headers, method: "GET" };
    let response = await limited.fetch(ask.path, { headers });
    // More than two windows allow, so that one is exhausted wherever the minute ends.
    for (let i = 0; i < 2 * ADDRESS_LIMIT.requests && response.status !== 429; i++) {
      response = await limited.fetch(ask.path, { headers });
    }
    expect(response.status).toBe(429);
    expect(response.headers.has("RateLimit-Policy")).toBe(true);
    await expectDeclared(operation, ask, response);
  },
);

it("/health is as declared if a manifest cannot be read", async () => {
  const bucket = alteringBucket(
    env.BUCKET,
    (bytes) => bytes.fill(0x20),
    (key) => key === currentKey("DUET"),
  );
  const response = await freshIsolate({ bucket }).fetch("/health");
  expect([response.status, await response.clone().json()]).toMatchObject([503, { unreadable: ["DUET"] }]);
  const operation = OPERATIONS.find(({ path }) => path === "/health")!;
  await expectDeclared(operation, { path: "/health", query: [], headers: {}, method: "GET" }, response);
});

it("was asked for thousands of answers", () => {
  const expected = OPERATIONS.map((operation) => 1 + good(operation) + any(operation));
  expect(tried).toBe(expected.reduce((sum, requests) => sum + requests));
  expect(tried).toBeGreaterThan(2_000);
});
