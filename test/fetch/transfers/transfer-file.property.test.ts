import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { sliceColumns, type TransferColumns } from "../../../builder/fetch/transfers/fetched-columns.ts";
import { streamTransfers, writeTransferFile } from "../../../builder/fetch/transfers/transfer-file.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { events, Folder } from "../../input/folder.ts";
import { expectSame } from "../../lib/expect-same.ts";
import { ALICE, BOB, columnsOf, type Row, rowsOf, word, ZERO } from "../logs.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "soprano-transfers-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** More rows than a row group, with the extremes of each column. */
const ROWS: Row[] = Array.from({ length: 70_000 }, (_, index) => ({
  block: index === 0 ? 0 : 2 ** 33 + (index >> 2),
  logIndex: index === 69_999 ? 2 ** 31 - 1 : index,
  time: index === 0 ? 1 : 2 ** 32 + index,
  from: index % 3 === 0 ? ZERO : ALICE,
  to: `0x${word(BigInt(index) * 0x9e3779b97f4a7c15f39cc060n).slice(24)}`,
  value: index === 5 ? 2n ** 256n - 1n : BigInt(index) ** 9n,
}));
const ALL = columnsOf(ROWS);

async function read(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const columns of streamTransfers(path)) rows.push(...rowsOf(columns));
  return rows;
}

/** The rows [0, end) in pages that end at these rows. */
function pagesOf(ends: readonly number[], end: number): TransferColumns[] {
  const cuts = [...new Set([0, ...ends.map((cut) => cut % (end + 1)), end])].sort((a, b) => a - b);
  return cuts.slice(1).map((cut, index) => sliceColumns(ALL, cuts[index]!, cut));
}

describe("a file of transfers", () => {
  it("is read back, also by DuckDB", async () => {
    const path = join(folder(), "2020-01.parquet");
    const { rows, bytes } = await writeTransferFile(path, [ALL]);
    expect({ rows, bytes }).toEqual({ rows: ROWS.length, bytes: readFileSync(path).length });
    expectSame(await read(path), ROWS);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const answer = await connection.runAndReadAll(
      `SELECT block_number, log_index, block_timestamp, lower(hex(from_address)), lower(hex(to_address)), lower(hex(value_binary))
       FROM '${path}'`,
    );
    expect(answer.columnTypes().map(String)).toEqual(["BIGINT", "INTEGER", "BIGINT", "VARCHAR", "VARCHAR", "VARCHAR"]);
    const found = answer.getRows().map(
      ([block, logIndex, time, from, to, value]): Row => ({
        block: Number(block),
        logIndex: Number(logIndex),
        time: Number(time),
        from: `0x${from}`,
        to: `0x${to}`,
        value: BigInt(`0x${value}`),
      }),
    );
    expectSame(found, ROWS);
    const groups = await connection.runAndReadAll(
      `SELECT row_group_num_rows, stats_min_value, stats_max_value FROM parquet_metadata('${path}') WHERE path_in_schema = 'block_number'`,
    );
    expect(groups.getRows().map((row) => row.map(Number))).toEqual([
      [65_536, 0, ROWS[65_535]!.block],
      [4_464, ROWS[65_536]!.block, ROWS[69_999]!.block],
    ]);
    connection.closeSync();
  });

  it("has the same bytes, however its rows are cut into pages", async () => {
    const path = folder();
    const digests = new Map<number, string>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 1, 1000, 65_535, 65_536, 65_537, 70_000),
        fc.array(fc.nat(70_000), { maxLength: 12 }),
        async (end, cuts) => {
          const { sha256, rows } = await writeTransferFile(join(path, "x.parquet"), pagesOf(cuts, end));
          expect(rows).toBe(end);
          expect(sha256).toBe(digests.get(end) ?? sha256);
          digests.set(end, sha256);
        },
      ),
      { numRuns: 40 },
    );
    expect(new Set(digests.values()).size).toBe(digests.size);
  });

  it("may have no rows", async () => {
    const path = join(folder(), "x.parquet");
    expect((await writeTransferFile(path, [])).rows).toBe(0);
    expect(await read(path)).toEqual([]);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    expect((await connection.runAndReadAll(`SELECT count(value_binary) FROM '${path}'`)).getRows()).toEqual([[0n]]);
    connection.closeSync();
  });

  it("is read by a build, beside an empty one", async () => {
    const asset = new Folder();
    const few = ROWS.slice(10, 2000).map((row, index) => ({
      ...row,
      time: row.block - 2 ** 33 + 1_600_000_000,
      logIndex: index,
    }));
    await writeTransferFile(join(asset.path, "2020-09-13.parquet"), [columnsOf(few)]);
    await writeTransferFile(join(asset.path, "2020-09-14.parquet"), []);
    const input = await asset.read({ transfers: "*.parquet" });
    expect(events(input)).toEqual(
      few.map(({ block, logIndex, time, from, to, value }) => [block, logIndex, time, from, to, value]),
    );
  });

  it("is refused if it is missing, cut off or changed", async () => {
    const path = join(folder(), "x.parquet");
    await expect(read(path)).rejects.toThrow(/x\.parquet can't be read \(ENOENT\): run soprano fetch with --repair/);
    await writeTransferFile(path, pagesOf([], 1000));
    const whole = readFileSync(path);
    for (const length of [0, 3, 11, 100, whole.length - 1]) {
      truncateSync(path, length);
      await expect(read(path)).rejects.toThrow(Failure);
      writeFileSync(path, whole);
    }
    const other = new Folder();
    await other.parquet("other.parquet", "SELECT 1 AS block_number, 2 AS value");
    await expect(read(join(other.path, "other.parquet"))).rejects.toThrow(
      /is damaged .* run soprano fetch with --repair/,
    );
  });

  it("is not left behind if its pages fail", async () => {
    const path = join(folder(), "x.parquet");
    async function* failing() {
      yield ALL;
      throw new Failure("The page is damaged.");
    }
    await expect(writeTransferFile(path, failing())).rejects.toThrow("The page is damaged.");
    expect(() => readFileSync(path)).toThrow("ENOENT");
  });

  it("reads the addresses as they were", async () => {
    const path = join(folder(), "x.parquet");
    await writeTransferFile(path, [columnsOf([{ block: 1, logIndex: 0, time: 1, from: ALICE, to: BOB, value: 3n }])]);
    expect(await read(path)).toEqual([{ block: 1, logIndex: 0, time: 1, from: ALICE, to: BOB, value: 3n }]);
  });
});
