/** Numbers in bulk compared with the rules of their cells. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { BLOCK_NUMBERS, LOG_INDEXES, TIMES } from "../../../builder/input/cells/numbers.ts";
import { BLOCK_NUMBER, LOG_INDEX, TIME } from "../../../builder/input/cells/rules.ts";
import { chunks, literal, withDatabase } from "../../../builder/input/duckdb/database.ts";
import { VECTOR_ROWS } from "../../../builder/input/duckdb/vectors.ts";

const digits = fc.oneof(
  fc.maxSafeNat().map(String),
  fc.stringMatching(/^[0-9]{0,20}$/),
  fc.constantFrom(2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 10n ** 11n - 1n, 10n ** 11n).map(String),
);
const date = fc
  .date({ min: new Date(-1e12), max: new Date(1e13), noInvalidDate: true })
  .map((time) => time.toISOString().replace(/\.\d+/, ""));
/** Now and then with a character too many. */
const cell = fc
  .tuple(fc.oneof(digits, date), fc.constantFrom("", "", "", "", " ", "-", ".", ".0", "e3", "x", "٣"), fc.nat(20))
  .map(([text, more, at]) => text.slice(0, at) + more + text.slice(at));

test.each([
  ["block numbers", BLOCK_NUMBERS, BLOCK_NUMBER],
  ["log indexes", LOG_INDEXES, LOG_INDEX],
  ["times", TIMES, TIME],
] as const)("%s", { timeout: 60_000 }, async (_, { text }, rule) => {
  const { sql, decode } = text!;
  await withDatabase(1, (connection) =>
    fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 300 }), async (cells) => {
        const list = `[${cells.map(literal).join(", ")}]::VARCHAR[]`;
        const numbers = new Float64Array(VECTOR_ROWS);
        for await (const chunk of chunks(
          connection,
          `SELECT ${sql("cell", "VARCHAR")} FROM (SELECT unnest(${list}) AS cell)`,
        )) {
          decode(chunk, 0, numbers);
        }
        expect([...numbers.subarray(0, cells.length)]).toEqual(cells.map((cell) => rule.parse(cell) ?? Number.NaN));
      }),
      { numRuns: 60 },
    ),
  );
});
