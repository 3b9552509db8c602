/** Nights of transfers whose times are in files of blocks. */

import { expect, it } from "vitest";
import { runBuild, type TokenFolder } from "../../../build/checkpoint/nights.ts";
import {
  AS_OF,
  DAY,
  EARLY,
  LATE,
  newTokenFolder,
  PRICES,
  START,
  secondNight,
} from "../../../build/checkpoint/two-nights.ts";
import type { Transfer } from "../../../reference/reference.ts";
import { MemoryStore } from "../../../store/memory-store.ts";

const blocksOf = (transfers: readonly Transfer[]) => transfers.map(({ block, timestamp }) => [block, timestamp]);
/** Transfers without a time. */
const untimed = (folder: TokenFolder, name: string, transfers: readonly Transfer[]) =>
  folder.write(
    name,
    [
      "block_number,log_index,from_address,to_address,value",
      ...transfers.map(({ block, logIndex, from, to, value }) => [block, logIndex, from, to, value].join(",")),
    ].join("\n"),
  );
const blocks = (folder: TokenFolder, name: string, rows: readonly number[][]) =>
  folder.write(name, ["number,timestamp", ...rows.map((row) => row.join(","))].join("\n"));
const keys = { blocks: "blocks-*" };

async function nightWithBlocks() {
  const folder = newTokenFolder();
  untimed(folder, "transfers-1.csv", EARLY);
  blocks(folder, "blocks-1.csv", blocksOf(EARLY));
  folder.prices(PRICES);
  const store = new MemoryStore();
  await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.first }));
  return { folder, store };
}

it("a build resumes, also over nights without a transfer", async () => {
  const { folder, store } = await nightWithBlocks();
  blocks(folder, "blocks-2.csv", [[1045, START + 4 * DAY + 7_200]]);
  const quiet = await secondNight(store, { ...keys, asOf: "2024-02-04T00:00:00Z" });
  expect(quiet.start).toHaveProperty("from");
  expect(quiet.details?.input.notices).toEqual([]);
  expect(quiet.details?.input.files.find(({ file }) => file === "blocks-2.csv")?.rows).toBe(1);
  untimed(folder, "transfers-2.csv", LATE);
  blocks(folder, "blocks-2.csv", [[1045, START + 4 * DAY + 7_200], ...blocksOf(LATE)]);
  const { start, replayed } = await secondNight(store, { ...keys, asOf: "2024-02-07T00:00:00Z" });
  expect([start, replayed]).toEqual([{ from: START + 5 * DAY }, 2]);
});

it.each([
  ["a new file", "blocks-3.csv", [[1010, START + DAY + 3_600]]],
  ["a file that has grown", "blocks-1.csv", [...blocksOf(EARLY), [1010, START + DAY + 3_600]]],
])("a build is a full build when %s has a block that was read before", async (_, name, rows) => {
  const { folder, store } = await nightWithBlocks();
  blocks(folder, name, rows);
  const { start } = await secondNight(store, { ...keys, asOf: "2024-02-04T00:00:00Z" });
  expect(start).toEqual({ reason: `${name} has 1 new row of blocks that were read before, up to 1030` });
});

it("a build fails when a new file says another time of a block that was read before", async () => {
  const { folder, store } = await nightWithBlocks();
  blocks(folder, "blocks-2.csv", [[1010, START + DAY]]);
  const build = runBuild(store, folder.asset({ ...keys, asOf: "2024-02-04T00:00:00Z" }));
  await expect(build).rejects.toThrow(/block 1010 has two times/);
});
