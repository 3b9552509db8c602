/** The member `predecessors` of ASSET.json. */

import { expect, test } from "vitest";
import { mergedDecimals, type Predecessor, unitFactors } from "../../../builder/input/asset/predecessors.ts";
import { Folder, OTHER_TOKEN, TOKEN } from "../folder.ts";

const SWAP = `0x${"5a".repeat(20)}`;
const former = (keys: Partial<Predecessor> = {}): Predecessor => ({
  contract: OTHER_TOKEN,
  transfers: ["old.csv"],
  ratio: "1:1",
  by: "swap",
  swap: [SWAP],
  ...keys,
});

test.each([
  ["1:1", 18, 18, 18, 1n, 1n],
  ["100:1", 18, 18, 20, 1n, 100n],
  ["1:24000", 18, 18, 18, 24_000n, 1n],
  ["1:0.43335", 8, 18, 18, 4_333_500_000n, 1n],
  ["1:0.43335", 18, 18, 23, 43_335n, 100_000n],
  ["1000:1", 18, 8, 21, 1n, 10n ** 13n],
  ["3:6", 0, 0, 0, 2n, 1n],
])("%s, from %d to %d decimals", (ratio, old, own, merged, factor, ownFactor) => {
  const predecessors = [former({ ratio, decimals: old })];
  expect(mergedDecimals("ASSET.json", predecessors, own)).toBe(merged);
  expect(unitFactors({ decimals: merged, ownDecimals: own, predecessors })).toEqual([factor, ownFactor]);
});

const refusal = (keys: Record<string, unknown>, more = {}) =>
  new Folder().refusal({ predecessors: [{ ...former(), ...keys }], ...more });

test("what a migration needs is said", async () => {
  expect(await refusal({ by: undefined, swap: undefined })).toBe(
    'asset.json: "predecessors[0]" needs "by": "swap", with the contract that takes old tokens and gives out new ones as "swap", or "by": "snapshot", with the block of the snapshot as "until": otherwise nobody knows whose new tokens are whose old ones.',
  );
  expect(await refusal({ swap: undefined })).toBe('asset.json: "predecessors[0]" needs "swap" with the rule swap.');
  expect(await refusal({ by: "snapshot" })).toBe('asset.json: "predecessors[0]" needs "until" with the rule snapshot.');
  expect(await refusal({ from: SWAP })).toBe('asset.json: "predecessors[0]" must not have "from" with the rule swap.');
  expect(await refusal({ by: "bridge" })).toBe('asset.json: "predecessors[0].by" must be "swap" or "snapshot".');
  for (const ratio of ["100", "0:1", "1:1:1", "1e2:1", ":"]) {
    expect(await refusal({ ratio })).toBe(
      'asset.json: "predecessors[0].ratio" must be how many old tokens are how many new ones, such as "100:1" or "1:0.43335".',
    );
  }
  expect(await refusal({ ratio: "3:1" })).toBe(
    'asset.json: "predecessors[0].ratio" is 3:1, by which amounts of the old contract are no decimal numbers of the new one: write it as the contract computes it.',
  );
  expect(await refusal({ contract: TOKEN })).toBe(
    `asset.json: ${TOKEN} is there twice, as "contract" and in "predecessors": the token had other contracts before; keep one.`,
  );
  expect(await refusal({ transfers: undefined })).toBe(
    'asset.json: key "predecessors[0].transfers" is missing; add it.',
  );
  expect(await new Folder().refusal({ predecessors: [] })).toBe(
    'asset.json: "predecessors" must be a list of 1 to 3 contracts that the token had before.',
  );
});
