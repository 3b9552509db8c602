/** Wrong input and wrong usage: one sentence, an exit status, and nothing published. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

type Change = { asset?: Record<string, unknown>; files?: Partial<Record<keyof typeof files, string>> };

let cases = 0;

/** Writes an asset with a change into a folder of its own; returns the path of its asset.json. */
function write(change: Change = {}): string {
  const place = join(folder, String(cases++));
  mkdirSync(place);
  for (const [name, text] of Object.entries({ ...files, ...change.files })) writeFileSync(join(place, name), text);
  writeFileSync(join(place, "asset.json"), JSON.stringify({ ...asset, ...change.asset }));
  return join(place, "asset.json");
}

const transfers = (...rows: string[]): Change => ({ files: { "transfers.csv": [HEADER, ...rows].join("\n") } });
const second = (row: string) => transfers(...ROWS.slice(0, 1), row);

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
  ])("%s", async (_, args) => {
    const { status, stdout, stderr } = await soprano(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });
});
