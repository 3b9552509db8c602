/** HUM, a real token: built by the command line, served over HTTP, compared with series computed elsewhere. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMetric, type Metric, metricByName, metricNames } from "../../data-schema/registry/metrics.ts";
import { type RunningServer, serve, soprano } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { compareSeries } from "../reference/compare.ts";
import { HUM_ASSET, humIsMissing, readExpectedHum } from "../reference/hum.ts";
import type { Point, SeriesByKey } from "../reference/reference.ts";

const missing = humIsMissing();
if (missing) console.warn(`HUM is not tested end to end: ${missing}.`);

describe.skipIf(missing)("HUM", () => {
  const persist = newFolder();
  let server: RunningServer;
  let key: string;

  beforeAll(async () => {
    const built = await soprano("build", HUM_ASSET, "--persist", persist);
    expect(built).toMatchObject({ status: 0, stdout: expect.stringMatching(/^HUM [0-9a-f]{16}\n$/) });
    expect(built.stderr).toMatch(/rows read +30,389\n/);
    key = (
      await soprano("keys", "create", "--name", "test", "--plan", "unlimited", "--persist", persist)
    ).stdout.trim();
    server = await serve(persist);
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(persist, { recursive: true, force: true });
  });

  async function get(metric: Metric, selector: string): Promise<Point[]> {
    const query = new URLSearchParams({ api_key: key, a: "HUM" });
    const parameter = metric.selectors.v1?.parameter;
    if (parameter) query.set(parameter, selector);
    const response = await fetch(`${server.url}/v1/metrics/${metric.name}?${query}`);
    expect(response.status).toBe(200);
    const points = (await response.json()) as { t: string; v: number }[];
    return points.map(({ t, v }) => ({ t: Date.parse(`${t}Z`) / 1000, v }));
  }

  it("is whole", async () => {
    const verified = await soprano("verify", "HUM", "--persist", persist);
    expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining("is whole") });
  });

  it("serves every day series as expected", async () => {
    const expected = readExpectedHum();
    const served: SeriesByKey = new Map();
    for (const metric of metricNames("v1").map(metricByName)) {
      const requests = (metric.selectors.v1?.values ?? ["-"]).map(async (selector) => {
        const points = await get(metric, selector);
        const key = `${metric.name}|day|${selector}`;
        // Idle days are filled with zeros; the expected sums list the others only.
        if (metric.shape === "sum") expect(points).toHaveLength(1232);
        served.set(key, metric.shape === "sum" ? points.filter(({ v }) => v !== 0) : points);
      });
      await Promise.all(requests);
    }
    expect(expected.size).toBe(960);
    expect(compareSeries(served, expected)).toEqual([]);
  });

  it("answers the same under v2", async () => {
    const query = `api_key=${key}&a=hum&s=2021-06-04&u=2021-06-10&c=$1k-10k`;
    const [v1, v2] = await Promise.all(
      ["v1", "v2"].map(async (version) => (await fetch(`${server.url}/${version}/metrics/volume?${query}`)).text()),
    );
    expect(v2).toBe(v1);
    expect(JSON.parse(v1 ?? "")).toHaveLength(7);
    expect(findMetric("v2", "volume")?.shape).toBe("sum");
  });

  it("serves hours that add up to their day, and blocks to their hour", async () => {
    const points = async (query: string) => {
      const url = `${server.url}/v1/metrics/volume?api_key=${key}&a=HUM&s=2021-06-04&u=2021-06-04${query}`;
      return (await (await fetch(url)).json()) as { t: string; v: number }[];
    };
    const [day] = await points("");
    const hours = await points("T23:59:59&r=hour");
    const blocks = await points("T23:59:59&r=block");
    const sum = (series: { v: number }[]) => series.reduce((total, { v }) => total + v, 0);
    expect(hours).toHaveLength(24);
    expect(sum(hours)).toBeCloseTo(day?.v ?? Number.NaN, 3);
    expect(sum(blocks)).toBeCloseTo(day?.v ?? Number.NaN, 3);
  });
});
