import { describe, expect, it } from "vitest";
import { errorText } from "../../../data-schema/formula/error-text.ts";
import { FormulaError } from "../../../data-schema/formula/formula-error.ts";
import { FUNCTIONS } from "../../../data-schema/formula/functions/functions.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { catalog, read } from "../../explorer/formula/catalog.ts";

const inputs = (text: string) =>
  read(text).inputs.map(({ asset, metric, selector }) => `${asset}:${metric}:${selector}`);

describe("names", () => {
  it("are those of metrics, of the chart's asset and with their usual selectors", () => {
    expect(inputs("market_cap / Realised_Cap:users")).toEqual(["ARIA:market_cap:total", "ARIA:realised_cap:users"]);
    expect(inputs("duet.price / price")).toEqual(["DUET:price:null", "ARIA:price:null"]);
  });

  it("that repeat are one series", () => {
    expect(inputs("supply - lag(supply:total) + supply:$10m+")).toEqual(["ARIA:supply:total", "ARIA:supply:$10M+"]);
  });

  it("of formulas stand for these, for a cohort or an asset, too", () => {
    expect(inputs("MVRV")).toEqual(["ARIA:market_cap:total", "ARIA:realised_cap:total"]);
    expect(inputs("sma(DUET.mvrv:users, 7)")).toEqual(["DUET:market_cap:users", "DUET:realised_cap:users"]);
    expect(inputs("netflow:binance")).toEqual(["ARIA:cex_inflow:binance", "ARIA:cex_outflow:binance"]);
  });

  it("of own cohorts go to metrics that take them", () => {
    expect(inputs("sopr:@team / sopr")).toEqual(["ARIA:sopr:@team", "ARIA:sopr:total"]);
    expect(inputs("mvrv:@team")).toEqual(["ARIA:market_cap:@team", "ARIA:realised_cap:@team"]);
  });

  it("of formulas are free", () => {
    const taken = [...catalog.metrics, ...FUNCTIONS].map(({ name }) => name);
    expect(NAMED_FORMULAS.filter(({ name }) => taken.includes(name))).toEqual([]);
  });

  it.each(NAMED_FORMULAS)("$name can be read", ({ text }) => expect(inputs(text)).not.toEqual([]));
});

it.each([
  ["market_cap / realised_cap", "ratio"],
  ["market_cap - realised_cap", "usd"],
  ["market_cap / supply", "usd_per_token"],
  ["price * supply", "usd"],
  ["2 * supply", "token"],
  ["supply / num_addresses", "ratio"],
  ["supply + market_cap", "ratio"],
  ["sma(supply, 7) + change(supply)", "token"],
  ["pct(supply)", "share"],
  ["sma(share_in_profit, 7)", "share"],
  ["1 - share_in_profit", "ratio"],
  ["supply_profit / supply", "ratio"],
  ["index(price, '2024-01-01')", "ratio"],
  ["mvrv_zscore", "ratio"],
])("the unit of %s is %s", (text, unit) => expect(read(text).unit).toBe(unit));

it.each([
  ["supply", 0],
  ["sma(volume, 7) / lag(volume, 30)", 30],
  ["change(sma(volume, 7))", 7],
  ["sma(ema(volume, 2), 7)", Number.POSITIVE_INFINITY],
  ["std(volume)", Number.POSITIVE_INFINITY],
  ["index(volume)", Number.POSITIVE_INFINITY],
])("%s depends on %d rows before", (text, reach) => expect(read(text).reach).toBe(reach));

it.each([
  ["index(volume)", false],
  ['2 - sma(index(volume, "2024-01-01"), 3)', true],
  ['smooth(mvrv, 3) / index(price, "2024-01-01")', true],
])("%s depends on rows after: %s", (text, ahead) => expect(read(text).looksAhead).toBe(ahead));

it("works out constants", () => {
  expect(read("supply * (1 - 3) / 0").expression).toMatchObject({ left: { right: { kind: "number", value: -2 } } });
  expect(read("supply + 0 / 0").expression).toMatchObject({ right: { kind: "number", value: Number.NaN } });
});

/** The message, and the text with the place that it marks. */
function complaint(text: string): [message: string, marked: string] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    const { from, to } = error.span;
    return [errorText(error), `${text.slice(0, from)}«${text.slice(from, to)}»${text.slice(to)}`];
  }
  throw new Error(`${text} can be read.`);
}

it.each([
  ["2 * «market_capp»", "There is no metric market_capp. Did you mean market_cap?"],
  ["«xyzzy»", "There is no metric xyzzy."],
  ['price + «"abc"»', 'Quotes belong around an asset, a selector or a date, as in "LP-3".price.'],
  ["sma(price, «'2024-01-01'»)", 'Quotes belong around an asset, a selector or a date, as in "LP-3".price.'],
  ["index(price, «30»)", 'The second argument of index is a date in quotes, such as "2024-01-01".'],
  [
    'index(price, «"2024-02-30"»)',
    'The second argument of index is a date in quotes, such as "2024-01-01": this is no time of the calendar.',
  ],
  [
    'index(price, «"May"»)',
    'The second argument of index is a date in quotes, such as "2024-01-01": this is neither Unix seconds nor an ISO 8601 time.',
  ],
  ['index(price, "2024-01-01", «2»)', 'index takes fewer arguments: index(x[, "2024-01-01"]).'],
  ["supply:«usres»", "supply has no selector usres. Did you mean users?"],
  ["cex_inflow:«@team»", "cex_inflow has no selector @team."],
  ["price:«users»", "price has a single series, so it takes no selector."],
  ["«ARIO».price", "There is no asset ARIO. Did you mean ARIA?"],
  ["«smma»(price, 3)", "There is no function smma. Did you mean sma?"],
  ["«sma» / 2", "sma is a function: write sma(x[, n])."],
  ["«ARIA.sma»(price, 3)", "sma is a function. Assets and selectors belong to the metrics in it."],
  ["«sma()»", "sma needs a metric: sma(x[, n])."],
  ["1 + «ema(price)»", "ema needs a number of rows, such as ema(price, 30)."],
  ["sma(price, «2.5»)", "The second argument of sma is a whole number of rows, from 1 to 100000."],
  ["std(price, «1»)", "The second argument of std is a whole number of rows, from 2 to 100000."],
  ["lag(price, «-1»)", "The second argument of lag is a whole number of rows, from 1 to 100000."],
  ["sma(price, «supply»)", "The second argument of sma is a whole number of rows, from 1 to 100000."],
  ["sma(price, 3, «4»)", "sma takes fewer arguments: sma(x[, n])."],
  ["cumsum(price, «4»)", "cumsum takes fewer arguments: cumsum(x)."],
  ["sma(«1 + 2», 3)", "sma needs a metric, not only a number: sma(x[, n])."],
  ["«1 / 2»", "A formula needs at least one metric."],
  ["1 - «netflow:users»", "cex_inflow has no selector users."],
  [
    `0${Array.from({ length: 20 }, (_, i) => ` + ${catalog.metrics[i]!.name}`).join("")} + «price»`,
    "A formula has at most 20 series.",
  ],
])("%s: %s", (marked, message) => {
  expect(complaint(marked.replaceAll(/[«»]/g, ""))).toEqual([message, marked]);
});
