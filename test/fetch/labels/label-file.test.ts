import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatLabels,
  formatLeftOut,
  type LabelRow,
  parseCsv,
  parseLabels,
  parseLeftOut,
} from "../../../builder/fetch/labels/label-file.ts";

const A = `0x${"a".repeat(40)}`;
const ROW: LabelRow = {
  address: A,
  label: "binance",
  name: "Binance 14",
  sources: [
    { source: "etherscan-labels", date: "2023-10-02" },
    { source: "spellbook", date: "2023-05-30" },
  ],
};

it("is a CSV with sources and dates in the same order", () => {
  const text = `address,exchange,name,source,date\n${A},binance,Binance 14,etherscan-labels+spellbook,2023-10-02+2023-05-30\n`;
  expect(formatLabels([ROW])).toBe(text);
  expect(parseLabels("x.csv", text)).toEqual([ROW]);
});

it("any cells survive being written and read", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", " ", ",", '"', "é", ";"), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (cells) => {
      const rows = cells.map(([why, said]) => ({ chain: "ethereum", address: A, why, said }));
      expect(parseLeftOut("x.csv", formatLeftOut(rows))).toEqual(rows);
    }),
  );
});

describe("refuses", () => {
  const HEADER = "address,exchange,name,source,date\n";
  it.each([
    [
      "other columns",
      "address,exchange\n",
      "x.csv: the columns must be address,exchange,name,source,date, not address,exchange.",
    ],
    ["a row that is cut short", `${HEADER}${A},binance\n`, "x.csv, row 1 has 2 cells instead of 5; correct it."],
    [
      "an address in upper case",
      `${HEADER}${A.toUpperCase()},a,b,c,2023-10-02\n`,
      `x.csv, row 1: “${A.toUpperCase()}” is not an address, which is 0x and 40 hexadecimal digits in lower case; correct it.`,
    ],
    [
      "a source without a date",
      `${HEADER}${A},a,b,c+d,2023-10-02\n`,
      "x.csv, row 1: “2023-10-02” is not a date for each of c+d; correct it.",
    ],
  ])("%s", (_, text, message) => {
    expect(() => parseLabels("x.csv", text)).toThrow(message);
  });

  it("no empty cells", () => {
    expect(parseCsv("x.csv", "a,b,c\n1,,\n2,,3\n", ["a", "b", "c"])).toEqual([
      { cells: ["1", "", ""], row: 1 },
      { cells: ["2", "", "3"], row: 2 },
    ]);
    expect(parseCsv("x.csv", "a,b\n,2\n", ["a", "b"])).toEqual([{ cells: ["", "2"], row: 1 }]);
  });
});
