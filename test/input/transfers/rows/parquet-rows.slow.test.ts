/** What is read from Parquet files without DuckDB is what DuckDB reads from them. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type Data,
  Int32,
  Int64,
  makeData,
  makeVector,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import {
  Compression,
  EnabledStatistics,
  Encoding,
  Table as WasmTable,
  WriterPropertiesBuilder,
  WriterVersion,
  writeParquet,
} from "parquet-wasm";
import { describe, expect, test } from "vitest";
import { emptyColumns } from "../../../../builder/fetch/transfers/fetched-columns.ts";
import { writeTransferFile } from "../../../../builder/fetch/transfers/transfer-file.ts";
import { withDatabase } from "../../../../builder/input/duckdb/database.ts";
import { type Table as InputTable, openInputTable, tableChunks } from "../../../../builder/input/duckdb/input-table.ts";
import { VECTOR_ROWS } from "../../../../builder/input/duckdb/vectors.ts";
import { eachMark } from "../../../../builder/input/transfers/columns/marks.ts";
import { planTransfers, transferSql } from "../../../../builder/input/transfers/columns/transfer-columns.ts";
import { chunkBatch, chunkColumns, EventColumns } from "../../../../builder/input/transfers/rows/event-columns.ts";
import { readParquetRows } from "../../../../builder/input/transfers/rows/parquet-rows.ts";
import { Folder, TOKEN } from "../../folder.ts";

type Read = ReturnType<typeof contentOf>;

/** All that has been read: of each column the first items, and a digest. */
function contentOf({ rows, valueWords, addresses, marks, ...columns }: EventColumns) {
  const { block, logIndex, timestamp, values, from, to } = columns;
  const content = (column: Float64Array | Uint32Array | Uint8Array, items: number) => {
    const used = column.slice(0, items);
    return [...used.subarray(0, 5), createHash("sha256").update(new Uint8Array(used.buffer)).digest("hex")];
  };
  return {
    rows,
    valueWords,
    block: content(block, rows),
    logIndex: content(logIndex, rows),
    timestamp: content(timestamp, rows),
    values: content(values, rows * valueWords),
    from: content(from, rows),
    to: content(to, rows),
    marks: eachMark(marks, (column) => content(column, rows)),
    addresses: content(addresses.bytes(), 20 * addresses.size),
  };
}

interface Blocks {
  from: number;
  to: number;
}

/** Reads transfers.parquet of a folder in both ways; a failure as its message. */
function readBoth(folder: Folder, blocks?: Blocks): Promise<Record<"direct" | "duckdb", Read | string>> {
  return withDatabase(1, async (connection) => {
    const path = join(folder.path, "transfers.parquet");
    const whole = await openInputTable(connection, { name: "transfers.parquet", path, bytes: 0 });
    const plan = planTransfers(blocks ? within(whole, blocks) : whole, TOKEN);
    const attempt = async (read: (events: EventColumns, refused: Uint8Array) => void | Promise<void>) => {
      const events = new EventColumns(16);
      const refused = new Uint8Array(VECTOR_ROWS);
      try {
        await read(events, refused);
        return refused.includes(1) ? "refused" : contentOf(events);
      } catch (error) {
        return (error as Error).message;
      }
    };
    return {
      direct: await attempt((events, refused) => readParquetRows(plan, (batch) => events.append(batch, refused))),
      duckdb: await attempt(async (events, refused) => {
        for await (const chunk of tableChunks(connection, whole.file, transferSql(plan, chunkColumns(plan), false))) {
          events.append(chunkBatch(chunk, plan), refused);
          if (refused.includes(1)) break;
        }
      }),
    };
  });
}

function within(table: InputTable, { from, to }: Blocks): InputTable {
  const column = table.columns.find(({ name }) => name === "block_number")!;
  const condition = `${column.sql} >= ${from} AND ${column.sql} < ${to}`;
  return {
    ...table,
    relation: `(FROM ${table.relation} WHERE ${condition})`,
    part: { whole: table.relation, condition, blocks: { column, from, to } },
  };
}

/** Some or all of the blocks, which are from 1,000 on. */
const range = fc.option(
  fc.tuple(fc.nat(3_000), fc.nat(3_000)).map(([a, b]) => ({ from: 900 + Math.min(a, b), to: 900 + Math.max(a, b) })),
  { nil: undefined },
);

/** SQL of the row `i`. Few, many or nearly all addresses and values are different. */
const hashed = (salt: number, different: number) => `hash(i + ${salt}) % ${different}`;
const ADDRESS = fc
  .tuple(fc.nat(99), fc.constantFrom(1, 3, 300, 1_000_000))
  .map(([salt, different]) => `printf('%040x', ${hashed(salt, different)})`);
const address = fc.tuple(ADDRESS, fc.constantFrom("text", "capitals", "bytes")).map(([hex, form]) => {
  if (form === "bytes") return `unhex(${hex})`;
  return form === "text" ? `'0x' || ${hex}` : `'0x' || upper(${hex})`;
});
const value = fc.oneof(
  fc
    .tuple(fc.constantFrom(2, 50, 1_000_000), fc.nat(58))
    .map(([different, zeros]) => `(${hashed(0, different)})::VARCHAR || repeat('0', (i % ${zeros + 1})::INTEGER)`),
  fc.constant("unhex(lpad(hex(hash(i) % 1000000), 64, '0'))"),
);
const time = fc
  .tuple(
    fc.constantFrom(0, 1, 12, 7_200),
    fc.constantFrom("BIGINT", "UBIGINT", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_MS"),
  )
  .map(([seconds, type]) => {
    const unix = `(1600000000 + ${seconds} * (i // 7))`;
    return /INT$/.test(type) ? `${unix}::${type}` : `make_timestamp(1000000 * ${unix})::${type}`;
  });
const block = fc
  .tuple(
    fc.constantFrom("i // 3", "2000 - i // 3", "hash(i) % 3000"),
    fc.constantFrom("BIGINT", "UBIGINT", "INTEGER", "UINTEGER"),
  )
  .map(([sql, type]) => `(1000 + ${sql})::${type}`);

/** Hashes of few, many or nearly all rows, and some without one. */
const hashes = fc
  .tuple(
    fc.nat(99),
    fc.constantFrom(1, 300, 1_000_000),
    fc.constantFrom("'0x' || %", "upper(%)", "unhex(%)"),
    fc.nat(3),
  )
  .map(([salt, different, form, empty]) => {
    const hex = `(md5(${hashed(salt, different)} || 'a') || md5(${hashed(salt, different)} || 'b'))`;
    return empty > 0
      ? form.replace("%", hex)
      : `CASE WHEN i % 7 > 0 THEN ${form.replace("%", hex)} ELSE ${form.replace("%", "''")} END`;
  });

const duckdbFile = fc.record({
  rows: fc.constantFrom(1, 5, 2_048, 2_049, 6_000),
  columns: fc.record({
    block_number: block,
    log_index: fc.constantFrom("(i % 3)::INTEGER", "(i % 300)::USMALLINT", "(4294967295 - i)::UINTEGER", "i::BIGINT"),
    block_timestamp: time,
    from_address: address,
    to_address: address,
    value,
    block_hash: hashes,
    tx_hash: hashes,
  }),
  groupRows: fc.constantFrom(2_048, 4_096, 122_880),
  compression: fc.constantFrom("uncompressed", "snappy", "gzip", "zstd"),
  dictionary: fc.constantFrom("", "DICTIONARY_SIZE_LIMIT 0", "DICTIONARY_SIZE_LIMIT 5000"),
});

test("files of DuckDB", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(duckdbFile, range, async ({ rows, columns, groupRows, compression, dictionary }, blocks) => {
      const list = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
      const options = ["FORMAT parquet", `COMPRESSION ${compression}`, `ROW_GROUP_SIZE ${groupRows}`];
      const folder = await new Folder().copy(
        "transfers.parquet",
        `SELECT ${list} FROM range(${rows}) rows(i) ORDER BY i`,
        [...options, ...(dictionary ? [dictionary] : [])].join(", "),
      );
      const { direct, duckdb } = await readBoth(folder, blocks);
      expect(direct).toEqual(duckdb);
      expect(duckdb).toHaveProperty("rows");
    }),
    { numRuns: 40 },
  );
});

interface ArrowFile {
  rows: number;
  different: number;
  step: number;
  groupRows: number;
  pageBytes: number;
  dictionaryBytes: number;
  isDictionary: boolean;
  isDelta: boolean;
  version: WriterVersion;
  compression: Compression;
}

const arrowFile: fc.Arbitrary<ArrowFile> = fc.record({
  rows: fc.constantFrom(1, 1_000, 5_000),
  different: fc.constantFrom(1, 40, 4_000),
  step: fc.constantFrom(0, 12, 7_200, 9_000_000),
  groupRows: fc.constantFrom(1_000, 1_000_000),
  pageBytes: fc.constantFrom(500, 20_000, 1_000_000),
  // A column whose dictionary becomes longer ends with PLAIN pages.
  dictionaryBytes: fc.constantFrom(400, 20_000, 1_000_000),
  isDictionary: fc.boolean(),
  isDelta: fc.boolean(),
  version: fc.constantFrom(WriterVersion.V1, WriterVersion.V2),
  compression: fc.constantFrom(Compression.UNCOMPRESSED, Compression.SNAPPY, Compression.GZIP, Compression.ZSTD),
});

/** A file as parquet-rs writes it: so do arrow and pandas. */
function arrowBytes(file: ArrowFile): Uint8Array {
  const { rows, different, step } = file;
  const texts = (salt: number) =>
    Array.from({ length: rows }, (_, i) => `0x${(((i * 7919 + salt) % different) + 1).toString(16).padStart(40, "0")}`);
  const longs = (of: (i: number) => number) => BigInt64Array.from({ length: rows }, (_, i) => BigInt(of(i)));
  const time = (i: number) => (1_600_000_000 + step * Math.floor(i / 50)) * 1e6;
  const table = new Table({
    from_address: vectorFromArray(texts(0), new Utf8()),
    to_address: vectorFromArray(texts(3), new Utf8()),
    value: vectorFromArray(
      Array.from({ length: rows }, (_, i) => `${(i * 104_729) % different}`),
      new Utf8(),
    ),
    log_index: makeVector(
      makeData({ type: new Int32(), data: Int32Array.from({ length: rows }, (_, i) => i) }) as Data<Int32>,
    ),
    block_timestamp: makeVector(makeData({ type: new TimestampMicrosecond("UTC"), data: longs(time) })),
    block_number: makeVector(makeData({ type: new Int64(), data: longs((i) => 1_000 + Math.floor(i / 3)) })),
  });
  let properties = new WriterPropertiesBuilder()
    .setWriterVersion(file.version)
    .setCompression(file.compression)
    .setMaxRowGroupSize(file.groupRows)
    .setDataPageSizeLimit(file.pageBytes)
    .setDictionaryPageSizeLimit(file.dictionaryBytes)
    .setDictionaryEnabled(file.isDictionary)
    .setWriteBatchSize(64)
    .setStatisticsEnabled(EnabledStatistics.Chunk);
  // Version 2 of the writer has encodings of texts that are left to DuckDB.
  for (const name of ["from_address", "to_address", "value"]) {
    if (!file.isDictionary) properties = properties.setColumnEncoding(name, Encoding.PLAIN);
  }
  for (const name of ["block_timestamp", "block_number"]) {
    if (!file.isDelta) continue;
    properties = properties.setColumnDictionaryEnabled(name, false);
    properties = properties.setColumnEncoding(name, Encoding.DELTA_BINARY_PACKED);
  }
  return writeParquet(WasmTable.fromIPCStream(tableToIPC(table, "stream")), properties.build());
}

test("files of parquet-rs", { timeout: 60_000 }, async () => {
  let direct = 0;
  await fc.assert(
    fc.asyncProperty(arrowFile, range, async (file, blocks) => {
      const read = await readBoth(new Folder().write("transfers.parquet", arrowBytes(file)), blocks);
      expect(read.duckdb).toHaveProperty("rows");
      // Version 2 encodes what is in no dictionary as DELTA_BYTE_ARRAY.
      const isUsual = file.version === WriterVersion.V1 || file.dictionaryBytes === 1_000_000;
      if (isUsual || typeof read.direct !== "string") {
        expect(read.direct).toEqual(read.duckdb);
        direct++;
      } else expect(read.direct).toMatch(/^cells as DELTA/);
    }),
    { numRuns: 40 },
  );
  expect(direct).toBeGreaterThan(20);
});

test("files of `soprano fetch`", async () => {
  const rows = 70_000;
  const columns = emptyColumns(rows);
  columns.rows = rows;
  for (let row = 0; row < rows; row++) {
    columns.block[row] = 1_000 + Math.floor(row / 30);
    columns.logIndex[row] = row % 30;
    columns.time[row] = 1_600_000_000 + 12 * Math.floor(row / 30);
    columns.from.set([row % 7], 20 * row + 3);
    columns.to.set([row >> 8, row], 20 * row);
    columns.value.set([row % 5, row >> 8, row], 32 * row + (row % 20));
  }
  const folder = new Folder();
  await writeTransferFile(join(folder.path, "transfers.parquet"), [columns]);
  for (const blocks of [undefined, { from: 1_100, to: 3_300 }]) {
    const { direct, duckdb } = await readBoth(folder, blocks);
    expect(direct).toEqual(duckdb);
    expect(duckdb).toHaveProperty("rows", blocks ? 66_000 : rows);
  }
});

describe("what is left to DuckDB", () => {
  const columns = {
    block_number: "i",
    log_index: "0",
    block_timestamp: "1600000000",
    from_address: `'0x${"01".repeat(20)}'`,
    to_address: `'0x${"02".repeat(20)}'`,
    value: "'5'",
  };
  test.each<[title: string, changes: Record<string, string>, options?: string]>([
    ["values as numbers", { value: "5::HUGEINT::DECIMAL(38, 0)" }],
    ["times as texts", { block_timestamp: "'2020-01-01T00:00:00Z'" }],
    ["times in nanoseconds", { block_timestamp: "'2020-01-01'::TIMESTAMP_NS" }],
    ["a date", { block_timestamp: "'2020-01-01'::DATE" }],
    ["a null", { value: "CASE WHEN i <> 700 THEN '5' END" }],
    ["an invalid address", { to_address: `CASE WHEN i = 700 THEN '0x' ELSE ${columns.to_address} END` }],
    ["a fraction of a second", { block_timestamp: "make_timestamp(1600000000000000 + i)" }],
    ["another compression", {}, ", COMPRESSION brotli"],
    ["a nested column", { other: "[1, 2]" }],
  ])("%s", async (_, changes, options = "") => {
    const list = Object.entries({ ...columns, ...changes }).map(([name, sql]) => `${sql} AS ${name}`);
    const folder = await new Folder().copy(
      "transfers.parquet",
      `SELECT ${list} FROM range(1000) rows(i)`,
      `FORMAT parquet${options}`,
    );
    expect((await readBoth(folder)).direct).toBeTypeOf("string");
  });
});

test("of a damaged file nothing is read but what was written, or what DuckDB reads", { timeout: 60_000 }, async () => {
  const intact = arrowBytes({
    rows: 5_000,
    different: 40,
    step: 12,
    groupRows: 2_000,
    pageBytes: 5_000,
    dictionaryBytes: 20_000,
    isDictionary: true,
    isDelta: true,
    version: WriterVersion.V1,
    compression: Compression.UNCOMPRESSED,
  });
  const written = (await readBoth(new Folder().write("transfers.parquet", intact))).duckdb;
  const place = fc.nat(intact.length - 1);
  const damage = fc.record({ at: place, bits: fc.integer({ min: 1, max: 255 }), isCut: fc.boolean() });
  let wrong = 0;
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, bits, isCut }) => {
      const bytes = intact.slice(0, isCut ? at : intact.length);
      if (!isCut) bytes[at]! ^= bits;
      const read = await readBoth(new Folder().write("transfers.parquet", bytes)).catch(() => undefined);
      if (!read || typeof read.direct === "string") wrong++;
      else if (typeof read.duckdb === "string") expect(read.direct).toEqual(written);
      else expect(read.direct).toEqual(read.duckdb);
    }),
    { numRuns: 150 },
  );
  expect(wrong).toBeGreaterThan(50);
});
