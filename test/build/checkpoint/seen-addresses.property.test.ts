/** Which addresses a checkpoint has: those that have sent or received tokens before it. */

import { expect, it } from "vitest";
import { checkpointKey } from "../../../data-schema/stored/objects.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { activeManifest, runBuild } from "./nights.ts";
import { decoded } from "./stored-checkpoint.ts";
import { ALICE, BOB, CAROL, DAY, newTokenFolder, START, transfer, ZERO } from "./two-nights.ts";

const DAVE = `0x${"d0".repeat(20)}`;

const iso = (day: number) => new Date((START + day * DAY) * 1000).toISOString();

it("lists who moved tokens, ascending, with labels and balances; of the nights before, too", async () => {
  const folder = newTokenFolder();
  const store = new MemoryStore();
  folder.labels({ exchanges: { [CAROL]: "binance" }, contracts: [BOB] } as never);
  const seen = async () => {
    const { checkpoint } = await activeManifest(store, "TOK");
    const { seen, checkpoint: held } = decoded((await store.get(checkpointKey("TOK", checkpoint!.hash)))!.bytes);
    const hex = Buffer.from(seen.addresses).toString("hex");
    const rows = Array.from(seen.labels, (label, row) => [`0x${hex.slice(40 * row, 40 * row + 40)}`, label]);
    return { rows, holders: held.holders.basis.length };
  };

  folder.csv("transfers-1.csv", [
    transfer(0, ZERO, BOB, 5n),
    // These count nowhere.
    transfer(1, CAROL, BOB, 0n),
    transfer(2, DAVE, DAVE, 0n),
    // Alice receives all that Bob has, and Dave his first tokens after the checkpoint.
    transfer(3, BOB, ALICE, 5n),
    transfer(4, ALICE, DAVE, 1n),
  ]);
  await runBuild(store, folder.asset({ asOf: iso(4.5), prices: undefined }));
  expect(await seen()).toEqual({
    rows: [
      [ALICE, 0],
      [BOB, 1],
    ],
    holders: 1,
  });

  folder.csv("transfers-2.csv", [transfer(5, DAVE, CAROL, 1n)]);
  const { start } = await runBuild(store, folder.asset({ asOf: iso(6), prices: undefined }));
  expect(start).toEqual({ from: START + 4 * DAY - (START % DAY) });
  expect(await seen()).toEqual({
    rows: [
      [ALICE, 0],
      [BOB, 1],
      [CAROL, 7],
      [DAVE, 0],
    ],
    holders: 2,
  });
});
