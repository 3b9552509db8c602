/** What rows of a later night say about blocks that were built before. */

import { expect, it } from "vitest";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { AS_OF, EARLY, LATE, newTokenFolder, PRICES, transfer } from "../../build/checkpoint/two-nights.ts";
import type { Transfer } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const HEADER =
  "block_number,log_index,block_timestamp,from_address,to_address,value,block_hash,tx_hash,removed,chain_id,chain";
const OTHER = `0x${"e".repeat(64)}`;

const lines = (transfers: readonly Transfer[]) =>
  transfers.map(({ block, logIndex, timestamp, from, to, value }) =>
    [block, logIndex, timestamp, from, to, value, `0xb${block}`, `0xc${block}`, "false", "", "Ethereum"].join(","),
  );

it("new rows about blocks that were built before lead to a full build, which refuses them", async () => {
  const [early, late] = [lines(EARLY), lines(LATE)];
  const folder = newTokenFolder();
  const write = (name: string, rows: readonly string[]) => folder.write(name, [HEADER, ...rows].join("\n"));
  const keys = { transfers: "rows-*.csv" };
  write("rows-1.csv", early);
  folder.prices(PRICES);
  const store = new MemoryStore();
  await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.first }));
  const build = () => runBuild(store, folder.asset({ ...keys, asOf: AS_OF.second }));

  write("rows-2.csv", [early[2]!.replace("0xb1030", OTHER), ...late]);
  await expect(build()).rejects.toThrow(
    /^Block 1030 has two hashes: .* in rows-1\.csv, row 3 and .* in rows-2\.csv, row 1\./,
  );
  write("rows-2.csv", [early[2]!.replace("0xc1030", OTHER), ...late]);
  await expect(build()).rejects.toThrow(
    /^Block 1030 has transfers of two transactions .*: rows-1\.csv, row 3 and rows-2\.csv, row 1\./,
  );
  // The older file is not read again.
  write(
    "rows-2.csv",
    lines(LATE).map((line) => line.replace("Ethereum", "Base")),
  );
  await expect(build()).rejects.toThrow(
    'rows-1.csv, row 1, column chain says "Ethereum", but rows-2.csv, row 1, column chain says "Base".',
  );
  folder.remove("rows-2.csv");
  write("rows-1.csv", [...early, ...late, early[2]!.replace("false", "true")]);
  await expect(build()).rejects.toThrow(
    /^Block 1030 has a transfer with log index 0 that is there \(rows-1\.csv, row 3\) and removed \(rows-1\.csv, row 7\)/,
  );

  // Removed rows of new blocks are dropped, and the build resumes.
  const orphan = transfer(5, LATE[0]!.to, LATE[0]!.from, 3n);
  write("rows-1.csv", early);
  write("rows-2.csv", [...late, ...lines([orphan]).map((line) => line.replace("false", "true"))]);
  const { start, replayed, details } = await build();
  expect(start).toHaveProperty("from");
  expect(replayed).toBe(3);
  expect(details?.input.notices).toEqual([
    "Dropped 1 row that a reorganisation has removed, the first in rows-2.csv, row 3.",
  ]);
});
