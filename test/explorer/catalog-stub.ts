/** Stands in for the catalog until the Worker serves it: to be removed then. */

import { AGE_COHORTS, BALANCE_COHORTS, BASE_COHORTS, VALUE_RANGES } from "../../data-schema/cohorts.ts";
import { METRICS, type Metric, resolutionsOf } from "../../data-schema/metrics.ts";

const TITLES = {
  realised: "Realised profit and loss",
  transactions: "Transactions",
  unrealised: "Unrealised profit and loss",
  macro: "Supply and valuation",
  exchanges: "Exchanges",
  contracts: "Smart contracts",
};

const families = (values: readonly string[]) =>
  [
    { title: "Base", values: BASE_COHORTS as readonly string[] },
    { title: "By value in USD", values: VALUE_RANGES as readonly string[] },
    { title: "By balance", values: BALANCE_COHORTS as readonly string[] },
    { title: "By holding age", values: AGE_COHORTS as readonly string[] },
    { title: "Exchanges", values: values.includes("binance") ? values : [] },
    { title: "Transfer value", values: values.includes("$20m+") ? values : [] },
  ]
    .map(({ title, values: own }) => ({ title, values: own.filter((value) => values.includes(value)) }))
    .filter(({ values: own }) => own.length > 0);

const metrics = METRICS.map((metric: Metric) => {
  const selector = metric.selectors.v1;
  return {
    ...metric,
    path: `/v1/metrics/${metric.name}`,
    dense: metric.shape === "sum",
    resolutions: resolutionsOf(metric),
    selector: selector && {
      ...selector,
      title:
        selector.parameter === "t"
          ? "Transfer sample"
          : selector.values.includes("binance")
            ? "Exchange"
            : "Address cohort",
      families: selector.values.includes("binance")
        ? [{ title: "Exchanges", values: selector.values }]
        : families(selector.values),
    },
  };
});

const asset = (symbol: string, name: string, first: string) => ({
  symbol,
  name,
  chain: "ethereum",
  contract: "0x0000000000000000000000000000000000000001",
  decimals: 18,
  asOf: "2026-01-01T00:00:00.000Z",
  build: "0123456789abcdef",
  ranges: {
    day: { first: `${first}T00:00:00`, last: "2025-12-31T00:00:00" },
    hour: { first: `${first}T00:00:00`, last: "2025-12-31T23:00:00" },
    block: { first: `${first}T00:00:11`, last: "2025-12-31T23:59:11" },
  },
  balanceEdges: ["0.6", "6", "60", "600", "6000", "60000", "600000"],
});

export const STUB: Record<string, unknown> = {
  "/v1/metrics": {
    version: "v1",
    groups: Object.entries(TITLES).map(([name, title]) => ({ name, title })),
    metrics,
  },
  "/v1/assets": { assets: [asset("ARIA", "Aria", "2023-01-01"), asset("DUET", "Duet", "2025-01-01")] },
  "/openapi.json": {
    openapi: "3.1.0",
    info: { title: "Soprano", version: "0.1.0", description: "On-chain metrics." },
    paths: {
      "/v1/metrics/sopr": {
        get: {
          summary: "SOPR",
          parameters: [{ name: "a", in: "query", required: true, schema: { type: "string" } }],
          responses: { 200: { description: "Points" } },
        },
      },
    },
  },
  "/explorer.json": { publicKey: null, version: "0.1.0" },
};
