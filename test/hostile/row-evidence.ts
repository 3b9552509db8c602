/**
 * Files whose rows say more than transfers do: rows of orphaned blocks, removed rows, NFTs, two chains, log indexes within
 * transactions. A reading refuses them, and says why, or has exactly the transfers without them.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { digestInput } from "../../builder/input/digest-input.ts";
import { withDatabase } from "../../builder/input/duckdb/database.ts";
import { joinShares } from "../../builder/input/join-shares.ts";
import { surveyInput } from "../../builder/input/survey.ts";
import { planReading } from "../../builder/input/transfers/plan-reading.ts";
import { readShare } from "../../builder/input/transfers/read-share.ts";
import type { ReadShare } from "../../builder/input/transfers/shares/share.ts";
import { Failure } from "../../builder/lib/failure.ts";
import { newFolder } from "../folders.ts";
import { ALICE, BOB, events, HEADER, OTHER_TOKEN, TOKEN } from "../input/folder.ts";
import type { Attack, Target } from "./attack.ts";
import { itemAt, share } from "./share.ts";

interface Row {
  block: number;
  log: number;
  value: number;
  /** Cells of further columns, which say nothing where they are left out. */
  cells: Partial<Record<Column, string>>;
}

const COLUMNS = [
  "token_address",
  "block_hash",
  "transaction_hash",
  "removed",
  "chain_id",
  "token_type",
  "token_id",
  "topic3",
  "topics",
] as const;
type Column = (typeof COLUMNS)[number];

const hash = (seed: number) =>
  `0x${(BigInt(seed) * 0x9e3779b97f4a7c15f39cc0605cedc835n).toString(16).padStart(64, "0").slice(-64)}`;

/** What is made of a history, and what reading it must give: the history, or a refusal. */
interface Trait {
  columns: readonly Column[];
  /** `at` is where; the rows may be changed in place. */
  apply(rows: Row[], at: number, other: number): Row[];
  refusal?: RegExp;
}

const copied = (rows: readonly Row[], at: number, change: (row: Row) => Partial<Row>) => {
  const row = itemAt(rows, at);
  return { ...row, ...change(row) };
};
const having = (rows: Row[], at: number, cells: Row["cells"]): Row[] => {
  const row = itemAt(rows, at);
  row.cells = { ...row.cells, ...cells };
  return rows;
};

const TRAITS: Record<string, Trait> = {
  "nothing to say": { columns: COLUMNS, apply: (rows) => rows },
  "an orphaned block": {
    columns: ["block_hash", "transaction_hash"],
    apply: (rows, at, other) => [
      ...having(rows, at, { block_hash: hash(3e9) }),
      copied(rows, at, ({ log, cells }) => ({
        log: log + Math.floor(2 * other),
        cells: { ...cells, block_hash: hash(1e9 + Math.floor(1e6 * other)) },
      })),
    ],
    refusal: /^Block \d+ has two hashes: "0x.* in .*, row \d+ and "0x/,
  },
  "removed rows": {
    columns: ["removed"],
    apply: (rows, at, other) => [
      ...rows,
      ...[at, other].map((share) =>
        copied(rows, share, ({ value, cells }) => ({ value: value + 1, cells: { ...cells, removed: "true" } })),
      ),
    ],
  },
  "transactions that count their logs": {
    columns: ["transaction_hash"],
    apply: (rows, at) => [
      ...having(rows, at, { transaction_hash: hash(3e9) }),
      copied(rows, at, ({ cells }) => ({ cells: { ...cells, transaction_hash: hash(2e9) } })),
    ],
    refusal: /^Block \d+ has transfers of two transactions with log index \d+: /,
  },
  "repeats, one of them without a hash": {
    columns: ["transaction_hash", "block_hash"],
    apply: (rows, at, other) => [
      ...rows,
      copied(rows, at, () => ({})),
      copied(rows, other, ({ cells: { transaction_hash: _, ...cells } }) => ({ cells })),
    ],
  },
  "another chain": {
    columns: ["chain_id"],
    apply: (rows, at) => [
      ...having(rows, at, { chain_id: "137" }),
      copied(rows, at, ({ cells }) => ({ cells: { ...cells, chain_id: "1" } })),
    ],
    refusal: /, column chain_id says .*, column chain_id says .*one chain/,
  },
  "an NFT's type": {
    columns: ["token_type", "token_id"],
    apply: (rows, at) => having(rows, at, { token_type: "erc-721" }),
    refusal: /, row \d+, column token_type: "erc-721" means that the token is not fungible/,
  },
  "an NFT's id": {
    columns: ["token_id"],
    apply: (rows, at) => having(rows, at, { token_id: "77" }),
    refusal: /, row \d+, column token_id: "77" means that the token is not fungible/,
  },
  "a fourth topic": {
    columns: ["topic3"],
    apply: (rows, at) => having(rows, at, { topic3: hash(3) }),
    refusal: /, row \d+, column topic3: "0x.* means that the token is not fungible/,
  },
  "four topics": {
    columns: ["topics"],
    apply: (rows, at) => having(rows, at, { topics: [1, 2, 3, 4].map(hash).join(" ") }),
    refusal: /, row \d+, column topics: "0x.* means that the token is not fungible/,
  },
  "NFTs and orphans of other contracts": {
    columns: COLUMNS,
    apply: (rows, at) => [
      ...rows,
      copied(rows, at, () => ({
        cells: { token_address: OTHER_TOKEN, token_type: "ERC721", chain_id: "5", removed: "1", block_hash: hash(4e9) },
      })),
    ],
  },
};

/** Cells that say nothing, or what all rows say. */
const SAYS_NOTHING: Record<Column, (row: Row, n: number) => string> = {
  token_address: () => TOKEN,
  block_hash: ({ block }, n) => (n % 3 === 0 ? "" : hash(block)),
  transaction_hash: (_, n) => (n % 5 === 0 ? "null" : hash(1e6 + n)),
  removed: (_, n) => ["false", "", "0"][n % 3]!,
  chain_id: (_, n) => ["1", "", "0x1"][n % 3]!,
  token_type: (_, n) => ["ERC20", "erc-20", "", "NULL"][n % 4]!,
  token_id: (_, n) => ["", "0"][n % 2]!,
  topic3: () => "",
  topics: (_, n) => ["", [1, 2, 3].map(hash).join(" ")][n % 2]!,
};

const place = fc.record({ file: fc.nat(1), key: fc.nat() });

interface Case {
  rows: { gap: number; value: number }[];
  trait: string;
  at: number;
  other: number;
  /** Where rows are; places repeat. */
  places: { file: number; key: number }[];
  isShuffled: boolean;
  format: "csv" | "parquet";
  shareRows: number;
}

const evidence: fc.Arbitrary<Case> = fc.record({
  rows: fc.array(fc.record({ gap: fc.nat(2), value: fc.nat(9) }), { minLength: 1, maxLength: 60 }),
  trait: fc.constantFrom(...Object.keys(TRAITS)),
  at: share,
  other: share,
  places: fc.array(place, { minLength: 1, maxLength: 62 }),
  isShuffled: fc.boolean(),
  format: fc.constantFrom("csv", "parquet"),
  shareRows: fc.constantFrom(1, 7, 1_000),
});

const START = Date.UTC(2024, 0, 1) / 1000;
const timeOf = ({ block }: Row) => START + 12 * block;

/** The history, with cells that say nothing. */
function historyOf({ rows, trait }: Case): Row[] {
  let [block, log] = [100, 0];
  return rows.map(({ gap, value }, n) => {
    if (gap > 0) [block, log] = [block + gap, 0];
    const row: Row = { block, log: 2 * log++, value, cells: {} };
    for (const column of TRAITS[trait]!.columns) row.cells[column] = SAYS_NOTHING[column](row, n);
    return row;
  });
}

const textOf = (row: Row, columns: readonly Column[]) =>
  [row.block, row.log, timeOf(row), ALICE, BOB, row.value, ...columns.map((column) => row.cells[column] ?? "")].join(
    ",",
  );

const eventOf = (row: Row) => [row.block, row.log, timeOf(row), ALICE, BOB, BigInt(row.value)];

class Reading implements Target<Case> {
  readonly cases = evidence;
  readonly #folder = newFolder();

  async attempt(one: Case): Promise<number> {
    const { columns, apply, refusal } = TRAITS[one.trait]!;
    const history = historyOf(one);
    const wanted = history.map(eventOf);
    const path = await this.#write(one, columns, apply(history, one.at, one.other));
    const read = await this.#read(path, one.shareRows).catch((error: unknown) => {
      if (error instanceof Failure) return error.message;
      throw error;
    });
    if (typeof read === "string") {
      if (!refusal?.test(read)) throw new Error(`refused: ${read}`);
    } else if (refusal) throw new Error("not refused");
    else if (!isDeepStrictEqual(read, wanted)) throw new Error("other transfers than those without it");
    return 1;
  }

  /** Writes the rows into one or two files, and returns the path of ASSET.json. */
  async #write(one: Case, columns: readonly Column[], rows: readonly Row[]): Promise<string> {
    const folder = join(this.#folder, "files");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const placed = rows.map((row, n) => ({ row, ...one.places[n % one.places.length]! }));
    const header = [HEADER, ...columns].join(",");
    for (const file of new Set(placed.map(({ file }) => file))) {
      const ofFile = placed.filter((row) => row.file === file);
      if (one.isShuffled) ofFile.sort((a, b) => a.key - b.key);
      const path = join(folder, `transfers-${file}.csv`);
      writeFileSync(path, [header, ...ofFile.map(({ row }) => textOf(row, columns)), ""].join("\n"));
      if (one.format === "csv") continue;
      const parquet = path.replace(/csv$/, "parquet");
      await withDatabase(1, (connection) =>
        connection.run(`COPY (FROM read_csv('${path}', all_varchar = true)) TO '${parquet}' (FORMAT parquet)`),
      );
      rmSync(path);
    }
    const path = join(folder, "asset.json");
    const keys = { symbol: "ROW", name: "Rows", chain: "ethereum", contract: TOKEN, decimals: 0, maxSupply: "1000" };
    writeFileSync(path, JSON.stringify({ ...keys, transfers: "transfers-*" }));
    return path;
  }

  /** The events, in shares of so many rows. */
  async #read(path: string, shareRows: number): Promise<unknown[]> {
    const asset = await readAsset(path);
    const survey = await surveyInput(asset, await digestInput(asset));
    const options = { rows: () => shareRows, folder: this.#folder, memory: 0 };
    const reading = await planReading(asset, survey, options);
    const shares: ReadShare[] = [];
    for (const index of reading.shares.keys()) shares.push(await readShare(asset, survey, reading, index));
    joinShares(asset, survey, reading, shares, { addresses: 2 });
    return shares.flatMap(events);
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export const rowEvidence: Attack = {
  name: "row-evidence",
  unit: "files whose rows say what they are",
  open: async () => new Reading(),
};
