/** GET /llms.txt: what a language model needs to use the API, from the same tables as the rest of the catalog. */

import { ADDRESS_LIMIT } from "../../data-schema/access.ts";
import { FUNCTIONS, signature } from "../../data-schema/formula.ts";
import {
  DISTRIBUTION_DESCRIPTIONS,
  DISTRIBUTION_NAMES,
  METRICS,
  metricNames,
  NAMED_FORMULAS,
  RESOLUTIONS,
  type Selector,
  SIGNS,
  V1_GROUPS,
  V1_RESOLUTIONS,
  VERSIONS,
  type Version,
} from "../../data-schema/registry.ts";
import {
  HOLDER_COLUMNS,
  LARGE_TRANSFER_COLUMNS,
  LARGEST_COLUMNS,
  MOST_LARGE_TRANSFERS,
  SCREENER_COLUMNS,
} from "../../data-schema/stored.ts";
import { PROBLEMS, problemPath, TYPES } from "../problems/problems.ts";
import { HOLDERS_PARAMETERS } from "../request/parameters/holder-parameters.ts";
import { mostSeries, TABLE_PARAMETERS, type TableParameter } from "../request/parameters/table-parameters.ts";
import { TRANSFERS_PARAMETERS } from "../request/parameters/transfer-parameters.ts";
import { describesSeries } from "../request/parameters/v1-parameters.ts";
import { type Endpoint, route, seriesPath } from "../request/route.ts";
import { describesTable } from "./table-metrics.ts";

const INTRODUCTION = `# Soprano

> On-chain metrics of ERC-20 tokens over time: realised profit and loss, volume, supply, exchange flows, price, by address cohort; by block, hour, day, week and month. Read-only HTTP: JSON, CSV, Arrow, Parquet.

- Series: GET /v3/series?a=<assets>&m=<metrics> for several on one time line (prefer it), GET /v1/metrics/<metric>?a=<asset> for one. Both need an API key: as the header X-Api-Key, as Authorization: Bearer, or as the parameter api_key.
- For example: curl -H 'X-Api-Key: …' 'https://…/v3/series?a=ARIA&m=sopr,price&s=-30d'
- An answer of v1 is [{"t":"2025-03-01T00:00:00","v":0.61},…], ascending; t is UTC without an offset. f=csv gives lines of t,v.
- Both ends of s and u are inclusive. u=2025-03-03 is that day's midnight: for all its hours write u=2025-03-03T23:59:59.
- A metric without r has a point a day. By day and hour, it has one for each of the asset's range, 0 where nothing happened; where it says "only where defined", and by block, it has fewer.
- Names and values are case-sensitive, but for the key and a. Nothing is ignored: an unknown, repeated or empty parameter is an error.
- In a URL, escape < as %3C and + as %2B.
- Errors are problem documents (RFC 9457): go by type; allowed and suggestion say what to write instead.
- A key has a number of requests a minute, which RateLimit-Policy tells; without a key it is ${ADDRESS_LIMIT.requests} for an address. On 429 wait as long as Retry-After says. There is no limit on the range: ask for years at once.
- Addresses: GET /v3/holders?a=<asset> for the largest, most profitable, newest …; GET /v3/holders/<address> for one. With a key.
- Large transfers: GET /v3/transfers/largest?a=<asset> for the last day; events of an asset's calendar: GET /v3/assets/<asset>/events. With a key.
- Agents can use POST /mcp instead (Model Context Protocol, streamable HTTP, the same key): it finds metrics by words, sums series up, and links to charts.
- Charts that speak TradingView's UDF protocol ask /udf (config, symbols, search, history, time), with symbols such as ARIA:sopr:lth; history needs the key.
- Keep the ETag of an answer and send it as If-None-Match: 304 means nothing has changed.

## Catalog, without a key

- [Assets](/v3/assets): symbol, contract, first and last point by resolution, edges of balance cohorts; and how far to trust the data: its age, gaps in the price, and how much of supply and volume the labels of exchanges and contracts cover
- [Metrics](/v3/metrics): unit, formula and its signs, resolutions, selectors; one of them at /v3/metrics/<metric>
- The same for v1: /v1/assets, /v1/metrics with the parameters of each metric, /v1/metrics/<metric>/meta
- Whether history was restated: /v3/assets/<asset>/changes, an entry for each activation, the newest first; changedFrom is null if nothing that had been published changed. /v3/assets/<asset>/builds lists the builds for the parameter build of /v3/series
- [OpenAPI 3.1](/openapi.json)
- [Methodology](/methodology): how every metric is computed, with a worked example; of one metric at /methodology#<metric>
- [Status](/v3/status): how fresh each asset's data is, what was checked
- [Health](/health): how old the data is
`;

/** The whole text. */
export function llms(): string {
  const section = (title: string, lines: string[]) => `## ${title}\n\n${lines.join("\n")}\n`;
  const signs = Object.entries(SIGNS).map(([sign, meaning]) => `- ${sign}: ${meaning}`);
  const sets = selectors().map(({ title, values }, index) => `- Set ${index + 1} (${title}): ${values.join(", ")}`);
  const errors = TYPES.map((type) => `- ${PROBLEMS[type].status} ${problemPath(type)}: ${PROBLEMS[type].meaning}`);
  return [
    INTRODUCTION,
    section("GET /v3/series", tableLines()),
    section("GET /v3/distributions", DISTRIBUTION_LINES),
    section("GET /v3/holders", holderLines()),
    section("GET /v3/transfers/largest", transferLines()),
    section("GET /v3/assets/<asset>/events", EVENT_LINES),
    section("GET /v3/screener", SCREENER_LINES),
    section("Parameters of /v1/metrics/<metric> and /v2/metrics/<metric>", parameterLines()),
    section("Parquet files", FILES),
    section("Signs in formulas", signs),
    ...VERSIONS.map((version) => section(`Metrics of ${version}`, metricLines(version))),
    section("Values of c and t", sets),
    section("Errors", errors),
  ].join("\n");
}

const SCREENER_LINES = [
  `- One row per asset: ${SCREENER_COLUMNS.map(({ name, formula }) => (name === formula ? name : `${name} (${formula})`)).join(", ")}.`,
  "- Each has v, its changes 1d, 7d and 30d (differences; of price and market_cap fractions) and pct, the share of the last 365 days on which it was at most as high. f=json (default) or csv, where they are mvrv, mvrv_1d, mvrv_7d, mvrv_30d, mvrv_pct. It needs a key.",
];

const DISTRIBUTION_LINES = [
  ...DISTRIBUTION_NAMES.map((name) => `- GET /v3/distributions/${name}?a=<asset>: ${DISTRIBUTION_DESCRIPTIONS[name]}`),
  "- c=total (default) or users, and of cost_basis and acquired, for assets with lots, a method such as fifo, or fifo.users; r=day, week or month; s, u, last and time as in /v3/series; f=json, csv, ndjson, arrow or parquet. It needs a key; /v3/distributions lists them without.",
  '- json: {"buckets":[{"name","from","to"}],"t":[…],"supply":[[…]],"realised_cap":[[…]],"num_addresses":[[…]]}: for each t a row, in it a number for each bucket. The others have a row for each bucket that is not empty.',
  "- For example: /v3/distributions/cost_basis?a=ARIA&last=1",
];

/** What v3 tells of addresses. */
const holderLines = () => [
  `- GET /v3/holders?a=<asset>: its addresses at the close of the last complete day, in an order, as {"asset","build","asOf","holders":[{${HOLDER_COLUMNS.map(({ name }) => `"${name}"`).join(",")}}]}. It needs a key.`,
  ...HOLDER_COLUMNS.flatMap((column) => {
    const unit = column.type === "number" ? ` (${column.unit})` : "";
    return column.name === "address" ? [] : [`- ${column.name}${unit}: ${column.description}`];
  }),
  ...parameterLinesOf(HOLDERS_PARAMETERS),
  `- With at, the holders are the largest at that day's close: ${LARGEST_COLUMNS.map(({ name }) => name).join(", ")}; sort, order and group go without it.`,
  `- GET /v3/holders/<address> (a=<assets>): a row an asset, of all assets if a is left out: {"address","holders":[{"asset","build","asOf","address",…}]}; no row where it has never held the token.`,
  "- For example, the ten largest losses: /v3/holders?a=ARIA&sort=unrealised_profit&order=asc&limit=10",
];

/** What v3 tells of large transfers. */
const transferLines = () => [
  `- The ${MOST_LARGE_TRANSFERS} largest transfers of each complete day by dollars, day by day, the largest first, as {"asset","build","asOf","transfers":[{${LARGE_TRANSFER_COLUMNS.map(({ name }) => `"${name}"`).join(",")}}]}. Mints and burns are no transfers. It needs a key.`,
  ...LARGE_TRANSFER_COLUMNS.map(({ name, description }) => `- ${name}: ${description}`),
  ...parameterLinesOf(TRANSFERS_PARAMETERS),
  "- For example, those of two days: /v3/transfers/largest?a=ARIA&s=2025-03-01&u=2025-03-02",
];

const EVENT_LINES = [
  '- The calendar of an asset, ascending: {"asset","build","asOf","events":[{"t":"2025-03-01T00:00:00","title":"Listing","link":"https://…"}]}; link may be null. f=json, csv, ndjson, arrow or parquet. It needs a key; /v3/assets says by events how many there are.',
];

const FILES = [
  "- GET /v3/files/<asset> lists the stored files of an asset, with a key: path, url, resolution, metric, period, bytes, rows, sha256, first, last. A file has every cohort: columns cohort, t, v, and block at block resolution. Sums hold no zeros.",
  "- GET /v3/files/<asset>/<path> is a file. It never changes, and takes Range: DuckDB reads parts of it with CREATE SECRET (TYPE http, EXTRA_HTTP_HEADERS MAP {'X-Api-Key': '…'}) and read_parquet('https://…').",
  "- GET /v3/duckdb.sql?a=<assets> (r=<resolutions>), with a key, is a script of views for DuckDB: series_day, series_hour, … with asset, metric, selector, t, v, a row a point. Run SET VARIABLE soprano_key = '…' before it: the script itself holds no key.",
];

/** The parameters of a path of v3, a line each. */
const parameterLinesOf = (parameters: readonly TableParameter<string>[]): string[] =>
  parameters.filter(describesTable).map(({ name, description, forms, list, default: preset }) => {
    const takes = [...(list ? ["comma-separated"] : []), ...(forms ?? []), ...(preset ? [`default ${preset}`] : [])];
    return `- Parameter ${name}: ${description}${takes.length > 0 ? ` (${takes.join("; ")})` : ""}`;
  });

/** What v3 adds. */
function tableLines(): string[] {
  return [
    "It answers several assets, metrics and selectors on one time line, from one build of each asset.",
    "",
    '- json is columnar: {"builds":{…},"asOf":{…},"resolution":"day","t":[…],"series":[{"asset":"ARIA","metric":"sopr","selector":"total","unit":"ratio","v":[…]}]}; v has a value or null for each t.',
    "- csv, ndjson, arrow (an IPC stream) and parquet have a row a time, and columns named <asset>:<metric>:<selector>, or <asset>:<name> for formulas.",
    `- An answer has up to ${mostSeries("day")} series, ${mostSeries("hour")} at r=hour, ${mostSeries("block")} at r=block.`,
    ...parameterLinesOf(TABLE_PARAMETERS),
    "- For example: /v3/series?a=ARIA&m=sopr,supply&c=*&s=-30d",
    "- Formulas: /v3/series?a=ARIA&x=sma(sopr:lth,7);dd=price/realised_price-1. Functions: " +
      `${FUNCTIONS.map(signature).join(", ")}. A value is that of the whole history, whatever the range.`,
    `- Formulas with names, in m: ${NAMED_FORMULAS.map(({ name, text }) => `${name} = ${text}`).join("; ")}.`,
    "",
    "Metrics and resolutions that only v3 has:",
    "",
    ...METRICS.filter(({ name }) => !metricNames("v1").includes(name)).map(
      ({ name, unit, description }) => `- ${name} (${unit}): ${description}`,
    ),
    `- r=${RESOLUTIONS.filter((one) => !V1_RESOLUTIONS.some((known) => known === one)).join(", r=")}`,
  ];
}

const endpoints = (version: Version): Endpoint[] => metricNames(version).map((name) => route(version, name));

function parameterLines(): string[] {
  const parameters = endpoints("v1").flatMap(({ parameters }) => parameters.filter(describesSeries));
  const taken = Map.groupBy(parameters, ({ name }) => name);
  return Array.from(taken, ([name, variants]) => {
    const { description, required, forms, values, default: preset } = variants[0]!;
    const titles = [...new Set(variants.map(({ title }) => title))].join(" or ");
    const form = forms ? ` Forms: ${forms.join(", ")}.` : "";
    const isSame = variants.every((variant) => String(variant.values) === String(values));
    const choice = values === undefined ? "" : isSame ? ` ${values.join(", ")}; default ${preset}.` : " Values: below.";
    return `- ${name}${required ? " (required)" : ""}: ${titles}. ${description}${form}${choice}`;
  });
}

function metricLines(version: Version): string[] {
  return Object.entries(V1_GROUPS).flatMap(([group, title]) => {
    const members = endpoints(version).filter(({ metric }) => metric.group === group);
    return members.length === 0 ? [] : [`### ${title}`, ...members.map(metricLine)];
  });
}

function metricLine(endpoint: Endpoint): string {
  const { metric } = endpoint;
  const choices = endpoint.parameters.flatMap(({ name, values, default: preset }) => {
    if (values === undefined || name === "f") return [];
    return name === "r" ? [`r=${values.join("|")}`] : [`${name}: set ${setNumber(endpoint)}, default ${preset}`];
  });
  const takes = choices.length > 0 ? ` Takes ${choices.join("; ")}.` : "";
  const unit = metric.shape === "ratio" ? `${metric.unit}, only where defined` : metric.unit;
  return `- ${seriesPath(endpoint)} (${unit}): ${metric.description} ${metric.formula}.${takes}`;
}

/** Every set of values that selects a metric's series. */
function selectors(): Selector[] {
  const all = VERSIONS.flatMap(endpoints).map(({ selector }) => selector);
  return [...new Set(all.filter((selector) => selector !== null))];
}

/** A number for each set. */
function setNumber({ selector }: Endpoint): number {
  return selectors().indexOf(selector!) + 1;
}
