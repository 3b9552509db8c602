/** What a build asks before it is activated. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import type { WholeSeries } from "../../../builder/published/objects/encode-series.ts";
import { verifyBeforeSwap } from "../../../builder/published/verify/before-swap.ts";
import { listedSeries, type Manifest } from "../../../data-schema/stored/manifest.ts";
import { newFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { buildInto, changeValue, copyOf, manifestIn } from "./published.ts";

const folder = newFolder();
const published = new MemoryStore();

beforeAll(async () => {
  await simulate({ out: folder, seed: 3, transfers: 1500, days: 100, symbol: "SIM" });
  await buildInto(published, join(folder, "asset.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bytes of the day, week and month objects, as a build has them. */
function wholeIn(store: MemoryStore, manifest: Manifest): WholeSeries {
  const whole: WholeSeries = { day: new Map(), week: new Map(), month: new Map() };
  for (const { key, metric, resolution } of listedSeries(manifest)) {
    if (resolution === "hour" || resolution === "block") continue;
    whole[resolution].set(metric, store.objects.get(key)!.bytes);
  }
  return whole;
}

function check(store: MemoryStore, change: (manifest: Manifest) => void = () => {}) {
  const manifest = manifestIn(store, "SIM");
  const whole = wholeIn(store, manifest);
  change(manifest);
  verifyBeforeSwap("sim.json", manifest, whole);
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
  whole.day.set(
    "volume",
    whole.day.get("volume")!.map((byte, i) => (i === 50 ? byte ^ 1 : byte)),
  );
  expect(() => verifyBeforeSwap("sim.json", manifest, whole)).toThrow(/volume: its cohort column/);
});
