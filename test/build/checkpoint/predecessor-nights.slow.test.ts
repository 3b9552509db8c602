/**
 * A migrated token night after night is what one full build makes of it, and what a token is whose transfers are the merged ones.
 * Source: docs/migrations.md.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { timeLimit, tries } from "../../effort.ts";
import { readInput } from "../../in-memory/input.ts";
import { events } from "../../input/folder.ts";
import { GIVER, live, steps } from "../../input/transfers/predecessors/worlds.ts";
import type { Token, Transfer } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { activeManifest, runBuild, TokenFolder } from "./nights.ts";
import { iso } from "./random-nights.ts";

const TIMEOUT_MS = timeLimit(600_000);
const DAY = 86_400;
const OLD = `0x${"71".repeat(20)}`;
const PER = 100n;
const ALICE = `0x${"a1".repeat(20)}`;

const token = (transfers: Transfer[]): Token => ({
  decimals: 4,
  maxSupply: "1000000",
  asOf: 0,
  prices: [
    [1_600_000_000 - DAY, 1],
    [1_600_000_000 + 3 * DAY, 1.5],
    [1_600_000_000 + 6 * DAY, 0.7],
  ],
  exchanges: { [`0x${"da".repeat(20)}`]: "binance" },
  contracts: [GIVER],
  transfers,
});

/** Tasks of a few rows, whose files are sorted first. */
const SMALL: TaskSizes = {
  bytes: 1_000,
  rows: () => 5,
  partitions: () => 2,
  hours: () => 2,
  writes: () => 2,
  writesAtOnce: () => 1,
};

const HEADER = "block_number,log_index,block_timestamp,from_address,to_address,value";
const csv = (transfers: readonly Transfer[]) =>
  [
    HEADER,
    ...transfers.map(({ block, logIndex, timestamp, from, to, value }) =>
      [block, logIndex, timestamp, from, to, value].join(),
    ),
  ].join("\n");

const REOPENED = "tokens were given out before the snapshot of";

/** Whoever states the balances of a snapshot knows its block: nights come after it. */
const rules = [
  { by: "swap", swap: GIVER },
  { by: "snapshot", from: GIVER, until: 112 },
  { by: "snapshot", from: GIVER, until: 101, balances: "snapshot.csv" },
] as const;

it.each(rules)(
  "nights of a migrated token resume, and equal a full build and a build of the merged transfers: %o",
  async (rule) => {
    await fc.assert(
      fc.asyncProperty(steps(30), async (list) => {
        const { old, now } = live(
          [
            { ...list[0]!, kind: "mintOld", eighths: 8 },
            ...list,
            { ...list[0]!, kind: "mintNew", isNext: true, eighths: 8 },
          ],
          PER,
        );
        const end = Math.max(...[...old, ...now].map(({ timestamp }) => timestamp)) + 1;
        const folder = new TokenFolder(token([]), "TOK");
        try {
          folder.prices(token([]).prices);
          folder.write("snapshot.csv", `address,value\n${ALICE},123456\n${GIVER},5\n`);
          folder.write("team.csv", `address\n${ALICE}\n${GIVER}\n`);
          const keys = {
            transfers: "now-*.csv",
            predecessors: [{ contract: OLD, transfers: "old-*.csv", ratio: `${PER}:1`, ...rule }],
            cohorts: { team: "team.csv" },
            lots: ["fifo", "hifo"],
          };
          const nightly = new MemoryStore();
          const first =
            "balances" in rule ? old.findLast(({ block }) => block <= rule.until)!.timestamp : old[0]!.timestamp;
          let [from, hasCheckpoint] = [0, false];
          for (let asOf = first + 1.5 * DAY; from < end; asOf += 3.5 * DAY) {
            const isNew = ({ timestamp }: Transfer) => timestamp >= from && timestamp < asOf;
            folder.write(`old-${asOf}.csv`, csv(old.filter(isNew)));
            folder.write(`now-${asOf}.csv`, csv(now.filter(isNew)));
            from = asOf;
            const { start } = await runBuild(nightly, folder.asset({ ...keys, asOf: iso(Math.min(asOf, end)) }));
            // Until a snapshot is past, what was given out may count otherwise each night.
            const isOpen = rule.by === "snapshot" && !("balances" in rule);
            const isReopened = isOpen && "reason" in start && start.reason.startsWith(REOPENED);
            if (hasCheckpoint && !isReopened) expect(start).toHaveProperty("from");
            hasCheckpoint = (await activeManifest(nightly, "TOK")).checkpoint !== undefined;
          }
          const whole = new MemoryStore();
          const path = folder.asset({ ...keys, asOf: iso(end) });
          await runBuild(whole, path, { threads: 2, sizes: SMALL });
          const manifest = await activeManifest(whole, "TOK");
          expect(await activeManifest(nightly, "TOK")).toEqual(manifest);

          const merged = events(await readInput(await readAsset(path))).map(
            ([block, logIndex, timestamp, from, to, value]) => ({ block, logIndex, timestamp, from, to, value }),
          );
          folder.write("merged.csv", csv(merged));
          const plain = new MemoryStore();
          const { cohorts: own, lots: methods } = keys;
          const asset = { transfers: "merged.csv", decimals: 6, cohorts: own, lots: methods, asOf: iso(end) };
          await runBuild(plain, folder.asset(asset));
          const { resolutions, counts, holders, cohorts, lots } = await activeManifest(plain, "TOK");
          expect(resolutions).toEqual(manifest.resolutions);
          expect(counts).toEqual(manifest.counts);
          expect(holders).toEqual(manifest.holders);
          expect(cohorts).toEqual(manifest.cohorts);
          expect(lots).toEqual(manifest.lots);
        } finally {
          folder.close();
        }
      }),
      { numRuns: tries(1) },
    );
  },
  TIMEOUT_MS,
);

it("what was given out before a snapshot counts by the balances at its block, whichever night that is in", async () => {
  const [BOB, ZERO] = [`0x${"b0".repeat(20)}`, `0x${"0".repeat(40)}`];
  const at = (day: number, from: string, to: string, value: bigint): Transfer => ({
    ...{ block: 100 + day, logIndex: 0, timestamp: 1_600_000_000 + day * DAY, from, to, value },
  });
  const folder = new TokenFolder(token([]), "TOK");
  try {
    folder.prices(token([]).prices);
    const keys = {
      transfers: "now-*.csv",
      predecessors: [{ contract: OLD, transfers: "old-*.csv", ratio: "1:1", by: "snapshot", from: GIVER, until: 106 }],
    };
    folder.write("old-1.csv", csv([at(0, ZERO, ALICE, 100n)]));
    folder.write("now-1.csv", csv([at(1, ZERO, GIVER, 1000n), at(2, GIVER, ALICE, 50n)]));
    const nightly = new MemoryStore();
    const night = (day: number) => runBuild(nightly, folder.asset({ ...keys, asOf: iso(1_600_000_000 + day * DAY) }));
    await night(4);
    // Nothing is left of Alice's claim: what she was given was a receipt.
    folder.write("old-2.csv", csv([at(5, ALICE, BOB, 100n)]));
    folder.write("now-2.csv", csv([at(7, GIVER, BOB, 30n)]));
    const reason = expect.stringContaining(`${REOPENED} ${OLD}`);
    expect((await night(9)).start).toEqual({ reason });
    // From here on, nothing can change that.
    folder.write("now-3.csv", csv([at(10, BOB, ALICE, 10n)]));
    expect((await night(12)).start).toHaveProperty("from");
    const whole = new MemoryStore();
    await runBuild(whole, folder.asset({ ...keys, asOf: iso(1_600_000_000 + 12 * DAY) }));
    expect(await activeManifest(nightly, "TOK")).toEqual(await activeManifest(whole, "TOK"));
  } finally {
    folder.close();
  }
});
