/** What a build asks before it is activated. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import type { WholeSeries } from "../../../builder/published/objects/encode-series.ts";
import { isWholeCheck, recentSince, verifyBeforeSwap } from "../../../builder/published/verify/before-swap.ts";
import { listedSeries, type Manifest } from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { buildInto, changeValue, copyOf, manifestIn, replaceRuns } from "./published.ts";

const folder = newFolder();
const published = new MemoryStore();

beforeAll(async () => {
  await simulate({ out: folder, seed: 3, transfers: 1500, days: 100, symbol: "SIM" });
  await buildInto(published, join(folder, "asset.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The day, week and month objects, as a build has them that has resumed at a time, or has not. */
function wholeIn(store: MemoryStore, manifest: Manifest, resumed?: number): WholeSeries {
  const whole: WholeSeries = { day: new Map(), week: new Map(), month: new Map() };
  const since = recentSince(resumed);
  for (const { key, metric, resolution } of listedSeries(manifest)) {
    if (resolution === "hour" || resolution === "block") continue;
    const { bytes } = store.objects.get(key)!;
    const recent = decodeSeries(bytes).flatMap(({ selector, t, v }) => {
      const first = t.findIndex((time) => time >= since);
      return first < 0 ? [] : [{ selector, t: t.slice(first), v: v.slice(first) }];
    });
    whole[resolution].set(metric, { bytes, recent });
  }
  return whole;
}

function check(store: MemoryStore, change: (manifest: Manifest) => void = () => {}, resumed?: number) {
  const manifest = manifestIn(store, "SIM");
  const whole = wholeIn(store, manifest, resumed);
  change(manifest);
  verifyBeforeSwap("sim.json", manifest, whole, resumed);
}

/** The next larger double. */
const nextUp = (v: number) => v * (1 + Number.EPSILON);

it("passes what a build has written", () => {
  check(published);
});

it.each<[string, (store: MemoryStore) => unknown, RegExp]>([
  [
    "a day value that breaks an invariant",
    (s) => changeValue(s, "SIM", { resolution: "day", metric: "supply", selector: "users" }),
    /day: supply\(total\) = supply\(users \+ cex \+ sc\) \(rule 1\) does not hold at 1 place/,
  ],
  [
    "a day value that is no number",
    (s) => changeValue(s, "SIM", { resolution: "day", metric: "sopr", selector: "total" }, () => Number.NaN),
    /sopr: total has values that are not finite numbers/,
  ],
  [
    "a sum of a week that is not that of its days, by its last digit",
    (s) => changeValue(s, "SIM", { resolution: "week", metric: "realised_loss", selector: "total" }, nextUp),
    /week: realised_loss\(total\) does not follow from its days \(rule 10\) at 1 place, first on /,
  ],
  [
    "a ratio of a month that no mixture of its days gives",
    (s) => changeValue(s, "SIM", { resolution: "month", metric: "sopr_profit", selector: "users" }, (v) => 10 * v),
    /month: sopr_profit\(users\) does not follow from its days \(rule 10\) at 1 place, first on .*: .* instead of .* to /,
  ],
  [
    "a price that is not that of the market capitalisation",
    (s) => changeValue(s, "SIM", { resolution: "day", metric: "price", selector: "total" }),
    /day: price\(total\) · supply\(total\) = market_cap\(total\) \(rule 11\) does not hold/,
  ],
])("refuses %s", async (_, change, message) => {
  const store = copyOf(published);
  await change(store);
  expect(() => check(store)).toThrow(Failure);
  expect(() => check(store)).toThrow(
    /^SIM: build [0-9a-f]{16} is wrong and was not published; .* Run `soprano build sim\.json --full`;/,
  );
  expect(() => check(store)).toThrow(message);
});

it("refuses a manifest that contradicts itself", () => {
  const change = (manifest: Manifest) => {
    manifest.resolutions.hour!.periods[0]!.name = "1999";
  };
  expect(() => check(published, change)).toThrow(/The period hour 1999 begins at/);
});

it("refuses bytes of a day that are not those that were written", () => {
  const manifest = manifestIn(published, "SIM");
  const whole = wholeIn(published, manifest);
  const { bytes, recent } = whole.day.get("volume")!;
  whole.day.set("volume", { bytes: bytes.map((byte, i) => (i === 50 ? byte ^ 1 : byte)), recent });
  expect(() => verifyBeforeSwap("sim.json", manifest, whole)).toThrow(/volume: its cohort column/);
});

describe("the check of a night", () => {
  const DAY = 86_400;
  const resolutions = { day: { last: Date.UTC(2024, 0, 9) / 1000, first: 0, periods: [] } };
  /** The build before ended with a day of January 2024, of which the 1st and the 8th are Mondays; this one with the 9th. */
  const isWhole = (day: number) => isWholeCheck({ resolutions }, Date.UTC(2024, 0, day) / 1000);

  it("is a whole one if a week has ended since, or it goes on from nothing", () => {
    expect([7, 8, 9, 10].map(isWhole)).toEqual([true, false, false, false]);
    expect(isWholeCheck({ resolutions }, undefined)).toBe(true);
  });

  const last = () => manifestIn(published, "SIM").resolutions.day.last!;
  /** The build before had all days but the last one. */
  const night = (store: MemoryStore) => () => check(store, () => {}, last());
  const supply = { resolution: "day", metric: "supply", selector: "users" } as const;
  const at = (day: number) => (store: MemoryStore) =>
    replaceRuns(store, "SIM", supply, (runs) => {
      const { t, v } = runs.find(({ selector }) => selector === "users")!;
      v[t.indexOf(day)]! *= 1.001;
      return runs;
    });

  it("passes what a build has written", () => {
    expect(isWholeCheck(manifestIn(published, "SIM"), last())).toBe(false);
    night(published)();
  });

  it("refuses a new day that breaks an equation, also one with the day before", async () => {
    const store = copyOf(published);
    await at(last())(store);
    expect(night(store)).toThrow(
      /day: supply\(total\) = supply\(users \+ cex \+ sc\) \(rule 1\) does not hold at 1 place/,
    );
    const other = copyOf(published);
    await at(last() - DAY)(other);
    expect(night(other)).toThrow(/\(rule 2\) does not hold at 1 place/);
  });

  it("leaves what was there before to the whole check", async () => {
    const store = copyOf(published);
    await at(last() - 5 * DAY)(store);
    night(store)();
    expect(() => check(store)).toThrow(/\(rule 1\) does not hold at 1 place/);
  });
});
