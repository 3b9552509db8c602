/** What a build asks before it is activated. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Failure } from "../../builder/failure.ts";
import { simulate } from "../../builder/simulate/simulate.ts";
import { verifyBeforeSwap } from "../../builder/verify/before-swap.ts";
import { listedSeries, type Manifest } from "../../data-schema/manifest.ts";
import type { MetricName } from "../../data-schema/metrics.ts";
import { newFolder } from "../folders.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { buildInto, changeValue, copyOf, manifestIn } from "./published.ts";

const folder = newFolder();
const published = new MemoryStore();

beforeAll(async () => {
  await simulate({ out: folder, seed: 3, transfers: 1500, days: 100, symbol: "SIM" });
  await buildInto(published, join(folder, "asset.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bytes of the day objects, as a build has them. */
function daysIn(store: MemoryStore, manifest: Manifest): Map<MetricName, Uint8Array> {
  return new Map(
    [...listedSeries(manifest)]
      .filter(({ resolution }) => resolution === "day")
      .map(({ key, metric }) => [metric, store.objects.get(key)!.bytes]),
  );
}

function check(store: MemoryStore, change: (manifest: Manifest) => void = () => {}) {
  const manifest = manifestIn(store, "SIM");
  const days = daysIn(store, manifest);
  change(manifest);
  verifyBeforeSwap(manifest, days);
}

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
])("refuses %s", async (_, change, message) => {
  const store = copyOf(published);
  await change(store);
  expect(() => check(store)).toThrow(Failure);
  expect(() => check(store)).toThrow(
    /^SIM: build [0-9a-f]{16} is wrong and was not published; .* Build again with --full/,
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
  const days = daysIn(published, manifest);
  days.set(
    "volume",
    days.get("volume")!.map((byte, i) => (i === 50 ? byte ^ 1 : byte)),
  );
  expect(() => verifyBeforeSwap(manifest, days)).toThrow(/volume: its cohort column/);
});
