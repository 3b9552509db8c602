import { expect, test } from "vitest";
import { csv, Folder, HEADER, row } from "./folder.ts";

const TIME = 1_600_000_000;

const folder = () => new Folder().write("transfers.csv", csv(HEADER, row()));
const price = (...lines: string[]) => folder().write("p.csv", csv("timestamp,price_usd", ...lines));

test("of several files in any order, times in any form", async () => {
  const files = await price("2020-09-13T12:26:41Z,1e-5", `${TIME},0`).parquet(
    "q.parquet",
    "SELECT TIMESTAMP '2020-09-13 12:26:42' AS timestamp, 2.5::DOUBLE AS price_usd",
  );
  const { prices, report } = await files.read({ prices: ["q.parquet", "p.csv"] });
  expect([...prices.timestamp]).toEqual([TIME, TIME + 1, TIME + 2]);
  expect([...prices.usd]).toEqual([0, 1e-5, 2.5]);
  expect(report.files.slice(1).map(({ role, file, rows }) => [role, file, rows])).toEqual([
    ["prices", "q.parquet", 1],
    ["prices", "p.csv", 2],
  ]);
});

const EXPECTED = "expected US dollars per token, a number from 0 to 1e100.";
const CELL = "p.csv, row 1, column price_usd:";
test.each([
  ["-1", `${CELL} "-1" is negative; ${EXPECTED}`],
  ["", `${CELL} the cell is empty; ${EXPECTED}`],
  ["nan", `${CELL} "nan" is not valid; ${EXPECTED}`],
  ["inf", `${CELL} "inf" is not valid; ${EXPECTED}`],
  ["$5", `${CELL} "$5" is not valid; ${EXPECTED}`],
  ["1e101", `${CELL} "1e101" is too large; ${EXPECTED}`],
  ["1e999", `${CELL} "1e999" is too large; ${EXPECTED}`],
])("%j is refused", async (text, sentence) => {
  expect(await price(`${TIME},${text}`).refusal({ prices: "p.csv" })).toBe(sentence);
});

test("two for one time, or none", async () => {
  expect(await price(`${TIME},1`, `${TIME + 1},1`, "2020-09-13T12:26:40Z,1").refusal({ prices: "p.csv" })).toBe(
    "There are two prices for 2020-09-13T12:26:40Z (Unix 1600000000): p.csv, row 1 and p.csv, row 3; remove one.",
  );
  expect(await price().refusal({ prices: "p.csv" })).toBe(
    'p.csv has no rows; add prices, or leave the key "prices" out.',
  );
  expect(await folder().write("p.csv", csv("time,price", "1,2")).refusal({ prices: "p.csv" })).toBe(
    "p.csv has no column timestamp; its columns are time, price.",
  );
});
