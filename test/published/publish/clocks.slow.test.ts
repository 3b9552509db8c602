/** A machine whose clock was ahead activated a build: the next one says so, and dates the log by the store's clock. */

import { afterEach, expect, it, vi } from "vitest";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { collect } from "../../../builder/published/builds/collect.ts";
import { lastActivation } from "../../../builder/published/publish/write-changes.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { manifestIn } from "../verify/published.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 27, 5);

afterEach(() => {
  vi.useRealTimers();
});

/** A build on a machine whose clock says a time, at another one of the store's. */
async function buildAt(store: MemoryStore, asOf: string, clock: number, storeClock = clock): Promise<string[]> {
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
  store.now = storeClock;
  const notes: string[] = [];
  const progress = { ...silentProgress(), note: (line: string) => notes.push(line) };
  await runBuild(store, "examples/token/asset.json", { progress, asOf: Date.parse(asOf) / 1000 });
  return notes.filter((note) => note.includes("clock"));
}

const linesOf = async (store: MemoryStore) => {
  const { known, activated } = (await lastActivation(store, manifestIn(store, "TINY")))!;
  return { since: known!.since, at: known!.lines.map(({ at }) => at), activated };
};
const iso = (time: number) => new Date(time).toISOString();

it("is told with both times, and the log goes on with times that have been", async () => {
  const store = new MemoryStore();
  await buildAt(store, "2024-01-02T00:00:00Z", NOW + 48 * HOUR, NOW);
  const { build: ahead } = manifestIn(store, "TINY");
  expect(await buildAt(store, "2024-01-02T12:00:00Z", NOW + HOUR)).toEqual([
    `TINY: build ${ahead} was activated at ${iso(NOW + 48 * HOUR)}, but this machine's clock says ${iso(NOW + HOUR)}. The machine that did it was ahead of the store: set its clock. The log of what was known goes on with the store's times.`,
  ]);
  expect(await linesOf(store)).toEqual({
    since: iso(NOW),
    at: [iso(NOW), iso(NOW + HOUR)],
    activated: iso(NOW + HOUR),
  });
  expect(await buildAt(store, "2024-01-03T00:00:00Z", NOW + 2 * HOUR)).toEqual([]);
});

it("is told, but changes nothing, where this machine's clock may be late", async () => {
  const store = new MemoryStore();
  await buildAt(store, "2024-01-02T00:00:00Z", NOW);
  expect(await buildAt(store, "2024-01-03T00:00:00Z", NOW - HOUR, NOW + 60_000)).toEqual([
    expect.stringMatching(
      / was activated at 2026-11-27T05:00:00.000Z, but .* says 2026-11-27T04:00:00.000Z\. Set the clock/,
    ),
  ]);
  expect(await linesOf(store)).toEqual({ since: iso(NOW), at: [iso(NOW), iso(NOW + 1)], activated: iso(NOW + 1) });
});

it("is tolerated for a minute", async () => {
  const store = new MemoryStore();
  await buildAt(store, "2024-01-02T00:00:00Z", NOW + 50_000, NOW);
  expect(await buildAt(store, "2024-01-03T00:00:00Z", NOW)).toEqual([]);
});

it("removes nothing that is young by the store's clock", async () => {
  const store = new MemoryStore();
  for (const [i, asOf] of ["2024-01-02", "2024-01-02T12:00:00Z", "2024-01-03"].entries()) {
    await buildAt(store, asOf, NOW + i * HOUR);
  }
  const ahead = { keep: 0, minAge: 24 * HOUR, now: new Date(NOW + 100 * HOUR), dryRun: false };
  expect(await collect(store, "TINY", ahead)).toMatchObject({ builds: [], objects: [], waiting: 2 });
  store.now = NOW + 100 * HOUR;
  expect((await collect(store, "TINY", ahead)).builds).toHaveLength(2);
});
