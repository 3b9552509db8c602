/** Tables as Parquet, which the Worker writes with the builder's encoder, by the three readers that share no code with it. */

import { zstdDecompressSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import * as fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { readParquet } from "parquet-wasm";
import { describe, expect, it } from "vitest";
import type { Metric } from "../../../data-schema/registry/metrics.ts";
import { joinBytes } from "../../../data-schema/text/bytes.ts";
import { ParquetWriter } from "../../../worker/format/parquet-writer.ts";
import type { Rows } from "../../../worker/format/rows-and-pieces.ts";
import { queryByDuckDB } from "./readers.ts";

interface Table {
  names: string[];
  units: Metric["unit"][];
  hasBlock: boolean;
  time: "iso" | "unix";
  /** Row groups, each in parts. */
  groups: Rows[][];
}

const SINCE = -100_000;

/** Every kind of column: without nulls, with some, with nothing else. */
const NAMES = ["ARIA:volume:$0-100", "ARIA:cex_inflow:crypto.com", "A.B_-C:sopr:<1d"];

const tables: fc.Arbitrary<Table> = fc
  .record({
    names: fc.subarray(NAMES, { minLength: 1 }),
    units: fc.array(fc.constantFrom<Metric["unit"]>("usd", "count"), { minLength: 3, maxLength: 3 }),
    hasBlock: fc.boolean(),
    time: fc.constantFrom("iso" as const, "unix" as const),
    sizes: fc.array(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    missing: fc.array(fc.constantFrom(0, 0, 0.3, 0.98, 1), { minLength: 3, maxLength: 3 }),
    seed: fc.integer(),
  })
  .map(({ sizes, seed, missing, ...table }) => {
    const random = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { seed, numRuns: 50 });
    let row = 0;
    const part = (rows: number): Rows => {
      const first = row;
      row += rows;
      const column = (value: (n: number) => number) => Float64Array.from({ length: rows }, (_, i) => value(first + i));
      const isMissing = (n: number, index: number) => ((n * 7919) % 100) / 100 < missing[index]!;
      return {
        t: column((n) => SINCE + 12 * n),
        // Beyond 32 bits, and not ascending: assets of several chains have blocks of their own.
        block: table.hasBlock ? column((n) => 2 ** 40 + n * (n % 3 === 0 ? 1 : 2)) : null,
        columns: table.names.map((_, index) =>
          column((n) => (isMissing(n, index) ? Number.NaN : random[(n * (index + 1)) % random.length]!)),
        ),
      };
    };
    return { ...table, groups: sizes.map((parts) => parts.map(part)) };
  });

function fileOf({ names, units, hasBlock, time, groups }: Table): Uint8Array {
  const writer = new ParquetWriter([
    { name: "t", time },
    ...(hasBlock ? [{ name: "block", time: "unix" } as const] : []),
    ...names.map((name, index) => ({ name, unit: units[index]! })),
  ]);
  const columnsOf = ({ t, block, columns }: Rows) => [t, ...(block ? [block] : []), ...columns];
  const pieces: Uint8Array[] = [writer.begin()];
  const end = (rows: Rows | null) => {
    for (const { text } of writer.endGroup(rows && columnsOf(rows))) pieces.push(text);
  };
  for (const [index, parts] of groups.entries()) {
    // The last part of a row group may be added before it is written, or with it.
    for (const rows of index % 2 === 0 ? parts : parts.slice(0, -1)) writer.add(columnsOf(rows));
    end(index % 2 === 0 ? null : parts.at(-1)!);
  }
  pieces.push(writer.end({ soprano: '{"resolution":"day"}' }));
  return joinBytes(pieces);
}

type Cells = Record<string, bigint | number | null>;

/** What a reader should find: times in milliseconds, or in seconds as they are. */
function cellsOf({ names, time, groups }: Table): Cells[] {
  return groups.flat().flatMap(({ t, block, columns }) =>
    Array.from(t, (seconds, row) => ({
      t: BigInt(time === "iso" ? 1000 * seconds : seconds),
      ...(block && { block: BigInt(block[row]!) }),
      ...Object.fromEntries(
        names.map((name, index) => [name, Number.isNaN(columns[index]![row]!) ? null : columns[index]![row]!]),
      ),
    })),
  );
}

async function byHyparquet(bytes: Uint8Array): Promise<Cells[]> {
  const file = { byteLength: bytes.length, slice: (a: number, b?: number) => bytes.slice(a, b).buffer as ArrayBuffer };
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  const rows = await parquetReadObjects({ file, compressors });
  return rows.map(({ t, ...rest }) => ({ t: t instanceof Date ? BigInt(t.getTime()) : t, ...rest }) as Cells);
}

function byParquetWasm(bytes: Uint8Array): Cells[] {
  const table = tableFromIPC(readParquet(bytes).intoIPCStream());
  const times = table.getChild("t")!.toArray() as BigInt64Array;
  return Array.from({ length: table.numRows }, (_, row) => {
    const names = table.schema.fields.map(({ name }) => name).slice(1);
    return { t: times[row]!, ...Object.fromEntries(names.map((name) => [name, table.getChild(name)!.get(row)])) };
  });
}

async function byDuckDB(bytes: Uint8Array, time: string): Promise<Cells[]> {
  const replaced = time === "iso" ? "* REPLACE (epoch_ms(t) AS t)" : "*";
  return (await queryByDuckDB(bytes, `SELECT ${replaced} FROM FILE`)) as Cells[];
}

describe("a table as Parquet", () => {
  it("is the same to every reader, bit for bit", async () => {
    const property = fc.asyncProperty(tables, async (table) => {
      const file = fileOf(table);
      const cells = cellsOf(table);
      expect(await byHyparquet(file)).toEqual(cells);
      expect(byParquetWasm(file)).toEqual(cells);
      expect(await byDuckDB(file, table.time)).toEqual(cells);
    });
    await fc.assert(property, { numRuns: 12 });
  });

  it("says of each row group what its columns hold", () => {
    const numbers = (...values: number[]) => Float64Array.from(values);
    const { NaN: none } = Number;
    const rows = (...columns: Float64Array[]): Rows => ({ t: numbers(0, 60), block: numbers(7, 5), columns });
    const groups = [
      [rows(numbers(1, -2), numbers(none, 0)), rows(numbers(4, 3), numbers(none, none))],
      [rows(numbers(none, none), numbers(-0, 2))],
    ];
    const file = fileOf({ names: ["a", "b"], units: ["usd", "count"], hasBlock: true, time: "iso", groups });
    const { row_groups, key_value_metadata, num_rows } = parquetMetadata(file);
    expect(num_rows).toBe(6n);
    expect(key_value_metadata).toEqual([{ key: "soprano", value: '{"resolution":"day"}' }]);
    const statistics = row_groups.map(({ columns }) =>
      columns.map(({ meta_data }) => {
        const { min_value, max_value, null_count } = meta_data!.statistics!;
        return [min_value, max_value, null_count];
      }),
    );
    const times = [new Date(0), new Date(60_000), undefined];
    expect(statistics).toEqual([
      [times, [5n, 7n, undefined], [-2, 4, 0n], [-0, 0, 3n]],
      [times, [5n, 7n, undefined], [undefined, undefined, 2n], [-0, 2, 0n]],
    ]);
  });

  it("lets a reader skip the row groups outside a range of times", async () => {
    const DAY = 86_400;
    const part = (first: number): Rows => ({
      t: Float64Array.from({ length: 1_000 }, (_, row) => (first + row) * DAY),
      block: null,
      columns: [Float64Array.from({ length: 1_000 }, (_, row) => first + row)],
    });
    const groups = [[part(0)], [part(1_000)], [part(2_000)]];
    const file = fileOf({ names: ["v"], units: ["usd"], hasBlock: false, time: "iso", groups });
    // Without the bytes of the others, a reader that needed them would fail.
    const [first, second, third] = parquetMetadata(file).row_groups;
    const startOf = (group: typeof first) => Number(group!.columns[0]!.meta_data!.data_page_offset);
    file.fill(0xff, startOf(first), startOf(second));
    file.fill(0xff, startOf(third), startOf(third) + 20);
    const within = "t >= '1972-09-27' AND t < '1975-06-24'";
    const [sum] = await queryByDuckDB(file, `SELECT count(*) AS rows, min(v) AS least FROM FILE WHERE ${within}`);
    expect(sum).toEqual({ rows: 1_000n, least: 1_000 });
    await expect(queryByDuckDB(file, "SELECT sum(v) FROM FILE")).rejects.toThrow();
  });
});
