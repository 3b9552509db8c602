/** One build against the one before: what is sealed must be the same, or the restatement is named. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { buildKey } from "../../../data-schema/stored/objects.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { buildInto, changeValue, copyOf, keyOf, manifestIn, ofVersion1, variant, verifyIn } from "./published.ts";

const folder = newFolder();
const asset = join(folder, "asset.json");
const DAY = 86_400_000;
/** Two builds, of which the first knows less of the second year. */
const published = new MemoryStore();
let earlier: Manifest;

beforeAll(async () => {
  await simulate({ out: folder, seed: 7, transfers: 1500, days: 500, symbol: "SIM" });
  await buildInto(published, variant(asset, "earlier.json", { asOf: "2025-09-15T12:00:00Z" }));
  earlier = manifestIn(published, "SIM");
  await buildInto(published, asset);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds again with prices that differ from a day on. */
async function withOtherPrices(from: string): Promise<MemoryStore> {
  const store = copyOf(published);
  const [header, ...rows] = readFileSync(join(folder, "prices.csv"), "utf8").trim().split("\n");
  const since = Date.parse(from) / 1000;
  const changed = rows.map((row) => {
    const [time, price] = row.split(",") as [string, string];
    const seconds = /^\d+$/.test(time) ? Number(time) : Date.parse(time) / 1000;
    return seconds >= since ? `${time},${Number(price) * 2}` : row;
  });
  writeFileSync(join(folder, "other-prices.csv"), `${[header, ...changed].join("\n")}\n`);
  await buildInto(store, variant(asset, "other.json", { prices: "other-prices.csv" }));
  return store;
}

describe("history", () => {
  it("that only grew is not restated", async () => {
    const { history, problems } = await verifyIn(published, "SIM");
    expect(problems).toEqual([]);
    expect(history).toEqual({ build: earlier.build, restated: [], changes: [] });
    // There was something to compare.
    expect(earlier.resolutions.day.last).toBeLessThan(manifestIn(published, "SIM").resolutions.day.last!);
  });

  it("of version 1 is not restated by weeks, months and prices, which it lacks", async () => {
    const store = copyOf(published);
    await store.write(buildKey("SIM", earlier.build), ofVersion1(earlier));
    const { history } = await verifyIn(store, "SIM");
    expect(history).toMatchObject({ build: earlier.build, restated: [] });
  });

  it("is restated by other prices, from their day on", async () => {
    const before = new Date(earlier.resolutions.day.last! * 1000 - 30 * DAY).toISOString().slice(0, 10);
    const store = await withOtherPrices(`${before}T00:00:00Z`);
    const { history, problems } = await verifyIn(store, "SIM");
    expect(problems).toEqual([]);
    expect(history?.restated[0]).toMatch(new RegExp(`^day, from ${before} on: \\d+ metrics, such as `));
    expect(history?.changes.join()).toMatch(/^prices .* is missing$/);
  });

  it("names hours and days with another value, and since when", async () => {
    const store = copyOf(published);
    await changeValue(store, "SIM", { resolution: "hour", metric: "cex_inflow", selector: "all" });
    await changeValue(store, "SIM", { resolution: "day", metric: "supply", selector: "total" });
    const { history } = await verifyIn(store, "SIM");
    expect(history?.restated).toEqual([
      expect.stringMatching(/^day, from 202\d-\d\d-\d\d on: supply\.$/),
      expect.stringMatching(/^hour, from 202\d-\d\d-\d\dT\d\d:00:00Z on: cex_inflow\.$/),
    ]);
  });

  it("says so when objects of the earlier build are gone", async () => {
    const store = copyOf(published);
    store.objects.delete(keyOf(earlier, { resolution: "day", metric: "sopr" }));
    const { history } = await verifyIn(store, "SIM");
    expect(history).toMatchObject({
      restated: [],
      note: "1 object missing or damaged, and not compared",
    });
  });
});
