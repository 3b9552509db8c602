import { expect, test } from "vitest";
import { findHeader } from "../../../builder/lib/files/csv-header.ts";

const NAMES = ["address", "exchange"];

test.each([
  ["commas", ["address,exchange"], 0, ",", NAMES],
  ["semicolons", ["address;exchange"], 0, ";", NAMES],
  ["tabs", ["address\texchange"], 0, "\t", NAMES],
  ["one column", ["address"], 0, ",", ["address"]],
  ["quotes", ['"address";" exchange "'], 0, ";", NAMES],
  ["separators within quotes", ['"a;b;c","d"'], 0, ",", ["a;b;c", "d"]],
  ["quotes within quotes", ['"say ""a""";b'], 0, ";", ['say "a"', "b"]],
  [
    "the separator that divides it into most",
    ["address;price, in USD;time"],
    0,
    ";",
    ["address", "price, in USD", "time"],
  ],
  ["a comma where others are as many", ["a;b,c"], 0, ",", ["a;b", "c"]],
  ["a link before it", ["https://www.example.com/", "address,exchange"], 1, ",", NAMES],
  ["comments before it", ["# exported, by hand", "#", "", "#2024", "address;exchange"], 4, ";", NAMES],
  ["sep=; before it", ["sep=;", "address;exchange"], 1, ";", NAMES],
  ["a quoted sep=; before it", ['"sep=;"', "address;exchange"], 1, ";", NAMES],
  ["a separator that only sep= names", ["sep=|", "address|exchange"], 1, "|", NAMES],
  ["sep= that contradicts the look", ["SEP=,", "a;b;c,d"], 1, ",", ["a;b;c", "d"]],
  ["a column that is called #", ["#,address,exchange"], 0, ",", ["#", ...NAMES]],
  ["a column that begins with #", ["#id,address,exchange"], 0, ",", ["#id", ...NAMES]],
])("a header with %s", (_, lines, skip, separator, names) => {
  expect(findHeader([...lines, "1,2;3\t4"])).toEqual({ skip, separator, names });
});

test("lines without a header", () => {
  expect(findHeader([])).toBeUndefined();
  expect(findHeader(["# a", "", "https://example.com"])).toBeUndefined();
});
