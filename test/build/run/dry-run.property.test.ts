/** What --dry-run says is what a build does. */

import { expect, it } from "vitest";
import { dryRunBuild } from "../../../builder/build/run/dry-run.ts";
import { activeManifest, runBuild } from "../checkpoint/nights.ts";
import { AS_OF, DAY, firstNight, START } from "../checkpoint/two-nights.ts";

it("names the day to resume from, or why it would be a full build", async () => {
  const { folder, store } = await firstNight();
  folder.remove("transfers-2.csv");
  const asset = folder.asset();
  const asOf = Date.parse(AS_OF.second) / 1000;
  await runBuild(store, asset, { asOf });
  const { asOf: published, resolutions } = await activeManifest(store, "TOK");
  expect(published).toBe("2024-02-06T00:00:00.000Z");
  expect(resolutions.day.last).toBe(asOf - DAY);
  expect(await dryRunBuild(asset, store, { threads: 1, asOf: asOf + DAY })).toBe(
    "TOK: resume from 2024-02-06, 0 events to replay",
  );
  expect(await dryRunBuild(asset, store, { threads: 1 })).toMatch(/^TOK: full build: the last transfer, /);
});

it("says that nothing has changed, whether or not asOf is given", async () => {
  const { folder, store } = await firstNight();
  const asset = folder.asset();
  const { build } = await runBuild(store, asset);
  const { asOf } = await activeManifest(store, "TOK");
  for (const options of [{}, { asOf: Date.parse(asOf) / 1000 }]) {
    expect(await dryRunBuild(asset, store, { threads: 1, ...options })).toBe(
      `TOK: unchanged, build ${build} is active`,
    );
  }
});

it("counts the events to replay, without those at or after asOf", async () => {
  const { folder, store } = await firstNight();
  const asset = folder.asset();
  const asOf = START + 5 * DAY;
  // The night before, this day was not complete. Two more rows are there, which are of later days.
  expect(await dryRunBuild(asset, store, { threads: 1, asOf })).toBe("TOK: resume from 2024-02-03, 1 event to replay");
  expect(await runBuild(store, asset, { asOf })).toMatchObject({
    replayed: 1,
    details: { input: { skippedAfterAsOf: 2 } },
  });
});
