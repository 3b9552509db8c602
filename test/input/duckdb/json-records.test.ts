/** Where the records of a JSON file are, and their columns. */

import { expect, test } from "vitest";
import { apiError, envelopeOf, jsonColumns, layoutOf, listsAt } from "../../../builder/input/duckdb/json-records.ts";

test.each([
  ["[1]", "array"],
  ["\uFEFF\n [", "array"],
  ['{"a": 1}\n{"a": 2}\n', "newline_delimited"],
  ['{"a": 1}', "newline_delimited"],
  // The head of a file ends anywhere.
  ['{"result": [{"a": 1}, {"a"', "newline_delimited"],
  ['{\n "a": 1\n}', "unstructured"],
  ["a,b\n", undefined],
  ["", undefined],
])("%j is laid out as %s", (head, layout) => {
  expect(layoutOf(head)).toBe(layout);
});

test.each([
  [{ status: "1", result: [] }, "$.result", 1],
  [{ result: { rows: [{}] } }, "$.result.rows", 1],
  [{ data: { items: [] } }, "$.data.items", 1],
  [{ items: [], next_page_params: null }, "$.items", 1],
  [{ prices: [[1, 2]], market_caps: [] }, "$.prices", 1],
  [{ coins: { a: { prices: [] }, b: { prices: [] } } }, "$.coins.*.prices", 2],
  [{ data: { transfers: [] } }, "$.data.transfers", 1],
  [{ data: { approvals: [] } }, "$.data.*", 1],
  [{ chart: { result: [{ timestamp: [1], indicators: { quote: [{ close: [1] }] } }] } }, "$.chart.result[0]", 1],
  // A log is a record, though it has members with these names, and a list.
  [{ address: "0x", topics: ["0x"], data: "0x" }, undefined, 0],
])("the records of %j are at %s", (value, path, lists) => {
  const envelope = envelopeOf(value);
  expect(envelope?.path).toBe(path);
  if (envelope) expect(listsAt(value, envelope)).toBe(lists);
});

test.each([
  [{ status: "0", message: "NOTOK", result: "Invalid API Key" }, "Invalid API Key"],
  [{ jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "limit" } }, "limit"],
  [{ error: "query timed out" }, "query timed out"],
  [{ data: { items: [] }, error: false }, undefined],
  [[1], undefined],
])("%j says the error %j", (value, error) => {
  expect(apiError(value)).toBe(error);
});

test("members of members are columns, lists are not divided", () => {
  const structure = {
    a: "VARCHAR",
    from: { hash: "VARCHAR", "x.y": { z: "DOUBLE" } },
    topics: ["VARCHAR"],
    'q"': "VARCHAR",
  };
  expect(jsonColumns(structure, 0)).toEqual([
    { name: "a", path: '$."a"', isInexact: false },
    { name: "from.hash", path: '$."from"."hash"', isInexact: false },
    { name: "from.x.y.z", path: '$."from"."x.y"."z"', isInexact: true },
    { name: "topics", path: '$."topics"', isInexact: false },
  ]);
  expect(jsonColumns(["JSON"], 2)).toEqual([
    { name: "0", path: "$[0]", isInexact: false },
    { name: "1", path: "$[1]", isInexact: false },
  ]);
});
