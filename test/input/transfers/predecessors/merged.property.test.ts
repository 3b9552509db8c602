/** The merged history of random lives against plain sums: what each holder has of both contracts, and what has been swapped. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { readAsset } from "../../../../builder/input/asset/asset.ts";
import { timeLimit, tries } from "../../../effort.ts";
import { readInput } from "../../../in-memory/input.ts";
import type { Transfer } from "../../../reference/reference.ts";
import { csv, events, Folder, HEADER, OTHER_TOKEN } from "../../folder.ts";
import { GIVER, live, steps, ZERO } from "./worlds.ts";

const TIMEOUT_MS = timeLimit(120_000);

const rows = (transfers: readonly Transfer[]) =>
  transfers.map(({ block, logIndex, timestamp, from, to, value }) =>
    [block, logIndex, timestamp, from, to, value].join(),
  );

async function readMerged(
  folder: Folder,
  old: readonly Transfer[],
  now: readonly Transfer[],
  keys: Record<string, unknown>,
) {
  folder.write("old.csv", csv(HEADER, ...rows(old))).write("transfers.csv", csv(HEADER, ...rows(now)));
  const predecessors = [{ contract: OTHER_TOKEN, transfers: "old.csv", ...keys }];
  const input = await readInput(await readAsset(folder.asset({ predecessors })));
  return { merged: events(input), notices: input.report.notices };
}

/** What each holder has at the end. @throws {Error} somebody had less than nothing at some time */
function balancesOf(merged: Awaited<ReturnType<typeof readMerged>>["merged"]): Map<string, bigint> {
  const balances = new Map<string, bigint>();
  for (const [, , , from, to, value] of merged) {
    for (const [address, change] of [[from, -value] as const, [to, value] as const]) {
      if (address === ZERO) continue;
      const balance = (balances.get(address) ?? 0n) + change;
      if (balance < 0n) throw new Error(`${address} has ${balance}`);
      balances.set(address, balance);
    }
  }
  return withoutZeros(balances);
}

const withoutZeros = (balances: ReadonlyMap<string, bigint>) =>
  new Map([...balances].filter(([, balance]) => balance !== 0n).sort());

test("everybody has what they have of the old and the new tokens, at all times at least nothing, and swaps move nothing", {
  timeout: TIMEOUT_MS,
}, async () => {
  const folder = new Folder();
  await fc.assert(
    fc.asyncProperty(steps(), fc.constantFrom(1n, 10n, 100n), async (list, per) => {
      const { old, now, oldBalances, newBalances, swaps, isPlain } = live(list, per);
      fc.pre(old.length + now.length > 0);
      const { merged, notices } = await readMerged(folder, old, now, { ratio: `${per}:1`, by: "swap", swap: GIVER });
      // Merged raw units are those of the old contract.
      const sums = new Map(oldBalances);
      for (const [address, balance] of newBalances) sums.set(address, (sums.get(address) ?? 0n) + balance * per);
      expect(balancesOf(merged)).toEqual(withoutZeros(sums));
      expect(merged).toHaveLength(old.length + now.length);
      if (!isPlain) return;
      // With one step a block, the swaps are those events that have lost their amounts, and nothing else has changed.
      const value = (transfers: readonly Transfer[], factor: bigint) =>
        transfers.reduce((sum, transfer) => sum + transfer.value * factor, 0n);
      const swapped = swaps.reduce((sum, amount) => sum + amount, 0n);
      const kept = merged.reduce((sum, [, , , , , amount]) => sum + amount, 0n);
      expect(kept).toBe(value(old, 1n) + value(now, per) - 2n * swapped);
      const said = swaps.length === 0 ? /^No swap/ : new RegExp(`^Carried over ${swaps.length} swaps? of `);
      expect(notices[0]).toMatch(said);
    }),
    { numRuns: tries(15) },
  );
});

test("after a snapshot, everybody has what they were given besides what they had", {
  timeout: TIMEOUT_MS,
}, async () => {
  const gift = fc.tuple(fc.nat(3), fc.integer({ min: 0, max: 2_000 }), fc.boolean());
  const folder = new Folder();
  await fc.assert(
    fc.asyncProperty(steps(20), fc.array(gift, { minLength: 1, maxLength: 12 }), async (list, gifts) => {
      const { old } = live(
        list.map((step) => ({ ...step, kind: step.kind.endsWith("Old") ? step.kind : ("mintOld" as const) })),
        1n,
      );
      const until = 100 + Math.floor(list.length / 3);
      const held = new Map<string, bigint>();
      for (const { block, from, to, value } of old) {
        if (block > until) continue;
        if (from !== ZERO) held.set(from, (held.get(from) ?? 0n) - value);
        if (to !== ZERO) held.set(to, (held.get(to) ?? 0n) + value);
      }
      const addresses = [...new Set([...held.keys(), `0x${"ee".repeat(20)}`])];
      const now = gifts.map(
        ([who, value, isMint], at): Transfer => ({
          block: 1_000 + Math.floor(at / 2),
          logIndex: at % 2,
          timestamp: 1_700_000_000 + 60 * Math.floor(at / 2),
          from: isMint ? ZERO : GIVER,
          to: addresses[who % addresses.length]!,
          value: BigInt(value),
        }),
      );
      const given = new Map<string, bigint>();
      for (const { to, value } of now) given.set(to, (given.get(to) ?? 0n) + value);
      const { merged } = await readMerged(folder, old, now, { ratio: "1:1", by: "snapshot", until, from: GIVER });
      const most = new Map<string, bigint>();
      for (const address of addresses) {
        const [had, got] = [held.get(address) ?? 0n, given.get(address) ?? 0n];
        most.set(address, had > got ? had : got);
      }
      expect(balancesOf(merged)).toEqual(withoutZeros(most));
    }),
    { numRuns: tries(15) },
  );
});
