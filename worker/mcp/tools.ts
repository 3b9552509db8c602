/** The tools of POST /mcp: what they take and give, and what they do. */

import type { JSONObject } from "@modelcontextprotocol/server";
import { LOOKS, MOST_CHART_LINES, MOST_UNITS, PANE_ENDS, RANGES } from "../../data-schema/chart-link.ts";
import { FUNCTIONS, MEASURES } from "../../data-schema/formula.ts";
import {
  DISTRIBUTION_NAMES,
  lotCohortsOf,
  METRICS,
  RESOLUTIONS,
  SIGNS,
  selectorIn,
} from "../../data-schema/registry.ts";
import {
  HOLDER_GROUPS,
  HOLDER_ORDERS,
  HOLDER_SORTS,
  MOST_LARGE_TRANSFERS,
  SCREENER_COLUMNS,
} from "../../data-schema/stored.ts";
import { tableAssetCatalog } from "../catalog/assets-and-health.ts";
import { distributionPath } from "../catalog/distribution-catalog.ts";
import { knownMetric, tableMetricEntry } from "../catalog/table-metrics.ts";
import type { Context } from "../context.ts";
import { locate, locateAll } from "../locate/locate.ts";
import { type Screened, screenedAssets } from "../locate/screeners.ts";
import {
  knownDistribution,
  MOST_AROUND,
  selectorsOfDistributions,
  validateDistribution,
} from "../request/distribution-query.ts";
import { validateAddress, validateHolders } from "../request/holders-query.ts";
import { MOST_HOLDERS } from "../request/parameters/holder-parameters.ts";
import { MOST_TRANSFER_DAYS } from "../request/parameters/transfer-parameters.ts";
import { validateTable } from "../request/table-query.ts";
import { validateEvents, validateTransfers } from "../request/transfers-query.ts";
import { upperCase } from "../request/validate.ts";
import { rowOf } from "../table/screener-text.ts";
import { type Arguments, type GivenArguments, givenArguments } from "./arguments.ts";
import { readDistribution } from "./distribution-for-model.ts";
import { findMetrics } from "./find-metrics.ts";
import {
  readAddressForModel,
  readEventsForModel,
  readHoldersForModel,
  readTransfersForModel,
} from "./holders-for-model.ts";
import { type Chart, chartPath } from "./link-to-chart.ts";
import { readForModel } from "./series-for-model.ts";
import { ANSWER_BYTES, asJson, largestThatFits, type ToolAnswer } from "./tool-answer.ts";

export interface Tool {
  name: string;
  title: string;
  /** What the model is told of the tool. */
  description: string;
  takes: Arguments;
  /** JSON Schema of the members of its answer. */
  gives: JSONObject;
  /** The arguments by the names that the API has for them, and its problems. */
  parameters: Readonly<Record<string, string>>;
  /** @throws {Problem} wrong arguments; whatever reading throws */
  call: (given: GivenArguments, context: Context) => ToolAnswer | Promise<ToolAnswer>;
}

const SCREENER_NAMES = SCREENER_COLUMNS.map(({ name }) => name);

/** Metrics that a search answers with. */
const MOST_FOUND = 8;

/** The longest search: each of its words is compared with those of every metric. */
const MOST_CHARACTERS = 500;

/** Addresses without a wish. */
const HOLDERS_SHOWN = 20;

/** Rows of series: without a wish, and at most. */
const ROWS = 40;
const MOST_ROWS = 400;

const text = { type: "string" };
const texts = { type: "array", items: text };
const object = { type: "object" };
const objects = { type: "array", items: object };
const NUMBER = { type: ["number", "null"] };
const TIME = { type: ["string", "null"] };

const symbol = "Symbol, such as ARIA; list_assets has all.";

const findTool: Tool = {
  name: "find_metrics",
  title: "Find metrics",
  description:
    "Find on-chain metrics by words, such as “MVRV”, “whale supply”, “HODL waves” or “exchange inflow”. Answers with the best matches and, where a term is no metric itself, how to compute it from metrics.",
  takes: {
    query: { type: "text", description: "Words for what you want to know.", isRequired: true, most: MOST_CHARACTERS },
  },
  gives: { metrics: objects, notes: texts, others: texts },
  parameters: {},
  call: ({ query }) => {
    const { found, notes } = findMetrics(query as string);
    const shown = found.slice(0, MOST_FOUND);
    const metrics = shown.map(({ metric, selector }) => {
      const { name, title, unit, kind, description, resolutions } = tableMetricEntry(metric);
      const families = selectorIn(metric)?.families.map((family) => family.title) ?? [];
      const selectors = [...families, ...(lotCohortsOf(metric.name).length > 0 ? ["Lots"] : [])];
      return { name, selector, title, unit, kind, description, resolutions, selectors };
    });
    const names = METRICS.map(({ name }) => name);
    const others = names.filter((name) => !shown.some(({ metric }) => metric.name === name));
    return asJson({ metrics, notes, others });
  },
};

const describeTool: Tool = {
  name: "describe_metric",
  title: "Describe a metric",
  description:
    "What one metric means: description, formula with its signs, unit, resolutions, and all selectors (cohorts, exchanges or transfer samples) by family. Call it before read_series if you need a selector.",
  takes: { metric: { type: "text", description: "Name, such as sopr.", isRequired: true } },
  gives: { metric: object, signs: object },
  parameters: { m: "metric" },
  call: ({ metric }) => asJson({ metric: tableMetricEntry(knownMetric(metric as string)), signs: SIGNS }),
};

const assetsTool: Tool = {
  name: "list_assets",
  title: "List assets",
  description:
    "The assets that have metrics: contract, as-of time, first and last point at each resolution, edges of balance cohorts, and quality of the data. Times are UTC.",
  takes: { query: { type: "text", description: "A part of the symbol, name or contract, to see only those assets." } },
  gives: { assets: objects, others: texts, omitted: { type: "integer" } },
  parameters: {},
  call: async ({ query = "" }, context) => {
    const { assets } = await tableAssetCatalog(context);
    const wanted = String(query).toLowerCase();
    const found = assets.filter(({ symbol, name, contract }) =>
      [symbol, name, contract].some((one) => one.toLowerCase().includes(wanted)),
    );
    const others = found.map(({ symbol }) => symbol);
    const answer = (count: number, named: number) =>
      asJson({
        assets: found.slice(0, count),
        others: others.slice(count, count + named),
        omitted: Math.max(0, found.length - count - named),
      });
    const count = largestThatFits(found.length, ANSWER_BYTES, (count) => answer(count, MOST_NAMED));
    return answer(count, MOST_NAMED);
  },
};

/** Assets that are only named. */
const MOST_NAMED = 200;

const readTool: Tool = {
  name: "read_series",
  title: "Read series",
  description:
    "Read metrics of assets over time. Answers with statistics of each series (first, last, min, max, mean, sum of flows, change) over all its points, and with evenly spaced rows; `omitted` says what was left out, `url` has all. Prefer week or month for long times: they are exact, days are a sample.",
  takes: {
    assets: { type: "list", description: `Symbols, as ["ARIA"]; list_assets has all.`, isRequired: true },
    metrics: {
      type: "list",
      description: "Names, also of formulas such as mvrv; find_metrics finds metrics by words.",
      values: MEASURES.map(({ name }) => name),
    },
    formulas: {
      type: "list",
      description: `Such as ["dd = sma(sopr:lth, 7) - 1"], with ${FUNCTIONS.map(({ name }) => name).join(", ")}.`,
    },
    selectors: {
      type: "list",
      description: `Cohorts, exchanges or transfer samples, such as ["$10M+"]: see describe_metric. Own cohorts, such as ["@team"]: see list_assets. Lots, such as ["fifo.1y-2y"], where list_assets has them. ["*"] for all others, ["@*"] for all own cohorts, ["fifo.*"] for all lots of a method. Left out: each metric's default, mostly the total.`,
    },
    resolution: {
      type: "text",
      description: "State metrics have no hour and block.",
      values: RESOLUTIONS,
    },
    since: {
      type: "text",
      description:
        "First time, inclusive: 2025-03-01, 2025-03-01T12:00, or before the last point: -30d, -12h, -6m, -1y.",
    },
    until: { type: "text", description: "Last time, likewise." },
    last: { type: "count", description: "The last so many points, instead of since." },
    known: { type: "text", description: "first: as first published. A time: as then." },
    rows: {
      type: "count",
      description: `Rows to show at most; 0 for statistics alone. Left out: ${ROWS}.`,
      most: MOST_ROWS,
    },
  },
  gives: {
    builds: object,
    asOf: object,
    resolution: text,
    rows: { type: "integer" },
    t: texts,
    block: { type: "array", items: { type: "integer" } },
    series: {
      type: "array",
      items: {
        type: "object",
        properties: {
          asset: text,
          metric: text,
          selector: text,
          name: text,
          unit: text,
          formula: text,
          points: { type: "integer" },
          first: NUMBER,
          firstTime: TIME,
          last: NUMBER,
          lastTime: TIME,
          min: NUMBER,
          minTime: TIME,
          max: NUMBER,
          maxTime: TIME,
          mean: NUMBER,
          sum: NUMBER,
          change: NUMBER,
          changePercent: NUMBER,
          v: { type: "array", items: NUMBER },
        },
      },
    },
    omitted: texts,
    url: text,
  },
  parameters: {
    a: "assets",
    m: "metrics",
    x: "formulas",
    c: "selectors",
    r: "resolution",
    s: "since",
    u: "until",
    last: "last",
    known: "known",
  },
  call: (given, context) => {
    const { rows = ROWS } = given;
    const parameters = parametersOf(readTool, given);
    const url = `${context.origin}/v3/series?${parameters}`;
    return readForModel(validateTable(parameters), rows as number, url, context);
  },
};

/** What was given, as the API calls it. */
function parametersOf({ parameters }: Tool, given: GivenArguments): URLSearchParams {
  const pairs = Object.entries(parameters).flatMap(([parameter, argument]) => {
    const value = given[argument];
    if (value === undefined) return [];
    return [[parameter, Array.isArray(value) ? value.join(parameter === "x" ? ";" : ",") : String(value)]];
  });
  return new URLSearchParams(pairs);
}

const screenTool: Tool = {
  name: "screen_assets",
  title: "Screen assets",
  description:
    "Compare all assets on their last day. Each column has its value v, its changes over 1d, 7d and 30d (differences; of price and market_cap fractions), and pct, the share of the last year's days on which it was at most as high.",
  takes: {
    columns: { type: "list", description: "Left out: all.", values: SCREENER_NAMES },
    by: { type: "text", description: "Highest first. Left out: market_cap.", values: SCREENER_NAMES },
  },
  gives: { assets: objects, omitted: { type: "integer" } },
  parameters: {},
  call: async ({ columns, by = "market_cap" }, context) => {
    const shown = SCREENER_COLUMNS.filter(({ name }) => (columns as string[] | undefined)?.includes(name) ?? true);
    const value = ({ screener }: Screened) => screener?.columns[by as string]?.[0] ?? Number.NEGATIVE_INFINITY;
    const rows = (await screenedAssets(context)).toSorted((a, b) => value(b) - value(a) || 0);
    const answer = (count: number) =>
      asJson({ assets: rows.slice(0, count).map((row) => rowOf(row, shown)), omitted: rows.length - count });
    return answer(largestThatFits(rows.length, ANSWER_BYTES, answer));
  },
};

const distributionTool: Tool = {
  name: "read_distribution",
  title: "Read a distribution",
  description:
    "Who holds an asset at a day's close, by average purchase price (cost_basis), month of purchase (acquired) or of first appearance (first_seen): supply, realised_cap and num_addresses of each bucket.",
  takes: {
    asset: { type: "text", description: symbol, isRequired: true },
    distribution: { type: "text", description: "Its name.", isRequired: true, values: DISTRIBUTION_NAMES },
    selector: { type: "text", description: "Left out: total.", values: selectorsOfDistributions() },
    until: { type: "text", description: "Day, or -30d. Left out: the last." },
    around: {
      type: "count",
      description:
        "Of cost_basis: only so many buckets below and above the price, each in, at or out of the money; the rest as below and above.",
      most: MOST_AROUND,
    },
  },
  gives: { asset: text, build: text, asOf: text, t: TIME, price: NUMBER, buckets: objects, omitted: texts, url: text },
  parameters: { a: "asset", c: "selector", u: "until", around: "around" },
  call: ({ distribution, ...given }, context) => {
    const name = knownDistribution(distribution as string);
    const parameters = parametersOf(distributionTool, given);
    parameters.set("last", "1");
    const url = `${context.origin}${distributionPath(name)}?${parameters}`;
    return readDistribution(validateDistribution(name, parameters), url, context);
  },
};

const holdersTool: Tool = {
  name: "read_holders",
  title: "Read holders",
  description:
    "Addresses of an asset, in an order: balances, cost, profit and loss of each, its exchange and group. The ten largest losses: sort unrealised_profit, order asc, limit 10. With at, the largest balances at that day's close, and their changes.",
  takes: {
    asset: { type: "text", description: symbol, isRequired: true },
    sort: { type: "text", description: "Left out: balance.", values: HOLDER_SORTS },
    order: { type: "text", description: "Left out: desc, the largest or latest first.", values: HOLDER_ORDERS },
    group: {
      type: "text",
      description: "Only users, contracts (sc) or exchanges (cex). Left out: all.",
      values: HOLDER_GROUPS,
    },
    limit: { type: "count", description: `Left out: ${HOLDERS_SHOWN}.`, most: MOST_HOLDERS },
    offset: { type: "count", description: "Addresses to skip." },
    at: { type: "text", description: "A day, such as 2025-03-01, or -30d; without sort, order and group." },
  },
  gives: { asset: text, build: text, asOf: text, at: TIME, holders: objects, omitted: texts, url: text },
  parameters: { a: "asset", sort: "sort", order: "order", group: "group", limit: "limit", offset: "offset", at: "at" },
  call: (given, context) => {
    const parameters = parametersOf(holdersTool, { limit: HOLDERS_SHOWN, ...given });
    return readHoldersForModel(validateHolders(parameters), `${context.origin}/v3/holders?${parameters}`, context);
  },
};

const addressTool: Tool = {
  name: "read_address",
  title: "Read an address",
  description:
    "What one address holds, has paid, gained and lost, in each asset that it has ever held: a row an asset; none where it never held the token.",
  takes: {
    address: { type: "text", description: "0x and 40 hex digits.", isRequired: true, most: 64 },
    assets: { type: "list", description: "Symbols. Left out: every asset." },
  },
  gives: { address: text, holders: objects, unavailable: texts, omitted: texts, url: text },
  parameters: { a: "assets" },
  call: ({ address, ...given }, context) => {
    const parameters = parametersOf(addressTool, given);
    const query = validateAddress(address as string, parameters);
    const search = parameters.size > 0 ? `?${parameters}` : "";
    return readAddressForModel(query, `${context.origin}/v3/holders/${query.address}${search}`, context);
  },
};

const transfersTool: Tool = {
  name: "read_largest_transfers",
  title: "Read the largest transfers",
  description: `The ${MOST_LARGE_TRANSFERS} largest transfers of each day by dollars, the largest first: block, addresses with group and exchange, tokens and dollars. Of the last day, or of up to ${MOST_TRANSFER_DAYS} days from since to until.`,
  takes: {
    asset: { type: "text", description: symbol, isRequired: true },
    since: { type: "text", description: "First day, such as 2025-03-01, or -7d. Left out: a single day." },
    until: { type: "text", description: "Last day. Left out: the last one." },
  },
  gives: { asset: text, build: text, asOf: text, transfers: objects, omitted: texts, url: text },
  parameters: { a: "asset", s: "since", u: "until" },
  call: (given, context) => {
    const parameters = parametersOf(transfersTool, given);
    const url = `${context.origin}/v3/transfers/largest?${parameters}`;
    return readTransfersForModel(validateTransfers(parameters), url, context);
  },
};

const eventsTool: Tool = {
  name: "read_events",
  title: "Read the calendar of an asset",
  description: "What the operator has noted of an asset: unlocks, listings, upgrades, with their times and pages.",
  takes: { asset: { type: "text", description: symbol, isRequired: true } },
  gives: { asset: text, build: text, asOf: text, events: objects, omitted: texts, url: text },
  parameters: { a: "asset" },
  call: ({ asset }, context) => {
    const query = validateEvents(asset as string, new URLSearchParams());
    const url = `${context.origin}/v3/assets/${encodeURIComponent(query.symbol)}/events`;
    return readEventsForModel(query, url, context);
  },
};

const chartTool: Tool = {
  name: "chart_link",
  title: "Link to a chart",
  description: `A link to an interactive chart for the user. It needs no key. A chart has up to ${MOST_CHART_LINES} series in up to ${MOST_UNITS} units; put others into charts below it, at most ${PANE_ENDS.length} in all.`,
  takes: {
    asset: { type: "text", description: symbol, isRequired: true },
    series: {
      type: "list",
      description:
        'Each metric or metric:selector, such as ["sopr", "supply:$10M+"]; a family as areas, shares or lines, such as "supply:*age:share" (by age, value, exchange …; stack, share or lines); or a formula after an equals sign, such as "=mvrv" or "=sma(price, 30) / price". ASSET.metric is another asset\'s.',
      isRequired: true,
    },
    ...Object.fromEntries(
      PANE_ENDS.slice(1).map((end) => [
        `series${end}`,
        { type: "list", description: `Series of chart ${end}, below the others.` },
      ]),
    ),
    resolution: { type: "text", description: "Left out: day.", values: RESOLUTIONS },
    range: { type: "text", description: "Time before the last point, instead of since and until.", values: RANGES },
    since: { type: "text", description: "First time, such as 2025-03-01." },
    until: { type: "text", description: "Last time." },
    scale: { type: "text", description: "Left out: log for ratios, otherwise linear.", values: LOOKS.scale },
    price: { type: "text", description: "Also draws the price, on this scale.", values: LOOKS.price },
    index: { type: "count", description: "100: every line is 100 at the left edge.", values: LOOKS.index },
    smooth: { type: "count", description: "Moving average of 7 or 30 days.", values: LOOKS.smooth },
  },
  gives: { url: text },
  parameters: { a: "asset", s: "since", u: "until" },
  call: async (given, context) => {
    const { asset, ...chart } = given as unknown as Chart & { asset: string };
    const path = await chartPath(await locate(upperCase(asset), context), chart, (others) =>
      locateAll(others, context),
    );
    return asJson({ url: `${context.origin}${path}` });
  },
};

export const TOOLS: readonly Tool[] = [
  assetsTool,
  findTool,
  describeTool,
  readTool,
  distributionTool,
  holdersTool,
  addressTool,
  transfersTool,
  eventsTool,
  screenTool,
  chartTool,
];

/** Calls a tool, once its arguments have been checked. */
export async function callTool(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<ToolAnswer> {
  return tool.call(givenArguments(given, tool.takes), context);
}
