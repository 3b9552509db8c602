/** Copies of files that are sorted by block. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chunks, type SpillRoom, withDatabase } from "../../../../builder/input/duckdb/database.ts";
import { openInputTable } from "../../../../builder/input/duckdb/input-table.ts";
import { planTransfers } from "../../../../builder/input/transfers/columns/transfer-columns.ts";
import { writeSorted } from "../../../../builder/input/transfers/shares/sort.ts";
import { DiskFailure } from "../../../../builder/lib/failure.ts";
import { csv, Folder, HEADER, OTHER_TOKEN, row, TOKEN } from "../../folder.ts";

/** Sorts transfers.csv of a folder, and returns some columns of the copy. */
function sorted(folder: Folder, name: string, room?: SpillRoom): Promise<unknown[]> {
  return withDatabase(
    1,
    async (connection) => {
      const file = { name: "transfers.csv", path: join(folder.path, "transfers.csv"), bytes: 0 };
      const { table, columns, isOfAsset } = planTransfers(await openInputTable(connection, file), TOKEN);
      const { block, value } = columns;
      const path = join(folder.path, name);
      const wanted = { columns: [block.column, value.column], block: block.column, condition: isOfAsset };
      const count = await writeSorted(connection, { table, ...wanted, groupRows: 1, path });
      const rows: unknown[] = [count];
      for await (const chunk of chunks(connection, `FROM read_parquet('${path}')`)) rows.push(...chunk.getRows());
      return rows;
    },
    room,
  );
}

test("a copy has the asset's cells as they are, in the order of blocks and rows, with the numbers of the rows", async () => {
  const rows = [
    `${row({ block: 9, value: "1e3" })},${TOKEN}`,
    `${row({ block: 7, value: 1 })},${TOKEN}`,
    `${row({ block: 8 })},${OTHER_TOKEN}`,
    `${row({ block: "x", value: "" })},${TOKEN}`,
    `${row({ block: "007", value: 2 })},${TOKEN}`,
  ];
  const folder = new Folder().write("transfers.csv", csv(`${HEADER},token_address`, ...rows));
  expect(await sorted(folder, "copy.parquet")).toEqual([
    4,
    ["x", null, 0n, 3n],
    ["7", "1", 7n, 1n],
    ["007", "2", 7n, 4n],
    ["9", "1e3", 9n, 0n],
  ]);
  expect(existsSync(join(folder.path, "copy.parquet.part"))).toBe(false);
});

test("a lack of memory and a folder that can't be written are told as such", async () => {
  const lines = Array.from({ length: 200_000 }, (_, index) => row({ block: 200_000 - index }));
  const folder = new Folder().write("transfers.csv", [HEADER, ...lines].join("\n"));
  await expect(sorted(folder, "copy.parquet", { memory: 36 * 2 ** 20, folder: folder.path })).rejects.toThrow(
    "transfers.csv can't be sorted by block: there is not enough memory; raise --memory, or sort the file.",
  );
  // Another machine may have room.
  await expect(sorted(folder, "missing/copy.parquet")).rejects.toThrow(
    new DiskFailure(
      "transfers.csv can't be sorted by block: the work folder can't be written; correct --work, or sort the file.",
    ),
  );
});
