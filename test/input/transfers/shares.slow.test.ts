/** Transfers that are read by shares give what one reading gives: the history, the report, the failures. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type AssetFile, readAsset } from "../../../builder/input/asset/asset.ts";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { joinShares } from "../../../builder/input/join-shares.ts";
import { type Survey, surveyInput } from "../../../builder/input/survey.ts";
import { readShare } from "../../../builder/input/transfers/read-share.ts";
import { decreasingTime } from "../../../builder/input/transfers/seam.ts";
import { planShares, wholeReading } from "../../../builder/input/transfers/share-out.ts";
import type { Reading, ReadShare } from "../../../builder/input/transfers/shares/share.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { timeLimit, tries, untilCovered } from "../../effort.ts";
import { events, Folder, OTHER_TOKEN, TOKEN, ZERO } from "../folder.ts";

const START = 1_600_041_600;
const FIRST_BLOCK = 1000;
const SECONDS_A_BLOCK = 60;

/** How a file is written: its columns of numbers as numbers or as texts. */
const FORMATS = {
  csv: "FORMAT csv, HEADER",
  "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
  "texts.parquet": "FORMAT parquet, ROW_GROUP_SIZE 2048",
  parquet: "FORMAT parquet, ROW_GROUP_SIZE 2048",
} as const;

/** A file of some of the rows i = 0, 1, 2 … of a history. `rows` and `order` are SQL of `i`. */
interface TableShape {
  format: keyof typeof FORMATS;
  rows: string;
  order: string;
}

interface TransfersShape extends TableShape {
  hasOthers: boolean;
  hasTimes: boolean;
  hasHashes: boolean;
  hasRemoved: boolean;
}

/** One thing that is wrong: SQL for a cell of the row `at`, in one file or in all. */
interface Fault {
  column: string;
  sql: string;
  at: number;
  file?: number;
}

interface Shape {
  rows: number;
  rowsPerBlock: number;
  transfers: TransfersShape[];
  blocks: TableShape[];
  fault: Fault | undefined;
  /** Rows of a share. */
  share: number;
  /** Row at whose time as-of is. */
  asOf: number | undefined;
  /** Row after whose block a build resumes. */
  after: number | undefined;
}

const table = {
  format: fc.constantFrom(...(["csv", "csv.gz", "texts.parquet", "parquet", "parquet", "parquet"] as const)),
  order: fc.constantFrom("i", "i", "i", "-i", "hash(i)", "i // 1500 * 1e6 + hash(i) % 1000000"),
};

function faultOf(at: fc.Arbitrary<number>, file: fc.Arbitrary<number>): fc.Arbitrary<Fault> {
  const cell = (column: string, ...sql: string[]) => ({
    column: fc.constant(column),
    sql: fc.constantFrom(...sql),
    at,
  });
  return fc.oneof(
    fc.record({ ...cell("to_address", "'0x'", "''"), file }),
    fc.record({ ...cell("value", "'x'", "'77'"), file }),
    fc.record({ ...cell("log_index", "'-1'"), file }),
    fc.record({ ...cell("block_number", "'-1'"), file }),
    fc.record({ ...cell("block_timestamp", "'-1'", "block_timestamp + 1", "block_timestamp - 100000"), file }),
    fc.record(cell("block_timestamp", "block_timestamp - 100000")),
    fc.record(cell("timestamp", "'-1'", "timestamp + 1", "timestamp - 100000")),
    fc.record(cell("missing", "")),
    fc.record({ ...cell("block_hash", "'0xbad'", "NULL"), file }),
    fc.record({ ...cell("transaction_hash", "'0xbad'", "NULL"), file }),
    fc.record({ ...cell("removed", "true"), file }),
    fc.record(cell("removed", "true")),
  );
}

const shape: fc.Arbitrary<Shape> = fc
  .record({
    rows: fc.integer({ min: 3_000, max: 12_000 }),
    files: fc.integer({ min: 1, max: 3 }),
    scattered: fc.boolean(),
    again: fc.constantFrom(0, 4, 50),
    marks: fc.array(fc.constantFrom(false, false, true), { minLength: 3, maxLength: 3 }),
  })
  .chain(({ rows, files, scattered, again, marks }) => {
    const place = scattered ? "hash(i + 7)" : `(i // ${Math.ceil(rows / files)})`;
    const at = fc.nat(rows - 1);
    return fc.record({
      rows: fc.constant(rows),
      rowsPerBlock: fc.integer({ min: 1, max: 40 }),
      transfers: fc.tuple(
        ...Array.from({ length: files }, (_, file) =>
          fc.record({
            ...table,
            rows: fc.constant(`${place} % ${files} = ${file}${again ? ` OR hash(i) % ${again} = ${file}` : ""}`),
            hasOthers: fc.boolean(),
            hasTimes: fc.constantFrom(true, true, false),
            hasHashes: fc.boolean(),
            // A row that is in two files, and removed in one of them, would be another thing that is wrong.
            hasRemoved: fc.constant(marks[again ? 0 : file]!),
          }),
        ),
      ),
      // Two files of blocks overlap.
      blocks: fc
        .constantFrom(["true"], [`i < ${rows / 2}`, `i > ${rows / 3}`])
        .chain((parts) => fc.tuple(...parts.map((part) => fc.record({ ...table, rows: fc.constant(part) })))),
      fault: fc.option(faultOf(at, fc.nat(files - 1)), { nil: undefined }),
      share: fc.integer({ min: 700, max: 9_000 }),
      asOf: fc.option(at, { nil: undefined }),
      after: fc.option(at, { nil: undefined }),
    });
  });

const COLUMNS = {
  block_number: `${FIRST_BLOCK} + block`,
  log_index: "i % 50",
  block_timestamp: `${START} + ${SECONDS_A_BLOCK} * block`,
  from_address: "'0x' || printf('%040x', hash(i) % 500)",
  to_address: "'0x' || printf('%040x', hash(i + 1) % 3)",
  value: "'1' || repeat('0', (hash(i) % 30)::INTEGER)",
};

const HASHES = {
  block_hash: "'0x' || md5('b' || block) || md5('c' || block)",
  transaction_hash: "'0x' || md5('t' || i // 2) || md5('u' || i // 2)",
};
/** Some rows that all files have removed. */
const REMOVED = { removed: "hash(i + 5) % 900 = 0" };

/** Writes the files of a shape. */
async function write(
  folder: Folder,
  { rows, rowsPerBlock, transfers, blocks, fault, asOf }: Shape,
): Promise<AssetFile> {
  const blockOf = (row: number) => Math.floor(row / rowsPerBlock);
  const writeTable = (name: string, shape: TableShape, columns: Record<string, string>, from: string, at: number) => {
    const list = Object.entries(columns).map(([column, sql]) => `${sql} AS ${column}`);
    const right = `(SELECT i, ${list} FROM ${from} WHERE ${shape.rows})`;
    const isWrong = fault && fault.column in columns;
    const cell = isWrong && `CASE WHEN i = ${at} THEN ${fault.sql} ELSE ${fault.column} END AS ${fault.column}`;
    const cells = isWrong ? `(SELECT * REPLACE (${cell}) FROM ${right})` : right;
    const typed = shape.format === "parquet" ? "* EXCLUDE (i)" : "COLUMNS(* EXCLUDE (i))::VARCHAR";
    return folder.copy(
      `${name}.${shape.format}`,
      `SELECT ${typed} FROM ${cells} ORDER BY ${shape.order}`,
      FORMATS[shape.format],
    );
  };
  for (const [file, shape] of transfers.entries()) {
    const { block_timestamp, ...columns } = COLUMNS;
    const token_address = `CASE WHEN hash(i + 3) % 3 = 0 THEN '${OTHER_TOKEN}' ELSE '${TOKEN}' END`;
    await writeTable(
      `transfers-${file}`,
      shape,
      {
        ...columns,
        ...(shape.hasTimes && { block_timestamp }),
        ...(shape.hasOthers && { token_address }),
        ...(shape.hasHashes && HASHES),
        ...(shape.hasRemoved && REMOVED),
      },
      `(SELECT i, i // ${rowsPerBlock} AS block FROM range(${rows}) rows(i))`,
      (fault?.file ?? file) === file ? (fault?.at ?? -1) : -1,
    );
  }
  for (const [file, shape] of blocks.entries()) {
    const at = fault ? blockOf(fault.at) : -1;
    const missing = fault?.column === "missing" ? `i <> ${at}` : "true";
    await writeTable(
      `blocks-${file}`,
      shape,
      { number: COLUMNS.block_number, timestamp: COLUMNS.block_timestamp },
      `(SELECT i, i AS block FROM range(${blockOf(rows) + 1}) rows(i) WHERE ${missing})`,
      at,
    );
  }
  const time = asOf === undefined ? {} : { asOf: START + SECONDS_A_BLOCK * blockOf(asOf) };
  return readAsset(folder.asset({ transfers: "transfers-*", blocks: "blocks-*", ...time }));
}

/** Everything that a reading gives: events as texts, and the report; or the sentence of its failure. */
async function outcome(
  asset: AssetFile,
  survey: Survey,
  plan: () => Reading | Promise<Reading>,
  lastBefore: number | undefined,
) {
  try {
    const reading = await plan();
    met.shares = Math.max(met.shares, reading.shares.length);
    met.sorted += Object.keys(reading.sorted).length;
    const shares: ReadShare[] = [];
    for (const index of reading.shares.keys()) {
      const share = await readShare(
        asset,
        JSON.parse(JSON.stringify(survey)),
        JSON.parse(JSON.stringify(reading)),
        index,
      );
      const last = shares.findLast(({ last }) => last)?.last;
      if (share.first && last && share.first.time < last.time)
        throw await decreasingTime(asset, survey, reading, last, share.first);
      shares.push(share);
    }
    const all = shares.flatMap(events);
    const addresses = new Set(all.flatMap(([, , , from, to]) => [from, to]));
    addresses.delete(ZERO);
    const joined = joinShares(asset, survey, reading, shares, {
      addresses: addresses.size,
      ...(lastBefore && { lastBefore }),
    });
    return {
      events: all.map(String),
      ...joined,
      knownFiles: [START, START + DAY, START + 3 * DAY].map(joined.knownFiles),
    };
  } catch (error) {
    if (error instanceof Failure) {
      met.failures.add(error.message);
      return error.message;
    }
    throw error;
  }
}

const DAY = 86_400;

const met = { shares: 0, sorted: 0, failures: new Set<string>() };

test("random histories in random files, cut into random numbers of shares", {
  timeout: timeLimit(300_000),
}, async () => {
  const property = fc.asyncProperty(shape, async (shape) => {
    const folder = new Folder();
    const asset = await write(folder, shape);
    const survey = await surveyInput(asset, await digestInput(asset));
    const block = shape.after === undefined ? undefined : FIRST_BLOCK + Math.floor(shape.after / shape.rowsPerBlock);
    const since = block === undefined ? undefined : { lastBlock: block, files: survey.history };
    const options = { rows: () => shape.share, folder: folder.path, memory: 0, ...(since && { since }) };
    const before = since && START;
    const expected = await outcome(asset, survey, () => wholeReading(survey, since), before);
    // Row numbers in messages are of no use when a build resumes: a full build follows.
    const got = await outcome(asset, survey, () => planShares(asset, survey, options), before);
    expect(got).toEqual(expected);
  });
  await untilCovered(
    () => fc.assert(property, { numRuns: tries(15) }),
    () => met.shares > 2 && met.sorted > 0 && met.failures.size > 4,
  );
  // The cases are worth the name.
  expect(met.shares).toBeGreaterThan(2);
  expect(met.sorted).toBeGreaterThan(0);
  expect(met.failures.size).toBeGreaterThan(4);
});
