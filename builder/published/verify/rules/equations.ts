/**
 * The rules of docs/methodology.md §8 as equations between published series. The cost of burns has no series, so rules
 * about it are rearranged until they name series alone. Rule 7 compares resolutions: see nesting.ts.
 */

import {
  AGE_COHORTS,
  BALANCE_COHORTS,
  BASE_COHORTS,
  COST_PERCENTILES,
  EXCHANGE_SELECTORS,
  HOLDING_TERMS,
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  percentileMetric,
  type Resolution,
  SINGLE_SERIES,
  seriesOf,
  TRANSFER_SAMPLES,
  VALUE_RANGES,
  v1ResolutionsOf,
} from "../../../../data-schema/registry.ts";

/** A metric's value, or the sum of the values of several selectors. */
export interface SelectorSum {
  metric: MetricName;
  selectors: readonly string[];
  /** The value of the day before. */
  before?: true;
  /** Multiplied by the value of this metric, of the same selector. */
  times?: MetricName;
}

export interface Equation {
  /** Its number in docs/methodology.md §8. */
  rule: number;
  left: readonly SelectorSum[];
  relation: "=" | "≤";
  right: readonly SelectorSum[];
  resolutions: readonly Resolution[];
  /** Times `CANCELLATION`, it is the tolerance for metrics in which P − a cancels. */
  slack?: SelectorSum;
  /** Tokens; times `COST_ROUNDING` and the highest price, they are the tolerance for the cost of what moves. */
  costOf?: readonly SelectorSum[];
  /** Checked only where the two terms are the same number. */
  onlyIfSame?: readonly [SelectorSum, SelectorSum];
  /** Checked only where this term has a point. */
  onlyIfDefined?: SelectorSum;
}

/** Tolerance relative to the larger operand: each side may be off by 1e-9. Source: docs/methodology.md §8. */
export const RELATIVE = 2e-9;

/** Tolerance relative to `cancellationScale`. Source: docs/methodology.md §8, at its end. */
export const CANCELLATION = 1e-11;

/**
 * Tolerance of a cost, relative to tokens times the highest price. After a price falls by orders of magnitude, averaging
 * it with an old one cancels, and the rounding of the old price is as large as the new one. And if a
 * holder of 1e16 tokens that cost nothing burns one of them, the tokens round to what they were, and the cost does not.
 * Thousands of simulated cases of both kinds stay within this tolerance.
 */
export const COST_ROUNDING = 1e-12;

/** The metric g that the tolerance is relative to where P − a cancels. Source: docs/methodology.md §8, at its end. */
export function cancellationScale(metric: string): "volume_dollar" | "market_cap" | undefined {
  if (metric === "realised_profit" || metric === "realised_loss") return "volume_dollar";
  if (metric === "unrealised_profit" || metric === "unrealised_loss") return "market_cap";
  return undefined;
}

const term = (metric: MetricName, selectors: string | readonly string[]): SelectorSum => ({
  metric,
  selectors: typeof selectors === "string" ? [selectors] : selectors,
});

function slackOf(metric: MetricName, selectors: string | readonly string[]): { slack?: SelectorSum } {
  const scale = cancellationScale(metric);
  return scale ? { slack: term(scale, selectors) } : {};
}

const before = (metric: MetricName, selectors: string | readonly string[]): SelectorSum => ({
  ...term(metric, selectors),
  before: true,
});
/** Weeks and months are compared with days instead: see weeks-from-days.ts. */
const resolutionsOfMetric = (metric: MetricName) => v1ResolutionsOf(metricByName(metric));

type Named = Metric & { name: MetricName };
const sums = (METRICS as readonly Named[]).filter(({ shape }) => shape === "sum");
const withSelector = (selector: string) => (metric: Metric) => seriesOf(metric).includes(selector);
/** Over `total`, `users`, `sc`, `cex` and the parts of `users`. */
const overGroups = sums.filter(withSelector("sc"));
/** Over the parts of `users`. */
const overParts = sums.filter(withSelector(BALANCE_COHORTS[0]));
const valueRangesOf = (metric: MetricName) => term(metric, VALUE_RANGES);
const eachSelectorOf = (metric: MetricName) => seriesOf(metricByName(metric));

/** The first two add up to no more than the third. */
const PARTS_AND_WHOLE: readonly (readonly [MetricName, MetricName, MetricName])[] = [
  ["realised_profit_asset", "realised_loss_asset", "volume"],
  ["supply_profit", "supply_loss", "supply"],
  ["num_addresses_profit", "num_addresses_loss", "num_addresses"],
];

/** ratio · denominator = numerator. */
const RATIOS: readonly (readonly [ratio: MetricName, denominator: MetricName, numerator: MetricName])[] = [
  ["moved_coins_realised_price", "volume", "moved_coins_cost_basis"],
  ["realised_price", "supply", "realised_cap"],
  ["mean_age", "supply", "coin_days_held"],
  // Where the cost is 0 there is no ratio, though there may be dollars.
  ["sopr", "moved_coins_cost_basis", "volume_dollar"],
];

/** What a cohort sends and burns, where that has series: those of users are of short- and long-term holders. */
function sentBy(cohort: string): SelectorSum[][] {
  if (cohort === "total") return [[term("volume", "total"), term("burned", SINGLE_SERIES)]];
  return eachSelectorOf("outflow_cohort").includes(cohort) ? [[term("outflow_cohort", cohort)]] : [];
}

/** Each is a part of the next. */
const LARGEST: readonly MetricName[] = ["supply_top_10", "supply_top_100", "supply_top_1000", "supply"];

/** The two sides of events, and of how long ago the last event is at most: each is a part of the next. */
const SIDES: readonly MetricName[] = ["active_senders", "active_receivers"];
const WINDOWS: readonly MetricName[] = ["active_addresses", "active_addresses_7d", "active_addresses_30d"];
const PERCENTILES = COST_PERCENTILES.map(percentileMetric);

/** Two names of the same holdings. */
const SYNONYMS: readonly (readonly [SelectorSum, SelectorSum])[] = [
  [term("supply", "cex"), term("cex_reserve", "all")],
  [term("market_cap", "cex"), term("cex_reserve_dollar", "all")],
  [term("supply", "sc"), term("sc_volume_locked", "total")],
  [term("market_cap", "sc"), term("sc_volume_locked_dollar", "total")],
];

/** What users have paid, at the end of a day and with the cost of what left; and at its beginning, with what came. */
const PAID_AFTER = [term("realised_cap", "users"), term("moved_coins_cost_basis", "users")];
const PAID_BEFORE = [before("realised_cap", "users"), valueRangesOf("inflow_cohort_dollar")];
const costOf = [valueRangesOf("inflow_cohort"), valueRangesOf("outflow_cohort")];

/** What coins have aged in a day: those that moved with those that are held, and what all would have at its end. */
const COIN_DAYS_AFTER = [term("coin_days_held", "total"), term("coin_days_destroyed", "total")];
const COIN_DAYS_BEFORE = [before("coin_days_held", "total"), before("supply", "total")];

/** An equation of days, unless `more` names other resolutions. */
function equation(
  rule: number,
  left: readonly SelectorSum[],
  relation: Equation["relation"],
  right: readonly SelectorSum[],
  more: Partial<Equation> = {},
): Equation {
  return { rule, left, relation, right, resolutions: ["day"], ...more };
}

export const EQUATIONS: readonly Equation[] = [
  // 1. total = users + cex + sc; value ranges = balance cohorts = users ≥ ages; all exchanges = their sum.
  ...overGroups.map((metric) =>
    equation(1, [term(metric.name, "total")], "=", [term(metric.name, ["users", "cex", "sc"])], {
      resolutions: v1ResolutionsOf(metric),
      ...slackOf(metric.name, "total"),
    }),
  ),
  ...overParts.flatMap((metric) => {
    const { name } = metric;
    const hasUsers = withSelector("users")(metric);
    const selectors = hasUsers ? ["users"] : VALUE_RANGES;
    const whole = [term(name, selectors)];
    const more = { resolutions: v1ResolutionsOf(metric), ...slackOf(name, selectors) };
    return [
      ...(hasUsers ? [equation(1, whole, "=", [valueRangesOf(name)], more)] : []),
      equation(1, whole, "=", [term(name, BALANCE_COHORTS)], more),
      equation(1, [term(name, AGE_COHORTS)], "≤", whole, more),
      equation(12, [term(name, HOLDING_TERMS)], "=", whole, more),
    ];
  }),
  ...(["cex_reserve", "cex_reserve_dollar"] as const).map((metric) =>
    equation(1, [term(metric, "all")], "=", [term(metric, EXCHANGE_SELECTORS.slice(1))]),
  ),

  // 2. Supply = minted − burned: what users hold changes by what they receive and send, mints and burns included.
  equation(2, [term("supply", "users"), valueRangesOf("outflow_cohort")], "=", [
    before("supply", "users"),
    valueRangesOf("inflow_cohort"),
  ]),
  ...SYNONYMS.map(([a, b]) => equation(2, [a], "=", [b])),

  // 3. What users have paid grows by what they pay, and shrinks by the cost of what they send or burn. The cost of burns
  // has no series, so this is an equation only where nothing was burned.
  equation(3, PAID_AFTER, "≤", PAID_BEFORE, { costOf }),
  equation(3, PAID_AFTER, "=", PAID_BEFORE, {
    costOf,
    onlyIfSame: [valueRangesOf("outflow_cohort"), valueRangesOf("volume")],
  }),
  // A transfer in the break-even band is off by at most 1e-9 of its larger side.
  ...eachSelectorOf("volume").map((cohort) =>
    equation(
      3,
      [term("realised_profit", cohort), term("moved_coins_cost_basis", cohort)],
      "=",
      [term("realised_loss", cohort), term("volume_dollar", cohort)],
      { resolutions: resolutionsOfMetric("volume") },
    ),
  ),

  // 4. Reserves change by inflow and outflow.
  ...EXCHANGE_SELECTORS.map((exchange) =>
    equation(4, [term("cex_reserve", exchange), term("cex_outflow", exchange)], "=", [
      before("cex_reserve", exchange),
      term("cex_inflow", exchange),
    ]),
  ),

  // 5. Cost basis = realised price · volume, and other ratios likewise.
  ...eachSelectorOf("dormancy").flatMap((cohort) =>
    sentBy(cohort).map((sent) =>
      equation(
        5,
        sent.map((one): SelectorSum => ({ ...one, times: "dormancy" })),
        "=",
        [term("coin_days_destroyed", cohort)],
        {
          resolutions: resolutionsOfMetric("dormancy"),
          onlyIfDefined: term("dormancy", cohort),
        },
      ),
    ),
  ),
  ...RATIOS.flatMap(([ratio, denominator, numerator]) =>
    eachSelectorOf(ratio).map((cohort) =>
      equation(5, [{ ...term(denominator, cohort), times: ratio }], "=", [term(numerator, cohort)], {
        resolutions: resolutionsOfMetric(ratio),
        ...(ratio === "sopr" && { onlyIfDefined: term(ratio, cohort) }),
      }),
    ),
  ),

  // 11. Price and market capitalisation.
  equation(11, [{ ...term("supply", "total"), times: "price" }], "=", [term("market_cap", "total")]),

  // 13. Addresses come and go. 14. So do coins.
  ...BASE_COHORTS.map((cohort) =>
    equation(13, [term("num_addresses", cohort), term("addresses_emptied", cohort)], "=", [
      before("num_addresses", cohort),
      term("addresses_funded", cohort),
    ]),
  ),
  equation(14, [term("supply", "total"), term("burned", SINGLE_SERIES)], "=", [
    before("supply", "total"),
    term("minted", SINGLE_SERIES),
  ]),

  // 15. Each token makes a day of age in a day. Those that are minted or burned that day make a part of one.
  equation(15, COIN_DAYS_AFTER, "≤", [...COIN_DAYS_BEFORE, term("minted", SINGLE_SERIES)]),
  equation(15, COIN_DAYS_BEFORE, "≤", [...COIN_DAYS_AFTER, term("burned", SINGLE_SERIES)]),

  // 16. Who is new is active.
  ...eachSelectorOf("new_addresses").map((cohort) =>
    equation(16, [term("new_addresses", cohort)], "≤", [term("active_addresses", cohort)], {
      resolutions: resolutionsOfMetric("active_addresses"),
    }),
  ),

  // Who sends or receives is active, and nobody else. Groups alone: in a day, an address may be in several of the other cohorts.
  ...BASE_COHORTS.flatMap((cohort) => {
    const more = { resolutions: resolutionsOfMetric("active_addresses") };
    const active = [term("active_addresses", cohort)];
    return [
      ...SIDES.map((metric) => equation(16, [term(metric, cohort)], "≤", active, more)),
      equation(
        16,
        active,
        "≤",
        SIDES.map((metric) => term(metric, cohort)),
        more,
      ),
    ];
  }),
  // Who is active today is of the last 7 days, and those of the day before are all others of these.
  ...BASE_COHORTS.flatMap((cohort) => [
    ...WINDOWS.slice(1).map((longer, i) => equation(16, [term(WINDOWS[i]!, cohort)], "≤", [term(longer, cohort)])),
    ...WINDOWS.slice(1).map((metric) =>
      equation(16, [term(metric, cohort)], "≤", [before(metric, cohort), term("active_addresses", cohort)]),
    ),
  ]),

  equation(16, [term("cex_depositors", SINGLE_SERIES)], "≤", [term("active_addresses", ["users", "sc"])], {
    resolutions: resolutionsOfMetric("cex_depositors"),
  }),
  equation(16, [term("deposit_addresses", SINGLE_SERIES)], "≤", [term("active_addresses", "cex")], {
    resolutions: resolutionsOfMetric("deposit_addresses"),
  }),

  // 17. The largest holders have no more than all. Of n holders, each has a share of 1 or less, and one 1/n or more.
  ...["total", "users"].flatMap((group) => [
    ...LARGEST.slice(1).map((more, i) => equation(17, [term(LARGEST[i]!, group)], "≤", [term(more, group)])),
    equation(17, [{ ...term("num_addresses", group), times: "herfindahl" }], "≤", [term("num_addresses", group)]),
  ]),

  // 19. Percentiles of costs ascend.
  ...["total", "users"].flatMap((group) =>
    PERCENTILES.slice(1).map((higher, i) => equation(19, [term(PERCENTILES[i]!, group)], "≤", [term(higher, group)])),
  ),

  // 6. Profit and loss add up to no more than the whole; the samples add up to all transfers.
  ...PARTS_AND_WHOLE.flatMap(([profit, loss, whole]) =>
    eachSelectorOf(whole).map((cohort) =>
      equation(6, [term(profit, cohort), term(loss, cohort)], "≤", [term(whole, cohort)], {
        resolutions: resolutionsOfMetric(whole),
      }),
    ),
  ),
  equation(6, [term("num_transfers", "all")], "=", [term("num_transfers", TRANSFER_SAMPLES.slice(1))], {
    resolutions: resolutionsOfMetric("num_transfers"),
  }),

  // 8. A holding in the break-even band is off by at most 1e-9 of its larger side.
  ...eachSelectorOf("market_cap").map((cohort) =>
    equation(8, [term("market_cap", cohort), term("unrealised_loss", cohort)], "=", [
      term("realised_cap", cohort),
      term("unrealised_profit", cohort),
    ]),
  ),
];

function termsIn({ left, right, slack, costOf, onlyIfSame, onlyIfDefined }: Equation): SelectorSum[] {
  const perhaps = [slack, onlyIfDefined].filter((one) => one !== undefined);
  return [...left, ...right, ...(costOf ?? []), ...(onlyIfSame ?? []), ...perhaps];
}

const metricsOf = new WeakMap<Equation, readonly MetricName[]>();

/** Every metric that an equation names: worked out once, since each period that is verified asks for it. */
export function metricsIn(equation: Equation): readonly MetricName[] {
  const known = metricsOf.get(equation);
  if (known) return known;
  const all = termsIn(equation).flatMap(({ metric, times }) => (times ? [metric, times] : [metric]));
  const metrics = [...new Set(all)];
  metricsOf.set(equation, metrics);
  return metrics;
}

/** Every selector that an equation names. */
export const selectorsIn = (equation: Equation): string[] => [
  ...new Set(termsIn(equation).flatMap(({ selectors }) => selectors)),
];

/** An equation for a message. */
export function equationText({ left, relation, right }: Equation): string {
  return `${left.map(termText).join(" + ")} ${relation} ${right.map(termText).join(" + ")}`;
}

function termText({ metric, selectors, before, times }: SelectorSum): string {
  const [first, last] = [selectors[0], selectors[selectors.length - 1]];
  const whose = selectors.length > 3 ? `${first} … ${last}` : selectors.join(" + ");
  const factor = times ? `${times}(${whose}) · ` : "";
  return `${factor}${metric}(${whose})${before ? " a day before" : ""}`;
}
