/** Schemas of the answers of v3. */

import { MEASURES } from "../../../data-schema/formula.ts";
import {
  DISTRIBUTION_FIELDS,
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  EXCHANGE_SELECTORS,
  LEVEL_COLORS,
  LOT_METHODS,
  METRIC_GROUPS,
  METRICS,
  NAMED_FORMULAS,
  RESOLUTIONS,
  SIGNS,
  UNITS,
} from "../../../data-schema/registry.ts";
import {
  CAUSE_KINDS,
  FRESHNESS,
  MAX_DEPOSIT_EXCHANGES,
  MAX_LISTED_CORRECTIONS,
  MIGRATION_RULES,
  SCREENER_COLUMNS,
  SCREENER_FIELDS,
  SPARKLINE_CLOSES,
} from "../../../data-schema/stored.ts";
import { selectorsOfDistributions } from "../../request/distribution-query.ts";
import { describedAsset, describedMetric, range } from "./described.ts";
import {
  countSchema,
  instantSchema,
  type Json,
  listOf,
  object,
  oneOf,
  reference,
  share,
  TIME,
  textSchema,
} from "./schema.ts";

const NUMBER_OR_NULL = { type: ["number", "null"] };
const TIME_OR_NULL = { type: ["string", "null"] };

const FRESHNESS_SCHEMA: Json = {
  ...oneOf(FRESHNESS),
  description: "How often the data is updated: every hour or every day.",
};

const CHECKED = object(
  { block: countSchema, holders: countSchema, of: countSchema, "since?": countSchema },
  "The balances of so many holders, of all, were compared with the chain's at this block, and were equal. With `since`, they are those that had moved anything after that block, where the last comparison was.",
);

const PRICE_PROOF = object(
  { block: countSchema, since: TIME, pools: countSchema, feeds: countSchema },
  "So many pools and feeds were compared at this block: they said the same as the logs from which the prices of all hours since this time were computed.",
);

const GAPS = {
  gaps: {
    ...listOf(object({ from: TIME, to: TIME })),
    description:
      "The longest periods of more than seven days without a price, over which the last price was carried forward.",
  },
  "moreGaps?": {
    ...countSchema,
    minimum: 1,
    description: "The number of further gaps, which are shorter than those listed.",
  },
};

const LOTS_SCHEMA = object(
  { methods: listOf(oneOf(LOT_METHODS)), cohorts: listOf(textSchema()) },
  "The selectors of lots, for assets that have them: a method, such as fifo, alone or with a dot and one of the cohorts, such as fifo.users. Absent if it is not computed of lots.",
);

const labelCoverage = (mayBeShipped: boolean): Json =>
  object({
    ...(mayBeShipped && {
      "version?": textSchema("The version of the labels, if they are those that ship with Soprano."),
    }),
    "sha256?": textSchema("The SHA-256 of the operator's own list of labels."),
    addresses: { ...countSchema, description: "How many addresses are labelled." },
    "held?": {
      ...countSchema,
      description: "How many of them have ever held the token, by the close of the last day.",
    },
    "holders?": { ...countSchema, description: "How many of them hold the token at the close of the last day." },
    "supplyShare?": { ...share, description: "Their share of the supply at the close of the last day." },
    "volumeShare?": {
      ...share,
      description: "The share of the last 365 days' volume that other addresses sent to them or received from them.",
    },
  });

/** Members for any asset, by its symbol. */
const byAsset = (member: Json, description: string): Json => ({
  type: "object",
  description,
  additionalProperties: member,
});

const buildId: Json = { type: "string", pattern: "^[0-9a-f]{16}$" };

const matrix: Json = {
  ...listOf(listOf({ type: "number" })),
  description: "One list for each time in t, with one number for each bucket; 0 for an empty bucket.",
};

/** The schemas of v3. */
export const tableSchemas = (): Record<string, Json> => ({
  Table: object({
    builds: byAsset(textSchema(), "The id of each asset's build. It changes whenever the data changes."),
    asOf: byAsset(instantSchema, "For each asset, the time up to which its data is complete."),
    resolution: oneOf(RESOLUTIONS),
    t: {
      ...listOf({ type: ["string", "number"] }),
      description:
        "The times of the rows, ascending. There is a row for every time at which at least one of the series, or of the inputs of a formula, has a point. UTC, or Unix seconds with time=unix.",
    },
    "block?": {
      ...listOf({ type: "integer" }),
      description: "The block number of each row. Only with r=block.",
    },
    series: listOf(reference("TableSeries")),
  }),
  TableSeries: object({
    asset: textSchema("The symbol of the asset."),
    "metric?": oneOf(
      MEASURES.map(({ name }) => name),
      "The name of the metric, or of a named formula. Absent for formulas given in x, which have `name` instead.",
    ),
    "selector?": textSchema(
      "The selector of the series: a cohort, an exchange or a transfer sample; total if the metric has a single series. Absent for formulas given in x.",
    ),
    "name?": textSchema("For a formula given in x: its name, or its text if it was given none."),
    unit: oneOf(UNITS),
    "formula?": textSchema("For a formula: its text."),
    v: {
      ...listOf({ type: ["number", "null"] }),
      description: "One value for each row; null where the series has no point.",
    },
  }),
  TableCsv: {
    ...textSchema(
      "A header line, then one line for each row. The columns are t, with r=block also block, then one for each series, named <asset>:<metric>:<selector>, or <asset>:<name> for formulas given in x.",
    ),
    pattern: "^t,",
  },
  TableLines: {
    ...textSchema(
      "One JSON object for each row, on a line of its own, with the column names of the CSV format as its members.",
    ),
    pattern: "^(\\{|$)",
  },
  TableArrow: textSchema(
    "A stream in Arrow's IPC format: the columns t, with r=block also block, and one nullable column for each series, named as in the CSV format.",
  ),
  TableParquet: textSchema("A Parquet file with the same columns as the Arrow format."),
  Distribution: object({
    asset: textSchema("The symbol of the asset."),
    build: textSchema("The id of the build. It changes whenever the data changes."),
    asOf: {
      ...instantSchema,
      description: "The time up to which the data is complete: all earlier events are counted.",
    },
    distribution: oneOf(DISTRIBUTION_NAMES),
    selector: oneOf(selectorsOfDistributions()),
    resolution: oneOf(DISTRIBUTION_RESOLUTIONS),
    buckets: {
      ...listOf(
        object(
          {
            name: textSchema("0 or k<number> for costs, 2024-03 for months; with around, also below and above."),
            from: { type: ["number", "string", "null"] },
            to: { type: ["number", "string", "null"] },
          },
          "The bounds of the bucket, `from` inclusive, `to` exclusive: costs in USD per token, or times written as those in t; null where the bucket is open, and at the inner edge of below and above where it is not the same at all times of the answer.",
        ),
      ),
      description: "The buckets that hold at least one address at some time of the answer, ascending.",
    },
    t: {
      ...listOf({ type: ["string", "number"] }),
      description: "The days, weeks or months of the answer, ascending. UTC, or Unix seconds with time=unix.",
    },
    "price?": {
      ...listOf({ type: "number", minimum: 0 }),
      description: "With around: the price at the close of each t, USD per token; 0 before the first one.",
    },
    "at?": {
      ...listOf({ type: "integer", minimum: -1 }),
      description:
        "With around: for each t, the index in buckets of the one that holds the price; -1 where it has no address.",
    },
    ...Object.fromEntries(
      DISTRIBUTION_FIELDS.map((field) => [field === "num_addresses" ? `${field}?` : field, matrix]),
    ),
  }),
  DistributionCsv: {
    ...textSchema(
      "A header, then for each t a line for each bucket that is not empty. With around, the column side says whether it is in the money, at the price or out of the money: in, at or out.",
    ),
    pattern: "^t,bucket,from,to,",
  },
  DistributionLines: { ...textSchema("An object a line, as JSON, with the names that CSV has."), pattern: "^(\\{|$)" },
  DistributionArrow: textSchema("A stream of Arrow's IPC format, with the rows and columns that CSV has."),
  DistributionParquet: textSchema("A Parquet file with the rows and columns that CSV has."),
  Screener: object({
    assets: listOf(
      object({
        asset: textSchema("The symbol of the asset."),
        name: textSchema("Its name."),
        t: { ...TIME_OR_NULL, description: "The day that the values are of; null if there is none yet." },
        ...Object.fromEntries(
          SCREENER_COLUMNS.map(({ name, title, formula }) => [
            name,
            {
              ...object(Object.fromEntries(SCREENER_FIELDS.map((field) => [field, NUMBER_OR_NULL]))),
              description: `${title}${formula === name ? "" : `: ${formula}`}.`,
            },
          ]),
        ),
        closes: {
          ...listOf(NUMBER_OR_NULL),
          description: `The prices of the last ${SPARKLINE_CLOSES} days, ascending.`,
        },
      }),
    ),
  }),
  DuckdbScript: { ...textSchema("Statements of SQL, for DuckDB 1.2 and newer."), pattern: "CREATE OR REPLACE VIEW" },
  ScreenerCsv: {
    ...textSchema(
      "A header with asset, and for each column its name, and that with _1d, _7d, _30d and _pct; then a line an asset.",
    ),
    pattern: "^asset,",
  },
  Distributions: object({
    version: { const: "v3" },
    parameters: { ...listOf(reference("Parameter")), description: "Of GET /v3/distributions/<name>." },
    distributions: listOf(
      object({
        name: oneOf(DISTRIBUTION_NAMES),
        path: textSchema("Where it is."),
        title: textSchema(),
        description: textSchema(),
        key: oneOf(["cost", "time"], "What addresses are divided by: USD per token, or a time."),
        selectors: listOf(oneOf(selectorsOfDistributions())),
        resolutions: listOf(oneOf(DISTRIBUTION_RESOLUTIONS)),
        fields: listOf(object({ name: oneOf(DISTRIBUTION_FIELDS), unit: oneOf(UNITS) })),
      }),
    ),
  }),
  File: textSchema("Apache Parquet, or a range of it."),
  Files: object({
    asset: textSchema("The symbol of the asset."),
    build: textSchema("The active build: it changes with the data."),
    asOf: {
      ...instantSchema,
      description: "The time up to which the data is complete: all earlier events are counted.",
    },
    files: listOf(reference("ListedFile")),
  }),
  ListedFile: object({
    path: textSchema("What follows the path of this list and a slash."),
    url: { ...textSchema("The URL of the file."), format: "uri" },
    resolution: oneOf(RESOLUTIONS),
    metric: textSchema(
      "What the file holds all series of: a metric, a distribution, an own cohort, or a method of lots.",
    ),
    period: textSchema("The period: all, a year, or, for blocks, the month or day with which the period begins."),
    bytes: { type: "integer", minimum: 1 },
    rows: { type: "integer", minimum: 1, description: "The number of rows, of all selectors together." },
    "sha256?": {
      ...textSchema("The SHA-256 of the file's bytes. Absent for builds of Soprano 0.2 and earlier."),
      pattern: "^[0-9a-f]{64}$",
    },
    "first?": { ...TIME, description: "The earliest t of all rows. Absent for builds of Soprano 0.2 and earlier." },
    "last?": { ...TIME, description: "The latest t of all rows. Absent for builds of Soprano 0.2 and earlier." },
  }),
  TableSelector: object(
    {
      parameter: { const: "c" },
      title: textSchema(),
      default: textSchema(),
      values: listOf(textSchema()),
      families: listOf(
        object(
          {
            title: textSchema(),
            values: listOf(textSchema()),
            division: {
              oneOf: [reference("Division"), { type: "null" }],
              description: "How the values divide the metric; null if they overlap or leave it undivided.",
            },
          },
          "A group of selector values that belong together, such as all cohorts by age.",
        ),
      ),
    },
    "The parameter that selects one of a metric's series.",
  ),
  Division: object(
    {
      by: textSchema("The criterion by which the parts differ, such as age. Unique within a selector."),
      ordered: { type: "boolean", description: "Whether the parts have a natural order, as ages have." },
      adds: {
        type: "boolean",
        description: "Whether the values of the parts add up to that of the whole. Those of ratios do not.",
      },
      parts: { ...listOf(textSchema()), description: "The selector values of the parts, which do not overlap." },
      beside: { ...listOf(textSchema()), description: "The selector values that make up the rest of the whole." },
      whole: {
        type: ["string", "null"],
        description:
          "The selector value of the whole, of which the parts and the rest may still leave something out; null if there is no such series.",
      },
    },
    "How the values of a family divide a metric into parts.",
  ),
  NaturalLook: object(
    {
      scale: oneOf(["linear", "log"]),
      level: {
        type: ["number", "null"],
        description: "What the values compare with, such as 1 for SOPR; null for nothing.",
      },
      mark: oneOf(["line", "bars"]),
      "levels?": {
        ...listOf(
          object({
            from: textSchema("The value of a line, or the lower end of a band; empty for a band without one."),
            to: {
              type: ["string", "null"],
              description: "The upper end of a band, empty for a band without one; null for a line.",
            },
            color: oneOf(LEVEL_COLORS),
            name: textSchema(),
          }),
        ),
        description: "Lines and bands by which the values are read, from the literature; only of named formulas.",
      },
    },
    "How the explorer draws the values where nobody has chosen: the scale of the axis, a line across the chart, and what stands for each value.",
  ),
  TableMetric: object(describedTableMetric()),
  TableMetricWithVersion: object({ version: { const: "v3" }, ...describedTableMetric() }),
  TableMetrics: object({
    version: { const: "v3" },
    groups: listOf(object({ name: oneOf(Object.keys(METRIC_GROUPS)), title: textSchema() })),
    signs: listOf(object({ sign: oneOf(Object.keys(SIGNS)), meaning: textSchema() })),
    parameters: { ...listOf(reference("Parameter")), description: "The parameters of GET /v3/series." },
    metrics: listOf(reference("TableMetric")),
    formulas: {
      ...listOf(
        object({
          name: oneOf(NAMED_FORMULAS.map(({ name }) => name)),
          title: textSchema(),
          description: textSchema(),
          formula: textSchema("The formula, in terms of metrics."),
          isShare: {
            type: "boolean",
            description: "Whether the values are fractions of 1, best shown as percentages.",
          },
          look: reference("NaturalLook"),
          resolutions: listOf(oneOf(RESOLUTIONS)),
          selector: {
            oneOf: [object({ default: textSchema(), values: listOf(textSchema()) }), { type: "null" }],
            description:
              "The selectors that the parameter c takes for it: those that all its metrics have; null if it has a single series.",
          },
          "lots?": LOTS_SCHEMA,
        }),
      ),
      description: "Named formulas, which the parameter m takes like metrics.",
    },
  }),
  TableAsset: object({
    ...describedAsset(),
    ranges: {
      ...object(Object.fromEntries(RESOLUTIONS.map((resolution) => [`${resolution}?`, range]))),
      description:
        "The times of the first and last point, by resolution. Resolutions that are absent are not published.",
    },
    "was?": { ...listOf(textSchema()), description: "Symbols that the asset had before. Absent if there are none." },
    ageHours: { ...countSchema, description: "The age of the data: whole hours since asOf." },
    freshness: FRESHNESS_SCHEMA,
    "activated?": { ...instantSchema, description: "When the build became active, by publication or by rollback." },
    "knownSince?": {
      ...instantSchema,
      description:
        "The earliest time that the parameter `known` takes: from then on, everything published has been recorded.",
    },
    "nights?": {
      ...listOf(object({ asOf: TIME, latencySeconds: countSchema })),
      description:
        "The last ten times up to which data was published, ascending, and how many seconds after each of them it first became available.",
    },
    "checked?": CHECKED,
    "priceProof?": PRICE_PROOF,
    "price?": object(
      {
        first: TIME,
        last: TIME,
        ...GAPS,
      },
      "The times of the first and last price before asOf. Absent if the asset has no prices.",
    ),
    "predecessors?": {
      ...listOf(
        object({
          contract: textSchema(),
          ratio: { ...textSchema(), description: "How many old tokens are how many new ones, OLD:NEW." },
          by: { type: "string", enum: MIGRATION_RULES },
          "until?": { ...countSchema, description: "The last block of the old contract whose transfers count." },
        }),
      ),
      description:
        "The contracts that the token had before, the oldest first: its history begins with their transfers. Absent if there are none.",
    },
    "corrections?": object(
      {
        count: { ...countSchema, description: "How many prices are corrected." },
        last: {
          ...listOf(
            object({
              t: TIME,
              usd: { type: "number", minimum: 0 },
              reason: textSchema("Why the operator has set it."),
            }),
          ),
          description: `The last of them, at most ${MAX_LISTED_CORRECTIONS}, ascending: the time from which a price counts, in USD, and the reason.`,
        },
      },
      "Prices that the operator has set, in place of what the source says. Absent if there are none.",
    ),
    "cohorts?": {
      ...listOf(object({ selector: textSchema(), addresses: countSchema, holders: countSchema })),
      description:
        "The asset's own cohorts, by selector: how many addresses are on the list, and how many of them hold the token. Every metric that takes the selectors sth and lth takes them.",
    },
    "lots?": {
      ...listOf(oneOf(LOT_METHODS)),
      description:
        "The methods by which the asset has series of lots: selectors such as fifo and fifo.1y-2y. Absent if there are none.",
    },
    "events?": {
      ...countSchema,
      description: "How many events its calendar has: /v3/assets/<asset>/events. Absent without a calendar.",
    },
    "labels?": object(
      { "exchanges?": labelCoverage(true), "contracts?": labelCoverage(false) },
      "How many addresses are labelled as exchanges' and as contracts, and what share of the supply and of the volume they account for. Without exchanges, or with 0 addresses, no exchange of the asset is known, and every cex_ metric is 0 for that reason.",
    ),
    "deposits?": object(
      {
        "asOf?": {
          ...instantSchema,
          description:
            "The time that the table of deposit addresses was computed for. Absent if the operator names the addresses.",
        },
        addresses: { ...countSchema, description: "How many deposit addresses there are." },
        exchanges: {
          ...listOf(object({ exchange: oneOf(EXCHANGE_SELECTORS.slice(1)), addresses: countSchema })),
          description: `How many of them each exchange has, the most first. The first ${MAX_DEPOSIT_EXCHANGES} exchanges are listed.`,
        },
        "inflowShare?": {
          ...share,
          description: "The share of the last 365 days' inflow of all exchanges that arrived at deposit addresses.",
        },
      },
      "The addresses that exchanges give to their customers. They are labelled as the exchange's. Absent if the asset has no list of them.",
    ),
  }),
  Status: object({
    status: {
      ...oneOf(["ok", "late", "degraded"]),
      description:
        "ok: every asset is up to date. late: at least one is not. degraded: the manifest of an asset cannot be read.",
    },
    assets: listOf(
      object({
        symbol: textSchema(),
        name: textSchema(),
        asOf: {
          ...instantSchema,
          description: "The time up to which the data is complete: all earlier events are counted.",
        },
        ageSeconds: { ...countSchema, description: "The age of the data: seconds since asOf." },
        freshness: FRESHNESS_SCHEMA,
        mostAgeSeconds: { ...countSchema, description: "The age up to which the data counts as up to date." },
        isFresh: { type: "boolean" },
        "activated?": { ...instantSchema, description: "The time at which the build became active." },
        publications: {
          ...listOf(object({ asOf: TIME, latencySeconds: countSchema })),
          description:
            "The last ten publications, ascending: the time up to which the data was complete, and how many seconds later it was available.",
        },
        "checked?": CHECKED,
        "priceProof?": PRICE_PROOF,
        "prices?": object(GAPS, "Gaps in the prices. Absent if the asset has no prices."),
      }),
    ),
    "unreadable?": { ...listOf(textSchema()), description: "Symbols of assets whose manifest cannot be read." },
  }),
  Builds: object({
    asset: textSchema("The symbol of the asset."),
    builds: {
      ...listOf(reference("Build")),
      description: "The builds that are kept, the most recently activated first.",
    },
  }),
  Build: object(
    {
      build: buildId,
      active: {
        type: "boolean",
        description: "Whether it is the active build, from which answers come unless a request names another.",
      },
      activated: { ...instantSchema, description: "The time at which it was last activated." },
      "asOf?": {
        ...instantSchema,
        description: "The time up to which the data is complete: all earlier events are counted.",
      },
      "created?": instantSchema,
      "engine?": textSchema("The version of the engine that made the build."),
      "reason?": textSchema("The day from which the build resumed, or the reason why it was a full build."),
    },
    "A build. For some old builds, only the first three members are known.",
  ),
  Changes: object({
    asset: textSchema("The symbol of the asset."),
    changes: { ...listOf(reference("Change")), description: "The changes, newest first." },
    next: {
      type: ["integer", "null"],
      description: "The value of the parameter `before` for the next page; null on the last page.",
    },
  }),
  Change: object(
    {
      n: { type: "integer", minimum: 1, description: "The number of the entry. Numbers ascend, with gaps." },
      build: buildId,
      previousBuild: {
        type: ["string", "null"],
        description: "The id of the build that was active before; null for the first one.",
      },
      asOf: { ...instantSchema, description: "The time up to which the build's data is complete." },
      activated: instantSchema,
      causes: {
        ...listOf({
          ...object({ kind: oneOf(CAUSE_KINDS) }),
          additionalProperties: true,
        }),
        description: "Why the build was made. What other members a cause has depends on its kind.",
      },
      changedFrom: {
        type: ["string", "null"],
        description:
          "Time of the first point that differs from what the build before had published; null if none does. Nothing before it has changed.",
      },
      series: listOf(reference("SeriesChange")),
      uncompared: {
        type: "integer",
        minimum: 0,
        description:
          "The number of stored objects of the build before that were not compared because they were missing or damaged.",
      },
    },
    "What one activation changed in the data published before. New points do not count as changes.",
  ),
  SeriesChange: object(
    {
      resolution: oneOf(RESOLUTIONS),
      metric: {
        anyOf: [
          oneOf([...METRICS.map(({ name }) => name), ...LOT_METHODS]),
          { type: "string", pattern: "^@[a-z0-9_-]{1,32}$" },
        ],
        description:
          "The metric; or the selector of an own cohort, or a method of lots, whose metrics are counted together.",
      },
      points: {
        type: "integer",
        minimum: 1,
        description: "The number of points that differ, of all selectors together.",
      },
      appeared: {
        type: "integer",
        minimum: 0,
        description: "The number of points that only this build has. Zeros of a sum are not points.",
      },
      disappeared: { type: "integer", minimum: 0, description: "The number of points that only the build before has." },
      largest: {
        type: ["number", "null"],
        minimum: 0,
        description:
          "The largest relative change, |now − before| / |before|, of the points that both builds have; null if all of those were 0.",
      },
      first: { ...TIME, description: "The time of the first point that differs." },
    },
    "How the series of one metric changed.",
  ),
  TableAssets: object({ assets: listOf(reference("TableAsset")) }),
});

/** What v3 says of a metric. */
function describedTableMetric(): Record<string, Json> {
  const { path: _path, parameters: _parameters, ...shared } = describedMetric();
  return {
    ...shared,
    name: oneOf(METRICS.map(({ name }) => name)),
    group: oneOf(Object.keys(METRIC_GROUPS)),
    unit: oneOf(
      UNITS,
      "The unit of the values: usd_per_token is a price, token_days are tokens times days, and a ratio is a plain number.",
    ),
    kind: oneOf(
      ["flow", "state", "price"],
      "flow: computed from the events in the bucket. state: computed from what is held at the close of the bucket's last day. price: the price at the bucket's close.",
    ),
    "countsAnew?": {
      const: true,
      description: "Whether each bucket counts anew, as with active addresses, so that days do not add up to weeks.",
    },
    look: reference("NaturalLook"),
    resolutions: listOf(oneOf(RESOLUTIONS)),
    selector: {
      oneOf: [reference("TableSelector"), { type: "null" }],
      description: "The parameter that selects one of the metric's series; null if the metric has a single series.",
    },
    "lots?": LOTS_SCHEMA,
  };
}
