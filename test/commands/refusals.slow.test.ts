/** Wrong input and wrong usage: one sentence, an exit status, and nothing published. */

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../folders.ts";
import { digests, type Published, readPublished } from "./published.ts";
import { type Outcome, soprano } from "./soprano.ts";

const folder = newFolder();
const persist = join(folder, "state");
const ZERO = `0x${"0".repeat(40)}`;
const ALICE = `0x${"a".repeat(40)}`;
const BOB = `0x${"b".repeat(40)}`;

const HEADER = "block_number,log_index,block_timestamp,from_address,to_address,value";
const ROWS = [`10,0,1700000000,${ZERO},${ALICE},1000`, `11,0,1700000100,${ALICE},${BOB},400`];
const asset = {
  symbol: "REF",
  name: "Refused",
  chain: "ethereum",
  contract: `0x${"c".repeat(40)}`,
  decimals: 0,
  maxSupply: "1000",
  asOf: "2023-12-01T00:00:00Z",
  transfers: "transfers.csv",
  prices: "prices.csv",
  exchanges: "exchanges.csv",
};
const files = {
  "transfers.csv": [HEADER, ...ROWS].join("\n"),
  "prices.csv": "timestamp,price_usd\n1699999999,2",
  "exchanges.csv": `address,exchange\n${BOB},kraken`,
};

type Change = {
  asset?: Record<string, unknown>;
  files?: Record<string, string | Uint8Array>;
  /** Symbolic links, by name. */
  links?: Record<string, string>;
};

let cases = 0;

/** Writes an asset with a change into a folder of its own; returns the path of its asset.json. */
function write(change: Change = {}): string {
  const place = join(folder, String(cases++));
  mkdirSync(place);
  for (const [name, text] of Object.entries({ ...files, ...change.files })) writeFileSync(join(place, name), text);
  for (const [name, target] of Object.entries(change.links ?? {})) symlinkSync(target, join(place, name));
  writeFileSync(join(place, "asset.json"), JSON.stringify({ ...asset, ...change.asset }));
  return join(place, "asset.json");
}

const transfers = (...rows: string[]): Change => ({ files: { "transfers.csv": [HEADER, ...rows].join("\n") } });
const second = (row: string) => transfers(...ROWS.slice(0, 1), row);

/** Transfers as Parquet, with a value of this SQL. */
async function parquet(value: string): Promise<Buffer> {
  const path = join(folder, "written.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT 10 + range AS block_number, 0 AS log_index, 1700000000 + range AS block_timestamp, '${ZERO}' AS from_address,
       '${ALICE}' AS to_address, ${value} AS value FROM range(3000)) TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  return readFileSync(path);
}

const [ofDoubles, ofTexts] = [await parquet("range::HUGEINT"), await parquet("range::VARCHAR")];
const fromParquet = (bytes: Uint8Array): Change => ({
  asset: { transfers: "transfers.parquet" },
  files: { "transfers.parquet": bytes },
});
/** With other bytes in the middle of its pages. */
const damaged = (at: number) =>
  fromParquet(Uint8Array.from(ofTexts, (byte, i) => (i >= at && i < at + 8 ? 0xff : byte)));

let published: Published;

beforeAll(async () => {
  expect(await soprano("build", write(), "--persist", persist)).toMatchObject({ status: 0 });
  published = await readPublished(persist);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is wrong, how, and what the sentence about it says. */
const REFUSED: [what: string, change: Change, sentence: RegExp][] = [
  ["a file that is missing", { asset: { prices: "nowhere.csv" } }, /nowhere\.csv/],
  ["a column that is missing", { files: { "transfers.csv": "block_number\n1" } }, /transfers\.csv.*log_index/],
  ["no rows", transfers(), /transfers\.csv.*rows/],
  ["an address", second(`11,0,1700000100,0x12,${BOB},1`), /transfers\.csv.*row 2.*from_address.*0x12/],
  ["a negative value", second(`11,0,1700000100,${ALICE},${BOB},-1`), /transfers\.csv.*row 2.*value.*-1/],
  ["a fraction", second(`11,0,1700000100,${ALICE},${BOB},1.5`), /row 2.*value.*1\.5/],
  ["scientific notation", second(`11,0,1700000100,${ALICE},${BOB},1e3`), /row 2.*value.*1e3/],
  ["2^256", second(`11,0,1700000100,${ALICE},${BOB},${2n ** 256n}`), /row 2.*value/],
  ["a block", second(`11.5,0,1700000100,${ALICE},${BOB},1`), /row 2.*block_number.*11\.5/],
  ["milliseconds", second(`11,0,1700000100000,${ALICE},${BOB},1`), /row 2.*block_timestamp.*milliseconds/],
  ["time that falls", second(`11,0,1600000000,${ALICE},${BOB},1`), /block 11/i],
  ["two rows for one event", second(`10,0,1700000000,${ZERO},${ALICE},999`), /[Bb]lock 10.*log index 0/],
  [
    "an overdraft",
    second(`11,3,1700000100,${ALICE},${BOB},1001`),
    new RegExp(`Block 11, log index 3: ${ALICE} sends 1001 but has 1000`),
  ],
  ["a price", { files: { "prices.csv": "timestamp,price_usd\n1,-2" } }, /prices\.csv.*row 1.*price_usd.*-2/],
  ["two prices", { files: { "prices.csv": "timestamp,price_usd\n1,2\n1,2" } }, /prices\.csv/],
  [
    "one address under two names",
    { files: { "exchanges.csv": `address,exchange\n${BOB},kraken\n${BOB},okx` } },
    new RegExp(`${BOB}.*kraken.*exchanges\\.csv.*okx.*exchanges\\.csv`),
  ],
  ["an unknown key", { asset: { colour: "red" } }, /asset\.json.*colour/],
  ["a missing key", { asset: { decimals: undefined } }, /asset\.json.*decimals/],
  ["decimals", { asset: { decimals: 78 } }, /asset\.json.*decimals.*77/],
  ["maxSupply", { asset: { maxSupply: "0" } }, /asset\.json.*maxSupply/],
  ["asOf", { asset: { asOf: "2023-11-14T22:13:20Z" } }, /asset\.json.*asOf/],
  [
    "a name of 9,000 characters",
    { asset: { name: "n".repeat(9000) } },
    /asset\.json: "name" must have at most 200 characters, but has 9000\.$/,
  ],
  [
    "a chain of 51 characters",
    { asset: { chain: "c".repeat(51) } },
    /asset\.json: "chain" must have at most 50 characters, but has 51\.$/,
  ],
  ["a line break in a name", { asset: { name: "Two\nlines" } }, /asset\.json: "name" must not contain line breaks/],
  ["NUL in a name", { asset: { name: "N\0" } }, /asset\.json: "name" must not contain .*control characters/],
  [
    "U+202E in a name",
    { asset: { name: "\u202eeman" } },
    /asset\.json: "name" must not contain .*direction overrides\.$/,
  ],
  ["half a character in a name", { asset: { name: "\ud83d" } }, /asset\.json: "name" must not contain/],
  ["NUL in a path", { asset: { prices: ["prices.csv", "p\0"] } }, /asset\.json: "prices\[1\]" must not contain/],
  [
    "a path of 5,000 characters",
    { asset: { prices: `${"p".repeat(5000)}.csv` } },
    /asset\.json: "prices" must have at most 4096 characters, but has 5004\.$/,
  ],
  [
    "a path of 4,000 characters",
    { asset: { prices: `${"p".repeat(4000)}.csv` } },
    /: p{80}…p{76}\.csv \(prices\) is longer than this system allows; shorten it\.$/,
  ],
  [
    "a cell of 5 MB",
    second(`11,0,1700000100,${ALICE},${BOB},${"4".repeat(5_000_000)}`),
    /transfers\.csv, line 3: is longer than \d+ bytes; correct that line/,
  ],
  [
    "a last line that DuckDB would leave out",
    second(`11,0,1700000100,${ALICE},${BOB},${"4".repeat(40_000_000)}\r\n`),
    /transfers\.csv: the last line is longer than \d+ bytes; correct that line/,
  ],
  [
    "doubles for integers",
    fromParquet(ofDoubles),
    /transfers\.parquet, column value: has the type DOUBLE, which loses digits.*CAST\(value AS VARCHAR\) if DuckDB wrote/,
  ],
  ["damaged pages", damaged(100), /transfers\.parquet is not an intact Parquet file; export or download it again\.$/],
  [
    "a damaged header of a page",
    damaged(4),
    /transfers\.parquet is not an intact Parquet file; export or download it again\.$/,
  ],
  [
    "a link to nothing",
    { asset: { prices: "p*.csv" }, links: { "past.csv": "nowhere.csv" } },
    /: past\.csv \(prices\) is a symbolic link to a file that does not exist; correct or remove it\.$/,
  ],
  [
    "a link whose name turns the text around",
    { asset: { prices: "p*.csv" }, links: { "p\u202etxt.csv": "nowhere.csv" } },
    /: p\\u\{202e\}txt\.csv \(prices\) is a symbolic link to a file that does not exist/,
  ],
  [
    "a link to itself, found by a glob",
    { asset: { prices: "p*.csv" }, links: { "past.csv": "past.csv" } },
    /: past\.csv \(prices\) is a symbolic link that leads back to itself; replace it with the file\.$/,
  ],
  [
    "a link to itself",
    { asset: { prices: "past.csv" }, links: { "past.csv": "past.csv" } },
    /: past\.csv \(prices\) is a symbolic link that leads back to itself; replace it with the file\.$/,
  ],
  [
    "a device",
    { asset: { prices: "/dev/zero" } },
    /: \/dev\/zero \(prices\) is a device, a pipe or a socket; copy what it gives to a file, and name that\.$/,
  ],
  ["a symbol in use", { asset: { contract: `0x${"d".repeat(40)}` } }, /REF is already published.*0xcccc/],
];

describe("soprano build refuses, with one sentence and status 1,", () => {
  const paths = new Map<string, string>();
  let outcome: Outcome;

  // All in one batch, so that the store is opened once. No two assets of a batch have the same symbol.
  beforeAll(async () => {
    for (const [i, [what, change]] of REFUSED.entries()) {
      const symbol = what === "a symbol in use" ? "REF" : `REF${i}`;
      paths.set(what, write({ ...change, asset: { symbol, ...change.asset } }));
    }
    outcome = await soprano("--quiet", "build", ...paths.values(), "--persist", persist);
  });

  it.each(REFUSED)("%s", (what, _, sentence) => {
    const symbol = `REF${what === "a symbol in use" ? "" : REFUSED.findIndex(([name]) => name === what)}`;
    // A file that can't be read as an asset has no symbol: the sentence names its path.
    const told = outcome.stderr
      .split("\n")
      .filter(
        (line) => line.startsWith(`soprano: ${symbol} failed: `) || line.startsWith(`soprano: ${paths.get(what)}`),
      );
    expect(told).toEqual([expect.stringMatching(sentence)]);
  });

  it("each of them, and nothing else is printed", () => {
    const { status, stdout, stderr } = outcome;
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(REFUSED.length + 1);
    for (const line of lines) expect(line).toMatch(/^soprano: /);
    expect(lines.at(-1)).toMatch(`${REFUSED.length} of ${REFUSED.length} assets were not built`);
  });

  it("one asset alone", async () => {
    const refused = await soprano(
      "--quiet",
      "build",
      write(second(`11,3,1700000100,${ALICE},${BOB},1001`)),
      "--persist",
      persist,
    );
    expect(refused).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^soprano: REF failed: Block 11, log index 3: [^\n]+\n$/),
    });
  });

  it("a path of 5,000 characters, of which it repeats both ends", async () => {
    const { status, stderr } = await soprano("build", "a".repeat(5000), "--persist", persist);
    expect([status, stderr]).toEqual([
      1,
      `soprano: ${"a".repeat(80)}…${"a".repeat(80)} is longer than a path can be; pass the path of an ASSET.json.\n`,
    ]);
  });

  it("a folder that can't be written", async () => {
    writeFileSync(join(folder, "file"), "");
    const { status, stderr } = await soprano("--quiet", "build", write(), "--persist", join(folder, "file", "state"));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^soprano: The state folder .* can't be written \(ENOTDIR\)[^\n]*\n$/);
  });

  it("and the earlier build stays active", async () => {
    expect(digests(await readPublished(persist))).toEqual(digests(published));
  });
});

describe("wrong usage ends with status 2:", () => {
  it.each([
    ["no command", []],
    ["an unknown command", ["frobnicate"]],
    ["an unknown option", ["build", "a.json", "--frobnicate"]],
    ["no asset file", ["build"]],
    ["threads that are no number", ["build", "a.json", "--threads", "many"]],
    ["a port out of range", ["serve", "--port", "70000"]],
    ["a key without a name", ["keys", "create"]],
    ["a name that turns the text around", ["keys", "create", "--name", "\u202eecila"]],
    ["an unknown command of 5,000 characters", ["f".repeat(5000)]],
    ["a contract's address that is too short", ["init", "0x123"]],
    ["a pool that is not an address", ["init", `0x${"0".repeat(40)}`, "--pools", "WETH"]],
    ["a worth of nothing", ["init", `0x${"0".repeat(40)}`, "--quote-usd", `0x${"1".repeat(40)}=0`]],
    ["a worth without an address", ["init", `0x${"0".repeat(40)}`, "--quote-usd", "USDC=1"]],
    ["a name of 201 characters", ["keys", "create", "--name", "a".repeat(201)]],
  ])("%s", async (_, args) => {
    const { status, stdout, stderr } = await soprano(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).not.toBe("");
    expect(stderr).not.toMatch(/\S{201}/);
  });
});
