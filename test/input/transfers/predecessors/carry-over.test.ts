/** Migrated tokens, worked by hand. */

import { expect, test } from "vitest";
import { ALICE, BOB, CAROL, csv, events, Folder, HEADER, OTHER_TOKEN, row, TOKEN, ZERO } from "../../folder.ts";

const SWAP = `0x${"5a".repeat(20)}`;
const AIRDROP = `0x${"ad".repeat(20)}`;
const E = 10n ** 18n;

/** A row of a block, whose time follows from its number. */
const at = (block: number, log: number, from: string, to: string, value: bigint) =>
  row({ block, log, time: 1_600_000_000 + 12 * block, from, to, value });

const former = (keys: Record<string, unknown> = {}) => ({
  predecessors: [{ contract: OTHER_TOKEN, transfers: "old.csv", ratio: "100:1", by: "swap", swap: SWAP, ...keys }],
});

const folder = (old: string[], now: string[]) =>
  new Folder().write("old.csv", csv(HEADER, ...old)).write("transfers.csv", csv(HEADER, ...now));

/** Events without their times. */
const merged = async (of: Folder, keys: Record<string, unknown>) => {
  const read = await of.read(keys);
  return { events: events(read).map(([block, log, , ...rest]) => [block, log, ...rest]), notices: read.report.notices };
};

/** Alice gets 500 old tokens, sends 200 of them to Bob, and swaps 300 for 3 new ones. */
const OLD = [at(10, 0, ZERO, ALICE, 500n * E), at(11, 0, ALICE, BOB, 200n * E), at(20, 4, ALICE, SWAP, 300n * E)];
/** Five tokens wait in the swap contract. Alice sends one of hers to Carol. */
const NEW = [at(15, 0, ZERO, SWAP, 5n * E), at(20, 5, SWAP, ALICE, 3n * E), at(21, 0, ALICE, CAROL, E)];

test("a swap is neither a sale nor a receipt, and what waits for it is no supply", async () => {
  // A new token is 100 old ones: 20 decimals hold both exactly.
  const unit = 100n * E;
  const { events, notices } = await merged(folder(OLD, NEW), former());
  expect(events).toEqual([
    [10, 0, ZERO, ALICE, 5n * unit],
    [11, 0, ALICE, BOB, 2n * unit],
    [15, 0, ZERO, ZERO, 5n * unit],
    [20, 4, ALICE, ZERO, 0n],
    [20, 5, ZERO, ALICE, 0n],
    [21, 0, ALICE, CAROL, unit],
  ]);
  expect(notices[0]).toBe("Carried over 1 swap of 3 tokens.");
});

test("the ratio may give more new tokens than old ones, of other decimals", async () => {
  const keys = { ...former({ ratio: "1:24000", decimals: 6 }), decimals: 18 };
  const { events } = await merged(
    folder(
      [at(10, 0, ZERO, ALICE, 3_000_000n), at(20, 1, ALICE, SWAP, 2_000_000n)],
      [at(20, 0, ZERO, SWAP, 72_000n * E), at(20, 2, SWAP, ALICE, 48_000n * E)],
    ),
    keys,
  );
  expect(events).toEqual([
    [10, 0, ZERO, ALICE, 72_000n * E],
    [20, 0, ZERO, ZERO, 72_000n * E],
    [20, 1, ALICE, ZERO, 0n],
    [20, 2, ZERO, ALICE, 0n],
  ]);
});

test("of a swap that rounds, or gives less, what is lost is burned", async () => {
  const { events } = await merged(
    folder([at(10, 0, ZERO, ALICE, 250n), at(20, 1, ALICE, ZERO, 250n)], [at(20, 2, ZERO, ALICE, 2n)]),
    former({ swap: ZERO }),
  );
  expect(events).toEqual([
    [10, 0, ZERO, ALICE, 250n],
    [20, 1, ALICE, ZERO, 50n],
    [20, 2, ZERO, ALICE, 0n],
  ]);
});

test("a swap back is carried over, too, and so are two swaps in a block, in any order of their sides", async () => {
  const { events, notices } = await merged(
    folder(
      [
        at(10, 0, ZERO, ALICE, 300n),
        at(20, 1, ALICE, SWAP, 200n),
        at(20, 5, ALICE, SWAP, 100n),
        at(30, 2, SWAP, ALICE, 100n),
      ],
      [at(20, 0, SWAP, ALICE, 2n), at(20, 6, SWAP, ALICE, 1n), at(30, 1, ALICE, SWAP, 1n)],
    ),
    former(),
  );
  expect(events.slice(1).map((event) => event.at(-1))).toEqual([0n, 0n, 0n, 0n, 0n, 0n]);
  expect(notices[0]).toBe("Carried over 3 swaps of 0.000000000000000004 tokens.");
});

test("new tokens that were sent on before old ones came in are no swap", async () => {
  const { events } = await merged(
    folder(
      [at(10, 0, ZERO, BOB, 100n), at(20, 3, BOB, ALICE, 100n), at(20, 4, ALICE, SWAP, 100n)],
      [at(20, 1, SWAP, ALICE, 1n), at(20, 2, ALICE, CAROL, 1n)],
    ),
    former(),
  );
  expect(events.map((event) => event.at(-1))).toEqual([100n, 100n, 100n, 100n, 100n]);
});

test("a swap to another's address, or in two blocks, is a burn and a mint", async () => {
  const { events, notices } = await merged(
    folder(
      [at(10, 0, ZERO, ALICE, 300n), at(20, 1, ALICE, SWAP, 100n), at(21, 0, ALICE, SWAP, 200n)],
      [at(20, 2, SWAP, BOB, 1n), at(22, 0, SWAP, ALICE, 2n)],
    ),
    former(),
  );
  expect(events.map((event) => event.at(-1))).toEqual([300n, 100n, 100n, 200n, 200n]);
  expect(notices[0]).toBe(
    'No swap of old tokens for new ones was found: compare "swap" in "predecessors" with where the old tokens went.',
  );
});

test("old transfers count up to the last block, and nothing may be swapped after it", async () => {
  const ended = folder([...OLD, at(30, 0, BOB, CAROL, 7n)], NEW);
  const { events } = await merged(ended, former({ until: 20 }));
  expect(events.some(([block]) => block === 30)).toBe(false);
  const columns =
    "block_number::BIGINT AS block_number, log_index::INTEGER AS log_index, * EXCLUDE (block_number, log_index)";
  await ended.parquet("old.parquet", `SELECT ${columns} FROM read_csv('${ended.path}/old.csv', all_varchar = true)`);
  expect((await merged(ended, former({ until: 20, transfers: "old.parquet" }))).events).toEqual(events);
  expect(await ended.refusal(former({ until: 19 }))).toBe(
    `Block 20, log index 5: new tokens left the swap contract, though the transfers of ${OTHER_TOKEN} end at block 19. Leave out "until" in "predecessors[0]", and add the later transfers of the old contract.`,
  );
});

test("each of several contracts may be swapped for the next, or for the last", async () => {
  const older = `0x${"72".repeat(20)}`;
  const files = folder(
    [at(12, 0, ZERO, BOB, 10n), at(20, 2, ZERO, ALICE, 10n), at(30, 1, ALICE, ZERO, 10n)],
    [at(30, 2, ZERO, ALICE, 5n), at(40, 2, ZERO, CAROL, 7n)],
  ).write(
    "older.csv",
    csv(
      HEADER,
      at(5, 0, ZERO, ALICE, 100n),
      at(5, 1, ZERO, CAROL, 140n),
      at(20, 1, ALICE, ZERO, 100n),
      at(40, 1, CAROL, ZERO, 140n),
    ),
  );
  const { events, notices } = await merged(files, {
    predecessors: [
      { contract: older, transfers: "older.csv", ratio: "20:1", by: "swap", swap: ZERO },
      { contract: OTHER_TOKEN, transfers: "old.csv", ratio: "2:1", by: "swap", swap: ZERO },
    ],
  });
  expect(events.filter((event) => event.at(-1) !== 0n)).toEqual([
    [5, 0, ZERO, ALICE, 500n],
    [5, 1, ZERO, CAROL, 700n],
    [12, 0, ZERO, BOB, 500n],
  ]);
  expect(notices[0]).toBe("Carried over 3 swaps of 0.000000000000000017 tokens.");
});

test("what a snapshot gives holders is theirs already, up to what they had", async () => {
  const snapshot = former({ by: "snapshot", swap: undefined, until: 12, from: AIRDROP, ratio: "1:2" });
  // In the snapshot, Alice has 30 and Bob 20, which are 60 and 40 new tokens. The transfer of block 13 comes too late.
  const old = [at(10, 0, ZERO, ALICE, 50n), at(12, 0, ALICE, BOB, 20n), at(13, 0, ALICE, CAROL, 30n)];
  const now = [
    at(20, 0, ZERO, AIRDROP, 1000n),
    at(21, 0, AIRDROP, ALICE, 45n),
    at(21, 1, AIRDROP, ALICE, 25n),
    at(22, 0, AIRDROP, CAROL, 9n),
    at(23, 0, ALICE, BOB, 70n),
  ];
  const { events, notices } = await merged(folder(old, now), snapshot);
  expect(events).toEqual([
    [10, 0, ZERO, ALICE, 100n],
    [12, 0, ALICE, BOB, 40n],
    [20, 0, ZERO, ZERO, 1000n],
    [21, 0, ZERO, ALICE, 0n],
    [21, 1, ZERO, ALICE, 10n],
    [22, 0, ZERO, CAROL, 9n],
    [23, 0, ALICE, BOB, 70n],
  ]);
  expect(notices[0]).toBe(
    `Snapshot of ${OTHER_TOKEN} at block 12: 0.00000000000000004 of 0.0000000000000001 tokens have not been given out, at 1 address, most of them (0.00000000000000004) at ${BOB}. They count as held.`,
  );
});

test("balances that a snapshot states are made right after the last old transfer", async () => {
  const snapshot = former({ by: "snapshot", swap: undefined, until: 12, ratio: "1:2", balances: "snapshot.csv" });
  // By the transfers, Alice has 30 and Bob 20. The snapshot has taken Bob's, and given Alice 5 and Carol 15 of them.
  const old = [at(10, 0, ZERO, ALICE, 50n), at(12, 0, ALICE, BOB, 20n), at(13, 0, ALICE, CAROL, 30n)];
  const now = [at(12, 1, ZERO, BOB, 1n), at(21, 0, ZERO, ALICE, 70n), at(22, 0, ZERO, CAROL, 31n)];
  const stated = folder(old, now).write(
    "snapshot.csv",
    csv("address,value", `${ALICE},35`, `${CAROL.toUpperCase().replace("X", "x")},15`),
  );
  const { events, notices } = await merged(stated, snapshot);
  expect(events).toEqual([
    [10, 0, ZERO, ALICE, 100n],
    [12, 0, ALICE, BOB, 40n],
    [12, 1, ZERO, BOB, 1n],
    [12, 2 ** 31, ZERO, ALICE, 10n],
    [12, 2 ** 31 + 1, BOB, ZERO, 40n],
    [12, 2 ** 31 + 2, ZERO, CAROL, 30n],
    [21, 0, ZERO, ALICE, 0n],
    [22, 0, ZERO, CAROL, 1n],
  ]);
  expect(notices.some((notice) => notice.startsWith("Snapshot"))).toBe(false);
  stated.write("snapshot.csv", csv("address,value", `${ALICE},35`, `${ALICE},1`));
  expect(await stated.refusal(snapshot)).toBe(`snapshot.csv, row 2: ${ALICE} is there twice; keep one.`);
  stated.write("snapshot.csv", csv("address,value", `${ALICE},-3`));
  expect(await stated.refusal(snapshot)).toMatch(/^snapshot\.csv, row 1, column value: "-3" is negative/);
});

test("files with a column of contracts are read by the contract of each", async () => {
  const named = (rows: string[], contract: string, other: string) =>
    csv(
      `${HEADER},token_address`,
      ...rows.map((line) => `${line},${contract}`),
      `${at(40, 0, BOB, ALICE, 1n)},${other}`,
    );
  const both = new Folder()
    .write("old.csv", named(OLD, OTHER_TOKEN, TOKEN))
    .write("transfers.csv", named(NEW, TOKEN, OTHER_TOKEN));
  const { events } = await merged(both, former());
  expect(events).toHaveLength(6);
});

test("transfers of two chains, and files that are named twice, are refused", async () => {
  expect(await folder(OLD, [at(20, 4, SWAP, ALICE, 3n)]).refusal(former())).toMatch(
    /^Block 20 has two different transfers with log index 4/,
  );
  expect(await folder(OLD, NEW).refusal(former({ transfers: "*.csv" }))).toMatch(
    /transfers\.csv \(predecessors\[0\]\.transfers\) is named for two contracts/,
  );
  expect(await folder(OLD, NEW).refusal(former({ transfers: "older.csv" }))).toBe(
    "older.csv (predecessors[0].transfers) does not exist; paths are relative to ASSET.json.",
  );
});

test("amounts that grow beyond 256 bits are refused", async () => {
  const most = 2n ** 256n - 1n;
  expect(await folder([at(10, 0, ZERO, ALICE, most)], NEW).refusal(former({ ratio: "1:10" }))).toBe(
    'A transfer has more than 2^256 raw units once it is counted in those of "predecessors": correct "ratio" and "decimals" there.',
  );
});
