/** Footers that contradict the manifest. */

import { expect, it } from "vitest";
import { seriesFile } from "../../../../builder/published/objects/encode-series.ts";
import { metricByName } from "../../../../data-schema/registry/metrics.ts";
import type { ManifestSeries } from "../../../../data-schema/stored.ts";
import { checkedFooter } from "../../../../worker/read/objects/open-object.ts";

const points = { t: Float64Array.of(0, 86_400), v: Float64Array.of(1, 2) };
const { bytes, entry } = seriesFile("X", metricByName("sopr"), "day", "all", [{ selector: "total", ...points }])!;
const period = { name: "all", from: 0, to: 3 * 86_400, metrics: { sopr: entry } };
const object: ManifestSeries = { key: "X", symbol: "X", metric: "sopr", resolution: "day", period, entry };

it("a footer that is what the manifest says is read", () => {
  expect(checkedFooter(bytes, object)).toMatchObject({ rows: 2, info: { cohorts: { total: [0, 2] } } });
});

it.each<[string, Partial<ManifestSeries>]>([
  ["its symbol is X instead of Y", { symbol: "Y" }],
  ["its metric is sopr instead of volume", { metric: "volume" }],
  ["its resolution is day instead of hour", { resolution: "hour" }],
  ["its period is all instead of 2024", { period: { ...period, name: "2024" } }],
  ["its rows is 2 instead of 3", { entry: { ...entry, rows: 3 } }],
  [`its length is ${entry.footer} instead of ${entry.footer - 1}`, { entry: { ...entry, footer: entry.footer - 1 } }],
])("%s", (message, changes) => {
  const cause = expect.objectContaining({ message });
  const problem = { type: "damaged-data", cause: expect.objectContaining({ cause }) };
  expect(() => checkedFooter(bytes, { ...object, ...changes })).toThrow(expect.objectContaining(problem));
});

it("bytes that are no footer", () => {
  const problem = { type: "damaged-data" };
  expect(() => checkedFooter(bytes.slice(0, -1), object)).toThrow(expect.objectContaining(problem));
});
