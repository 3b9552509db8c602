import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { encodeSeries, type SeriesIdentity } from "../../../builder/published/objects/encode-series.ts";
import { RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { SERIES_GROUP_ROWS } from "../../../data-schema/registry/row-group-sizes.ts";
import { tries } from "../../effort.ts";
import { expectSame } from "../../lib/expect-same.ts";
import { encodeByParquetWasm } from "../../reference/encode.ts";
import { queryByDuckDB, type Row, readByDuckDB, readByHyparquet, readByParquetWasm } from "./readers.ts";
import { identity, LAST_SECOND, object, regular } from "./runs.ts";

function rowsOf(series: readonly Series[]): Row[] {
  return series.flatMap(({ selector, t, v, block }) =>
    Array.from(t, (seconds, i) => ({
      cohort: selector,
      t: BigInt(seconds * 1000),
      v: v[i]!,
      ...(block && { block: BigInt(block[i]!) }),
    })),
  );
}

async function expectSameRows(file: Uint8Array, series: readonly Series[]) {
  const expected = rowsOf(series);
  expectSame(await readByHyparquet(file), expected);
  expectSame(await readByDuckDB(file), expected);
  expectSame(readByParquetWasm(file), expected);
}

const groupRowsOf = (file: Uint8Array) => parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows));

describe("every reader reads what was written", () => {
  it("of any runs", async () => {
    await fc.assert(
      fc.asyncProperty(object, async ({ identity, runs }) => {
        await expectSameRows(encodeSeries(identity, runs), runs);
      }),
      { numRuns: tries(40) },
    );
  });

  it.each(RESOLUTIONS)("of row groups that are full, one row short and one row over: %s", async (resolution) => {
    const full = SERIES_GROUP_ROWS[resolution];
    for (const [lengths, groups] of [
      [[full], [full]],
      [[full - 1], [full - 1]],
      [[full + 1], [full / 2 + 1, full / 2]],
      [[full - 1, 1], [full]],
      [
        [full - 1, 2, full],
        [full - 1, full / 2 + 1, full / 2 + 1],
      ],
    ] as const) {
      const runs = lengths.map((length, index) => {
        const { block, ...run } = regular(`cohort ${index}`, length);
        return resolution === "block" ? { ...run, block: block! } : run;
      });
      const file = encodeSeries({ ...identity, resolution }, runs);
      expect(groupRowsOf(file)).toEqual(groups);
      await expectSameRows(file, runs);
    }
  });

  it("of a single point, and of the farthest ones", async () => {
    const point = (t: number, block: number) => ({
      t: Float64Array.of(t),
      v: Float64Array.of(-0),
      block: Float64Array.of(block),
    });
    await expectSameRows(encodeSeries(identity, [{ selector: "<1d", ...point(0, 0) }]), [
      { selector: "<1d", ...point(0, 0) },
    ]);
    const far = [
      { selector: "a", ...point(LAST_SECOND, Number.MAX_SAFE_INTEGER) },
      { selector: "b", ...point(-LAST_SECOND, 0) },
      { selector: "c", ...point(LAST_SECOND, Number.MAX_SAFE_INTEGER) },
    ];
    await expectSameRows(encodeSeries(identity, far), far);
  });

  it("of 255 selectors in one row group", async () => {
    const runs = Array.from({ length: 255 }, (_, i) => regular(`$${i}`, 1 + (i % 3)));
    await expectSameRows(encodeSeries(identity, runs), runs);
  });
});

describe("the types", () => {
  it("are the documented ones", async () => {
    const file = encodeSeries(identity, [regular("total", 3)]);
    const columns = await queryByDuckDB(
      file,
      "SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM FILE)",
    );
    expect(columns).toEqual([
      { name: "cohort", type: "VARCHAR" },
      { name: "t", type: "TIMESTAMP WITH TIME ZONE" },
      { name: "v", type: "DOUBLE" },
      { name: "block", type: "BIGINT" },
    ]);
  });

  it("are those of another writer", () => {
    const runs = [regular("total", 20_000), regular("users", 3)];
    const [ours, theirs] = [encodeSeries(identity, runs), encodeByParquetWasm(identity, runs)].map((file) => {
      const { schema, row_groups, num_rows } = parquetMetadata(file);
      return {
        columns: schema.slice(1).map(({ name, type, repetition_type, converted_type, logical_type }) => ({
          name,
          type,
          repetition_type,
          converted_type,
          logical_type,
        })),
        num_rows,
        groups: row_groups.map(({ columns, num_rows }) => ({
          num_rows,
          columns: columns.map(({ meta_data: column }) => ({
            values: column!.num_values,
            min: column!.statistics?.min_value,
            max: column!.statistics?.max_value,
          })),
        })),
      };
    });
    expect(ours).toEqual(theirs);
  });
});

describe("readers skip what a query does not need", () => {
  const full = SERIES_GROUP_ROWS.block;
  const users = regular("users", 3 * full);
  const runs = [...["cex", "total"].map((selector) => regular(selector, 3 * full)), users];
  const file = encodeSeries(identity, runs);

  /** The file with garbage in all row groups but these. */
  function rubbishBut(...kept: number[]): Uint8Array {
    const bytes = file.slice();
    parquetMetadata(file).row_groups.forEach(({ columns }, group) => {
      if (kept.includes(group)) return;
      for (const { meta_data } of columns) {
        const start = Number(meta_data!.dictionary_page_offset ?? meta_data!.data_page_offset);
        bytes.fill(0xff, start, start + Number(meta_data!.total_compressed_size));
      }
    });
    return bytes;
  }

  const sum = "SELECT count(*) AS rows, sum(v) AS sum FROM FILE WHERE cohort = 'users'";
  const total = (values: Float64Array) => ({
    rows: BigInt(values.length),
    sum: expect.closeTo(
      values.reduce((sum, value) => sum + value, 0),
      3,
    ),
  });

  it("DuckDB by cohort", async () => {
    expect(await queryByDuckDB(rubbishBut(6, 7, 8), sum)).toEqual([total(users.v)]);
    await expect(queryByDuckDB(rubbishBut(6, 7), sum)).rejects.toThrow();
  });

  it("DuckDB by cohort and time", async () => {
    const inTheMiddle = `${sum} AND t BETWEEN to_timestamp(${users.t[full]}) AND to_timestamp(${users.t[2 * full - 1]})`;
    expect(await queryByDuckDB(rubbishBut(7), inTheMiddle)).toEqual([total(users.v.subarray(full, 2 * full))]);
    await expect(queryByDuckDB(rubbishBut(6, 8), inTheMiddle)).rejects.toThrow();
  });

  it("hyparquet by cohort and time", async () => {
    const since = new Date(users.t[full]! * 1000);
    const filter = { cohort: { $eq: "users" }, t: { $gte: since, $lt: new Date(users.t[2 * full]! * 1000) } };
    const rows = await readByHyparquet(rubbishBut(7), { filter });
    expect(rows).toHaveLength(full);
    expect(rows[0]?.v).toBe(users.v[full]);
    await expect(readByHyparquet(rubbishBut(6, 8), { filter })).rejects.toThrow();
  });
});

describe("runs that share their times and blocks", () => {
  const copy = (series: readonly Series[]) =>
    series.map((run) => ({ ...run, t: run.t.slice(), block: run.block!.slice() }));
  const { t, block } = regular("", 20_000) as Required<Series>;
  const { t: otherT, block: otherBlock } = regular("", 5) as Required<Series>;
  const run = (selector: string, t: Float64Array, block: Float64Array, seed: number): Series => ({
    selector,
    t,
    v: t.map((_, i) => Math.sin(seed + i)),
    block,
  });

  it("have the same bytes as runs that do not", () => {
    const objects: [Partial<SeriesIdentity>, Series[]][] = [
      [{}, [run("total", t, block, 1), run("users", otherT, otherBlock, 2)]],
      // The next has the axis of the first; each of the others differs from it in one respect.
      [{ unit: "count" }, [run("total", t, block, 3), run("users", otherT, otherBlock, 4)]],
      [{}, [run("total", t, block, 5), run("sc", otherT, otherBlock, 6)]],
      [{}, [run("total", t, block, 7), run("sc", otherT, block.subarray(5, 10), 8)]],
      [{}, [run("total", t, block, 9), run("sc", t, block, 10)]],
      [{}, [run("total", t, block, 11)]],
      [{ resolution: "hour" }, [run("total", t, block, 12)]],
      [{ resolution: "day" }, [run("total", t, block, 13)]],
    ];
    for (const [changes, runs] of objects) {
      const shared = encodeSeries({ ...identity, ...changes }, runs);
      expect(shared).toEqual(encodeSeries({ ...identity, ...changes }, copy(runs)));
      expect(encodeSeries({ ...identity, ...changes }, runs)).toEqual(shared);
    }
  });
});
