/** Prices in the form of every tool are read as those of the plain form; candles count at their end. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PRICE_SHAPES } from "../../../builder/input/shapes/price-shapes.ts";
import { csv, Folder, HEADER, OTHER_TOKEN, row, TOKEN } from "../folder.ts";
import { type Candle, PRICE_WRITERS, plainPrices, readPrices as read } from "./price-writers.ts";

const DAY = 86_400;
/** 2024-01-01. */
const FIRST_END = 1_704_067_200;
const TWENTY: readonly Candle[] = Array.from({ length: 20 }, (_, at) => ({
  end: FIRST_END + at * DAY,
  close: Number((1.25 + ((at * 37) % 19) / 64).toFixed(6)),
}));

const refusal = (file: string, content: string) =>
  new Folder().write("transfers.csv", csv(HEADER, row())).write(file, content).refusal({ prices: file });

describe("twenty rows", () => {
  test.each(PRICE_WRITERS)("as $file", async ({ file, write }) => {
    await expect(write(TWENTY)).toMatchFileSnapshot(`files/prices/${file}`);
    expect(await read(file, write(TWENTY))).toEqual(await read("plain.csv", plainPrices(TWENTY)));
  });

  test("are there of every shape", () => {
    expect(new Set(PRICE_WRITERS.map(({ shape }) => shape))).toEqual(new Set(PRICE_SHAPES.map(({ name }) => name)));
  });
});

test("the last point of an answer is of a moment, and counts from the next second on", async () => {
  const answer = JSON.stringify({
    prices: [
      [1_704_067_200_000, 1],
      [1_704_070_801_234, 2],
    ],
  });
  expect([...(await read("p.json", answer)).timestamp]).toEqual([1_704_067_200, 1_704_070_802]);
});

test("days without trades are left out", async () => {
  const lines = csv(
    "Date,Open,High,Low,Close,Adj Close,Volume",
    "2024-01-01,1,1,1,1,1,1",
    "2024-01-02,null,null,null,null,null,null",
    "2024-01-03,1,1,1,3,3,1",
    "2024-01-04,1,1,1,4,4,1",
  );
  const { timestamp, usd } = await read("p.csv", lines);
  expect([...timestamp]).toEqual([1, 3, 4].map((day) => Date.UTC(2024, 0, day + 1) / 1000));
  expect([...usd]).toEqual([1, 3, 4]);
});

test("rows are named by their place, behind those that are left out", async () => {
  const lines = csv(
    "Date,Open,High,Low,Close,Volume",
    "2024-01-01,1,1,1,1,1",
    "2024-01-02,1,1,1,,1",
    "2024-01-03,1,1,1,x,1",
  );
  expect(await refusal("p.csv", lines)).toBe(
    'p.csv, row 3, column Close: "x" is not valid; expected US dollars per token, a number from 0 to 1e100.',
  );
  const twice = csv(
    "Date,Open,High,Low,Close,Volume",
    "2024-01-01,1,1,1,1,1",
    "2024-01-02,1,1,1,,1",
    "2024-01-03,1,1,1,2,1",
    "2024-01-03,1,1,1,3,1",
    "2024-01-04,1,1,1,3,1",
  );
  expect(await refusal("p.csv", twice)).toBe(
    "There are two prices for 2024-01-04T00:00:00Z (Unix 1704326400): p.csv, row 3 and p.csv, row 4; remove one.",
  );
});

test("candles whose length their times don't tell", async () => {
  const sentence = `p.csv has candles, but their times don't tell how long they are; say it in ASSET.json, for instance as "prices": {"file": "p.csv", "stamp": "open", "period": "1d"}.`;
  const header = "timestamp,open,high,low,close,volume";
  expect(await refusal("p.csv", csv(header, "1704067200,1,1,1,1,1"))).toBe(sentence);
  expect(await refusal("p.csv", csv(header, "1704067200,1,1,1,1,1", "1706745600,1,1,1,2,1"))).toBe(sentence);
  const one = csv(header, "1704067200,1,1,1,1,1");
  const said = await read("p.csv", one, { file: "p.csv", stamp: "open", period: "4h" });
  expect([...said.timestamp]).toEqual([1_704_081_600]);
  const close = await read("p.csv", one, { file: "p.csv", stamp: "close" });
  expect([...close.timestamp]).toEqual([1_704_067_200]);
});

test("prices of two tokens are not mixed", async () => {
  const dune = csv(
    "minute,price,contract_address,symbol",
    `2024-01-01 00:00,1,${TOKEN},A`,
    `2024-01-01 00:01,2,${OTHER_TOKEN},A`,
  );
  expect(await refusal("p.csv", dune)).toBe(
    `p.csv has prices of several tokens, as column contract_address says: "${TOKEN}" and "${OTHER_TOKEN}"; keep the rows of one.`,
  );
  const prices = [{ timestamp: 1, price: 1 }];
  expect(await refusal("p.json", JSON.stringify({ coins: { a: { prices }, b: { prices } } }))).toBe(
    "p.json has several lists of records at $.coins.*.prices; keep the one that is meant.",
  );
});

test("docs/building.md has every form", () => {
  const page = readFileSync(new URL("../../../docs/building.md", import.meta.url), "utf8");
  expect(PRICE_SHAPES.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
});
