/** The hashes of blocks and transactions tell orphaned blocks, and repeats from transfers that share a log index. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { chunks, withDatabase } from "../../../builder/input/duckdb/database.ts";
import { openInputTable } from "../../../builder/input/duckdb/input-table.ts";
import { doubles } from "../../../builder/input/duckdb/vectors.ts";
import { marksOf } from "../../../builder/input/transfers/columns/marks.ts";
import { csv, events, Folder, HEADER, row } from "../folder.ts";

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const [A, B] = [hash("a"), hash("b")];

/** Files of rows with hashes, and where they are read from. */
function files(header: string, ...contents: string[][]) {
  const folder = new Folder();
  const transfers = contents.map((lines, i) => {
    folder.write(`${i}.csv`, csv(`${HEADER}${header}`, ...lines));
    return `${i}.csv`;
  });
  return { folder, transfers };
}
const refusalOf = (header: string, ...contents: string[][]) => {
  const { folder, transfers } = files(header, ...contents);
  return folder.refusal({ transfers });
};
const countsOf = async (header: string, ...contents: string[][]) => {
  const { folder, transfers } = files(header, ...contents);
  const { history, report } = await folder.read({ transfers });
  return [history.rows, report.duplicates];
};

test("two hashes of a block, also in two files, and with another time", async () => {
  const message =
    'Block 100 has two hashes: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" in 0.csv, row 2 and "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" in 0.csv, row 3. A reorganisation has orphaned one of the two blocks: remove its rows, or export the final blocks again.';
  const early = `${row({ block: 7 })},${B}`;
  expect(await refusalOf(",block_hash", [early, `${row({ log: 9 })},${A}`, `${row({ log: 3 })},${B}`])).toBe(message);
  const inTwo = message.replace("0.csv, row 3", "1.csv, row 2");
  const other = row({ log: 9, time: 1_600_000_009, value: 6 });
  expect(await refusalOf(",blockHash", [early, `${row({ log: 9 })},${A}`], [early, `${other},${B}`])).toBe(inTwo);
});

test("a hash that is unknown is no other one", async () => {
  const of = (...hashes: string[]) => hashes.map((hash, log) => `${row({ log })},${hash}`);
  expect(
    await countsOf(",block_hash", of(A, "", A.toUpperCase().replace("X", "x"), "null", hash("0"), A.slice(2))),
  ).toEqual([6, 0]);
  expect(await refusalOf(",block_hash", of(A, "", "None", B))).toMatch(
    /^Block 100 has two hashes: .* row 1 and .* row 4\./,
  );
  expect(await refusalOf(",block_hash", of("", "0xab", "0xac"))).toMatch(/^Block 100 has two hashes: "0xab"/);
});

test("transfers of two transactions with one log index: never a repeat", async () => {
  const message =
    "Block 100 has transfers of two transactions with log index 1: 0.csv, row 1 and 0.csv, row 3. The log index seems to count within a transaction: export the log's index in its block, or remove the row of an orphaned block.";
  expect(await refusalOf(",transaction_hash", [`${row()},${A}`, `${row({ log: 2 })},${A}`, `${row()},${B}`])).toBe(
    message,
  );
  expect(await refusalOf(",Txhash", [`${row()},${A}`, `${row({ log: 2 })},${A}`, `${row({ value: 6 })},${B}`])).toBe(
    message,
  );
});

test("a repeat has the same transaction, or one that is not known", async () => {
  expect(await countsOf(",tx_hash", [`${row()},${A}`, `${row()},${A}`])).toEqual([1, 1]);
  const { folder } = files(",hash", [`${row()},${A}`]);
  folder.write("bare.csv", csv(HEADER, row()));
  expect(events(await folder.read({ transfers: ["0.csv", "bare.csv"] }))).toHaveLength(1);
  expect(await refusalOf(",hash", [`${row()},${A}`, `${row()},`, `${row()},${B}`])).toMatch(/row 1 and 0\.csv, row 3/);
  expect(await refusalOf(",hash", [`${row()},${A}`, `${row({ value: 6 })},${A}`])).toMatch(/; remove the wrong one\.$/);
});

test("bytes and texts of one hash are the same, in Parquet and CSV", async () => {
  const { folder } = files(",transaction_hash,block_hash", [`${row()},${A},${B}`]);
  const cells = row()
    .split(",")
    .map((cell, i) => `'${cell}' AS ${HEADER.split(",")[i]}`);
  for (const [transaction, block] of [
    [`unhex('${"A".repeat(64)}')`, `unhex('${"b".repeat(64)}')`],
    [`'0x${"A".repeat(64)}'`, `'\\x${"b".repeat(64)}'`],
  ]) {
    await folder.parquet("1.parquet", `SELECT ${cells}, ${transaction} AS transaction_hash, ${block} AS block_hash`);
    const { history, report } = await folder.read({ transfers: ["0.csv", "1.parquet"] });
    expect([history.rows, report.duplicates]).toEqual([1, 1]);
  }
});

/** Texts that are hashes, nearly, or nothing, in no order of meaning. */
const cell = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n).map((number) => `0x${number.toString(16).padStart(64, "0")}`),
  fc
    .tuple(
      fc.constantFrom("", "0x", "0X", "\\x", "x"),
      fc.string({ unit: fc.constantFrom(..."0019aAfFg"), maxLength: 70 }),
    )
    .map(([prefix, digits]) => prefix + digits),
  fc.constantFrom("", "0", "x", "0x", "null", "None", "n/a", "é", `0x${"0".repeat(64)}`),
);

test("the number of a hash is the same in SQL, which sorted copies are made with", async () => {
  const cells = fc.sample(cell, { seed: 1, numRuns: 3_000 });
  const folder = new Folder();
  const rows = cells.map((text) => `('${text}')`).join(", ");
  const bytes = "CASE WHEN regexp_full_match(cell, '0x([0-9a-fA-F]{2})+') THEN unhex(cell[3:]) END";
  await folder.parquet("t.parquet", `SELECT cell AS block_hash, ${bytes} AS tx_hash FROM (VALUES ${rows}) t(cell)`);
  const marks: number[][] = [];
  await withDatabase(1, async (connection) => {
    const table = await openInputTable(connection, { name: "t.parquet", path: `${folder.path}/t.parquet`, bytes: 0 });
    const columns = Object.values(marksOf(table, []));
    const decoded = columns.map(({ column, decoder }) => decoder.sql(column.sql));
    const numbers = columns.map(({ sql }) => `${sql}::DOUBLE`);
    for await (const chunk of chunks(connection, `SELECT ${[...decoded, ...numbers]} FROM ${table.relation}`)) {
      for (const [place, { decoder }] of columns.entries()) {
        const words = new Uint32Array(chunk.rowCount);
        decoder.decode(chunk, place, words, new Uint8Array(0));
        expect([...words]).toEqual(Array.from(doubles(chunk, place + 2)));
        marks.push([...words]);
      }
    }
  });
  const known = new Set(marks.flat());
  expect(known.size).toBeGreaterThan(1_000);
  expect(known).toContain(0);
});
