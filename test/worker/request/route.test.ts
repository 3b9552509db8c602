/** Every endpoint with every selector and resolution: allowed ones are answered, others refused. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { SET_C, SET_V2 } from "../../../data-schema/registry/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";
import {
  findMetric,
  metricNames,
  SINGLE_SERIES,
  VERSIONS,
  v1ResolutionsOf,
} from "../../../data-schema/registry/metrics.ts";
import { V1_RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { TRANSFER_SAMPLES } from "../../../data-schema/registry/samples.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, HOUR, publish, type SeriesPoints } from "../token.ts";

const START = at("2023-05-01");
const END = START + DAY;

/** Two points for each series, derived from its name, so that a mix-up of series would show. */
const series: SeriesPoints = (metric, resolution, selector) => {
  const name = `${metric} ${resolution} ${selector}`;
  const value = [...name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000_003, 7) + 0.5;
  return [
    { t: START, v: value },
    { t: resolution === "day" ? START + DAY : START + HOUR, v: value * 2 },
  ];
};

const periods = [{ name: "all", from: START, to: END + DAY }];
let client: Client;

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "ALL",
    periods: { day: periods, hour: periods, block: periods },
    range: { day: [START, END], hour: [START, START + HOUR] },
    series,
  });
  client = freshIsolate();
});

const ANY_SELECTOR = [...new Set<string>([...SET_C, ...SET_V2, ...EXCHANGE_SELECTORS, ...TRANSFER_SAMPLES, "none"])];

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

const ENDPOINTS = VERSIONS.flatMap((version) => metricNames(version).map((name) => ({ version, name })));

it("serves 43 + 11 endpoints", () => {
  expect(ENDPOINTS.filter(({ version }) => version === "v1")).toHaveLength(43);
  expect(ENDPOINTS.filter(({ version }) => version === "v2")).toHaveLength(11);
});

describe.each(ENDPOINTS)("/$version/metrics/$name", ({ version, name }) => {
  const metric = findMetric(version, name)!;
  const selector = metric.selectors[version];
  const path = `/${version}/metrics/${name}?a=all`;

  it("answers each allowed selector at each resolution with its own series", async () => {
    for (const resolution of v1ResolutionsOf(metric)) {
      for (const value of selector?.values ?? [undefined]) {
        const choice = value === undefined ? "" : `&${selector?.parameter}=${encodeURIComponent(value)}`;
        // A metric without other resolutions does not take the parameter at all.
        const r = metric.kind === "flow" ? `&r=${resolution}` : "";
        const response = await client.fetch(path + r + choice);
        const points = series(name, resolution, value ?? SINGLE_SERIES).map(({ t, v }) => ({ t: iso(t), v }));
        expect([response.status, await response.json()]).toEqual([200, points]);
      }
    }
  });

  it("uses its default selector and days if none are named", async () => {
    const response = await client.fetch(path);
    expect(await response.json()).toEqual(
      series(name, "day", selector?.default ?? SINGLE_SERIES).map(({ t, v }) => ({ t: iso(t), v })),
    );
  });

  it("refuses every other selector", async () => {
    for (const parameter of ["c", "t"]) {
      for (const value of ANY_SELECTOR) {
        if (selector?.parameter === parameter && selector.values.includes(value)) continue;
        const response = await client.fetch(`${path}&${parameter}=${encodeURIComponent(value)}`);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ status: 400, parameter });
      }
    }
  });

  it("refuses every other resolution", async () => {
    const allowed = metric.kind === "flow" ? V1_RESOLUTIONS : [];
    for (const resolution of [...V1_RESOLUTIONS, "week", "DAY"]) {
      if (allowed.some((candidate) => candidate === resolution)) continue;
      const response = await client.fetch(`${path}&r=${resolution}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ status: 400, parameter: "r" });
    }
  });
});
