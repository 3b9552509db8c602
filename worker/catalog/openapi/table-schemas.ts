/** Schemas of the answers of v3. */

import { MEASURES } from "../../../data-schema/formula.ts";
import {
  DISTRIBUTION_FIELDS,
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  DISTRIBUTION_SELECTORS,
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
  SCREENER_COLUMNS,
  SCREENER_FIELDS,
  SPARKLINE_CLOSES,
} from "../../../data-schema/stored.ts";
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
  description: "How fresh the data should be: of the last hour, or of the last day.",
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
    description: "The longest stretches of more than seven days in which the last price had to hold.",
  },
  "moreGaps?": { ...countSchema, minimum: 1, description: "Gaps that are not listed, because they are shorter." },
};

const labelCoverage = (mayBeShipped: boolean): Json =>
  object({
    ...(mayBeShipped && { "version?": textSchema("Of the labels that ship with Soprano.") }),
    "sha256?": textSchema("Of the operator's own list: another list, another digest."),
    addresses: { ...countSchema, description: "Labelled addresses." },
    "held?": { ...countSchema, description: "Of these, those that have held the token by the last day's close." },
    "holders?": { ...countSchema, description: "Of these, those that hold it then." },
    "supplyShare?": { ...share, description: "Of the supply at the last day's close." },
    "volumeShare?": {
      ...share,
      description: "Of the volume of the last 365 days: what other addresses send to them or receive from them.",
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
  description: "For each t a row: a number for each bucket, 0 if it is empty.",
};

/** The schemas of v3. */
export const tableSchemas = (): Record<string, Json> => ({
  Table: object({
    builds: byAsset(textSchema(), "The build of each asset: it changes with the data."),
    asOf: byAsset(instantSchema, "Events of each asset before this time are in."),
    resolution: oneOf(RESOLUTIONS),
    t: {
      ...listOf({ type: ["string", "number"] }),
      description:
        "The rows, ascending: every time at which some series, or one that a formula is made of, has a point. UTC, or Unix seconds with time=unix.",
    },
    "block?": {
      ...listOf({ type: "integer" }),
      description: "The block number of each row; at block resolution only.",
    },
    series: listOf(reference("TableSeries")),
  }),
  TableSeries: object({
    asset: textSchema("Its symbol."),
    "metric?": oneOf(
      MEASURES.map(({ name }) => name),
      "The metric, or the formula that has a name. Formulas of x have name instead.",
    ),
    "selector?": textSchema("A cohort, an exchange or a transfer sample; total if there is one series only. Not of x."),
    "name?": textSchema("Of a formula of x: its name, or else its text."),
    unit: oneOf(UNITS),
    "formula?": textSchema("Of a formula: what it is."),
    v: { ...listOf({ type: ["number", "null"] }), description: "A value a row; null where the series has no point." },
  }),
  TableCsv: {
    ...textSchema(
      "A header with t, block at block resolution, and a name <asset>:<metric>:<selector> a series, <asset>:<name> a formula of x; then a line a row.",
    ),
    pattern: "^t,",
  },
  TableLines: { ...textSchema("An object a row, as JSON, with the names that CSV has."), pattern: "^(\\{|$)" },
  TableArrow: textSchema(
    "A stream of Arrow's IPC format: t, block at block resolution, and a nullable column a series, with the names that CSV has.",
  ),
  TableParquet: textSchema("A Parquet file with the columns that Arrow has."),
  Distribution: object({
    asset: textSchema("Its symbol."),
    build: textSchema("It changes with the data."),
    asOf: { ...instantSchema, description: "Events before this time are in." },
    distribution: oneOf(DISTRIBUTION_NAMES),
    selector: oneOf(DISTRIBUTION_SELECTORS),
    resolution: oneOf(DISTRIBUTION_RESOLUTIONS),
    buckets: {
      ...listOf(
        object(
          {
            name: textSchema("0 or k<number> for costs, 2024-03 for months."),
            from: { type: ["number", "string", "null"] },
            to: { type: ["number", "string", "null"] },
          },
          "From inclusive, to exclusive: costs in USD per token, or times as in t; null where it has no end.",
        ),
      ),
      description: "Those that have an address at some t, ascending.",
    },
    t: {
      ...listOf({ type: ["string", "number"] }),
      description: "Days, weeks or months, ascending. UTC, or Unix seconds with time=unix.",
    },
    ...Object.fromEntries(DISTRIBUTION_FIELDS.map((field) => [field, matrix])),
  }),
  DistributionCsv: {
    ...textSchema("A header, then for each t a line for each bucket that is not empty."),
    pattern: "^t,bucket,from,to,",
  },
  DistributionLines: { ...textSchema("An object a line, as JSON, with the names that CSV has."), pattern: "^(\\{|$)" },
  DistributionArrow: textSchema("A stream of Arrow's IPC format, with the rows and columns that CSV has."),
  DistributionParquet: textSchema("A Parquet file with the rows and columns that CSV has."),
  Screener: object({
    assets: listOf(
      object({
        asset: textSchema("Its symbol."),
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
        selectors: listOf(oneOf(DISTRIBUTION_SELECTORS)),
        resolutions: listOf(oneOf(DISTRIBUTION_RESOLUTIONS)),
        fields: listOf(object({ name: oneOf(DISTRIBUTION_FIELDS), unit: oneOf(UNITS) })),
      }),
    ),
  }),
  File: textSchema("Apache Parquet, or a range of it."),
  Files: object({
    asset: textSchema("Its symbol."),
    build: textSchema("The active build: it changes with the data."),
    asOf: { ...instantSchema, description: "Events before this time are in." },
    files: listOf(reference("ListedFile")),
  }),
  ListedFile: object({
    path: textSchema("What follows the path of this list and a slash."),
    url: { ...textSchema("Where the file is."), format: "uri" },
    resolution: oneOf(RESOLUTIONS),
    metric: textSchema("The metric, or an own cohort or a distribution, of which a file has all series."),
    period: textSchema("all, a year, or the month or day with which a period of blocks begins."),
    bytes: { type: "integer", minimum: 1 },
    rows: { type: "integer", minimum: 1, description: "Of all selectors together." },
    "sha256?": { ...textSchema("Of its bytes. Builds of Soprano 0.2 and earlier lack it."), pattern: "^[0-9a-f]{64}$" },
    "first?": { ...TIME, description: "The first t of all rows. Builds of Soprano 0.2 and earlier lack it." },
    "last?": { ...TIME, description: "The last t of all rows. Builds of Soprano 0.2 and earlier lack it." },
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
              description: "null: the values divide nothing.",
            },
          },
          "Values that have something in common.",
        ),
      ),
    },
    "What picks one of a metric's series.",
  ),
  Division: object(
    {
      by: textSchema("What tells the parts apart: age, for instance. Unique in a selector."),
      ordered: { type: "boolean", description: "Whether the order of the parts means something." },
      adds: {
        type: "boolean",
        description: "Whether the metric's values for the parts add up to that for all of them. Those of ratios don't.",
      },
      parts: { ...listOf(textSchema()), description: "Values that have nothing in common." },
      beside: { ...listOf(textSchema()), description: "What the whole consists of beside the parts." },
      whole: {
        type: ["string", "null"],
        description:
          "What the parts and those beside them are parts of; they may leave something out. null: there is no such series.",
      },
    },
    "How a family of values divides a metric.",
  ),
  TableMetric: object(describedTableMetric()),
  TableMetricWithVersion: object({ version: { const: "v3" }, ...describedTableMetric() }),
  TableMetrics: object({
    version: { const: "v3" },
    groups: listOf(object({ name: oneOf(Object.keys(METRIC_GROUPS)), title: textSchema() })),
    signs: listOf(object({ sign: oneOf(Object.keys(SIGNS)), meaning: textSchema() })),
    parameters: { ...listOf(reference("Parameter")), description: "Of GET /v3/series." },
    metrics: listOf(reference("TableMetric")),
    formulas: {
      ...listOf(
        object({
          name: oneOf(NAMED_FORMULAS.map(({ name }) => name)),
          title: textSchema(),
          description: textSchema(),
          formula: textSchema("In terms of metrics."),
          isShare: { type: "boolean", description: "Whether its values are fractions of 1, shown in per cent." },
          resolutions: listOf(oneOf(RESOLUTIONS)),
          selector: {
            oneOf: [object({ default: textSchema(), values: listOf(textSchema()) }), { type: "null" }],
            description: "What c takes: the selectors that all its metrics have. null: it has one series only.",
          },
        }),
      ),
      description: "Formulas that have names, and that m takes, too.",
    },
  }),
  TableAsset: object({
    ...describedAsset(),
    ranges: {
      ...object(Object.fromEntries(RESOLUTIONS.map((resolution) => [`${resolution}?`, range]))),
      description: "A resolution that is absent is not published.",
    },
    ageHours: { ...countSchema, description: "Whole hours since asOf." },
    freshness: FRESHNESS_SCHEMA,
    "activated?": { ...instantSchema, description: "When the build became active, or was rolled back to." },
    "knownSince?": {
      ...instantSchema,
      description: "From when on it is known what was published: the earliest time that the parameter known takes.",
    },
    "nights?": {
      ...listOf(object({ asOf: TIME, latencySeconds: countSchema })),
      description:
        "The last ten times at which the data ended, ascending, and how long after each of them a build of it was first active.",
    },
    "checked?": CHECKED,
    "priceProof?": PRICE_PROOF,
    "price?": object(
      {
        first: TIME,
        last: TIME,
        ...GAPS,
      },
      "First and last price before asOf. Absent without prices.",
    ),
    "cohorts?": {
      ...listOf(object({ selector: textSchema(), addresses: countSchema, holders: countSchema })),
      description:
        "Own cohorts, by selector: the addresses on the list, and how many of them hold the token. Every metric that takes sth and lth takes them.",
    },
    "labels?": object(
      { "exchanges?": labelCoverage(true), "contracts?": labelCoverage(false) },
      "The addresses that are labelled as those of exchanges and as contracts, and how much of the token they cover.",
    ),
  }),
  Status: object({
    status: {
      ...oneOf(["ok", "late", "degraded"]),
      description: "Whether all assets are as fresh as they are to be; degraded: a manifest cannot be read.",
    },
    assets: listOf(
      object({
        symbol: textSchema(),
        name: textSchema(),
        asOf: { ...instantSchema, description: "Events before this time are in." },
        ageSeconds: { ...countSchema, description: "Since asOf." },
        freshness: FRESHNESS_SCHEMA,
        mostAgeSeconds: { ...countSchema, description: "The age up to which the data is fresh." },
        isFresh: { type: "boolean" },
        "activated?": { ...instantSchema, description: "When the build became active." },
        publications: {
          ...listOf(object({ asOf: TIME, latencySeconds: countSchema })),
          description: "Of the last ten, ascending: where the data ended, and how long after that it was out.",
        },
        "checked?": CHECKED,
        "priceProof?": PRICE_PROOF,
        "prices?": object(GAPS, "What is missing of prices. Absent without prices."),
      }),
    ),
    "unreadable?": { ...listOf(textSchema()), description: "Symbols of assets whose manifest cannot be read." },
  }),
  Builds: object({
    asset: textSchema("Its symbol."),
    builds: { ...listOf(reference("Build")), description: "Those that are kept, the last activated first." },
  }),
  Build: object(
    {
      build: buildId,
      active: { type: "boolean", description: "Whether series come from it unless a request names another one." },
      activated: { ...instantSchema, description: "When it was last activated." },
      "asOf?": { ...instantSchema, description: "Events before this time are in." },
      "created?": instantSchema,
      "engine?": textSchema("Version of the engine that made it."),
      "reason?": textSchema("The day from which it resumed, or why it was a full build."),
    },
    "Of some old builds only the first three are known.",
  ),
  Changes: object({
    asset: textSchema("Its symbol."),
    changes: { ...listOf(reference("Change")), description: "The newest first." },
    next: {
      type: ["integer", "null"],
      description: "`before` of the next page; null if this is the last one.",
    },
  }),
  Change: object(
    {
      n: { type: "integer", minimum: 1, description: "Ascending, with gaps." },
      build: buildId,
      previousBuild: { type: ["string", "null"], description: "The build that was active before; null for the first." },
      asOf: { ...instantSchema, description: "Events before this time are in the build." },
      activated: instantSchema,
      causes: {
        ...listOf({
          ...object({ kind: oneOf(CAUSE_KINDS) }),
          additionalProperties: true,
        }),
        description: "Why there is this build. A kind's other members tell more.",
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
        description: "Stored objects of the build before that were missing or damaged, so that they were not compared.",
      },
    },
    "What one activation changed. Points that are only new are no change.",
  ),
  SeriesChange: object(
    {
      resolution: oneOf(RESOLUTIONS),
      metric: {
        anyOf: [oneOf(METRICS.map(({ name }) => name)), { type: "string", pattern: "^@[a-z0-9_-]{1,32}$" }],
        description: "The metric, or an own cohort, all metrics of which count together.",
      },
      points: { type: "integer", minimum: 1, description: "Points that differ, of all selectors together." },
      appeared: { type: "integer", minimum: 0, description: "Those that only this build has. A sum of 0 is no point." },
      disappeared: { type: "integer", minimum: 0, description: "Those that only the build before has." },
      largest: {
        type: ["number", "null"],
        minimum: 0,
        description:
          "The largest |now − before| / |before| of the points that both have; null if none of them was other than 0.",
      },
      first: { ...TIME, description: "Time of the first of them." },
    },
    "How one metric changed.",
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
    unit: oneOf(UNITS, "usd_per_token is a price; token_days are tokens times days; a ratio has no unit."),
    kind: oneOf(
      ["flow", "state", "price"],
      "flow: over the events of a bucket. state: at the close of its last day. price: at its close.",
    ),
    "countsAnew?": { const: true, description: "Each bucket counts anew, so that buckets do not add up." },
    resolutions: listOf(oneOf(RESOLUTIONS)),
    selector: {
      oneOf: [reference("TableSelector"), { type: "null" }],
      description: "null: the metric has one series only.",
    },
  };
}
