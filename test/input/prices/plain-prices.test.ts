/** Prices in the plain form are read without DuckDB, and are those that DuckDB reads. */

import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { withDatabase } from "../../../builder/input/duckdb/database.ts";
import { openInputTable } from "../../../builder/input/duckdb/input-table.ts";
import { readPlainPrices } from "../../../builder/input/prices/plain-prices.ts";
import { readPrices } from "../../../builder/input/prices/price-files.ts";
import { newFolder } from "../../folders.ts";

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string, name = "p.csv") {
  const path = join(folder, name);
  writeFileSync(path, text);
  return { path, name, bytes: statSync(path).size };
}

const HEADER = "timestamp,price_usd";

it("of a file by hand: seconds and times of any form, with and without an end of the last line", async () => {
  for (const end of ["", "\n"]) {
    const text = `${HEADER}\n1600000000,1.5\n2020-09-13T12:26:41Z,1e-5\n1600000002,.25${end}`;
    expect(await readPlainPrices(write(text))).toMatchObject({
      rows: 3,
      times: Float64Array.of(1_600_000_000, 1_600_000_001, 1_600_000_002),
      usd: Float64Array.of(1.5, 1e-5, 0.25),
    });
  }
});

it.each([
  ["another name", `${HEADER}\n1,2`, "p.tsv"],
  ["other columns", "price_usd,timestamp\n1,2"],
  ["one more column", `${HEADER},volume\n1,2,3`],
  ["no row", `${HEADER}\n`],
  ["quotes", `${HEADER}\n"1",2`],
  ["a blank line", `${HEADER}\n1,2\n\n3,4`],
  ["ends of lines of Windows", `${HEADER}\r\n1,2\r\n`],
  ["one more cell", `${HEADER}\n1,2,3`],
  ["a cell less", `${HEADER}\n1\n2,3`],
  ["a price that is none", `${HEADER}\n1,nan`],
  ["a time that is none", `${HEADER}\n1.5,2`],
  ["a price of another alphabet", `${HEADER}\n1,٣`],
])("not of a file with %s", async (_, text, name?: string) => {
  expect(await readPlainPrices(write(text, name))).toBeUndefined();
});

it("any prices, as DuckDB reads them", async () => {
  const price = fc.oneof(fc.double({ min: 0, max: 1e100, noNaN: true }), fc.constantFrom(0, 1e-320, 1e100));
  const rows = fc.uniqueArray(fc.tuple(fc.nat(2 ** 31), price), {
    selector: ([time]) => time,
    minLength: 1,
    maxLength: 30,
  });
  await withDatabase(1, (connection) =>
    fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        const file = write([HEADER, ...rows.map((row) => row.join(","))].join("\n"));
        const plain = await readPrices(connection, [(await readPlainPrices(file))!], () => {});
        const table = await openInputTable(connection, file);
        expect(plain).toEqual(await readPrices(connection, [table], () => {}));
      }),
      { numRuns: 30 },
    ),
  );
});
