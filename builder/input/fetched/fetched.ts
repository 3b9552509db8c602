/**
 * What `soprano fetch` has brought: `inputs/<SYMBOL>/fetch.json`. A build takes its as-of time from it, and refuses an
 * asset whose last check failed. Source: docs/chain.md#layout.
 */

import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { Failure } from "../../lib/failure.ts";
import { EVENT_KINDS, type EventKind } from "../asset/source.ts";

/** A file of transfers. */
export interface FetchedFile {
  /** Relative to the folder of fetch.json, such as `transfers/2026-11-20.parquet`. */
  file: string;
  /** Blocks, both ends inclusive. If no block falls into the month, day or hour, `to` is `from` − 1. */
  from: number;
  to: number;
  /** The hash of block `to`. */
  lastHash: string;
  rows: number;
  bytes: number;
  sha256: string;
  source: "rpc" | "portal";
}

/** The hours of the running day, up to `asOf`: they become a day's file when it is complete. */
interface FetchedHours {
  /** Files of the hours that have rows, such as `transfers/2026-11-23T14.parquet`. */
  files: FetchedFile[];
  /** The blocks of the day so far, those of hours without rows included, and the hash of the last. */
  from: number;
  to: number;
  lastHash: string;
}

/** Balances and supply of the replayed files, compared with the chain's at a finalized block. */
export interface FetchCheck {
  status: "passed" | "failed";
  block: number;
  hash: string;
  /** The last final block then, where balances were compared at a newer one: nodes had dropped its state. Absent otherwise. */
  final?: number;
  /** Holders that were compared, of all. */
  holders: number;
  of: number;
  /** Only those were compared that have moved anything after this block, at which the others were right; absent otherwise. */
  since?: number;
  /** The contract's totalSupply, raw units. */
  supply: string;
  /** The contract's; absent if it does not say, and in checks of earlier versions. */
  decimals?: number;
  /** The contract's, if ASSET.json has another one. */
  symbol?: string;
  /** When, ISO 8601. */
  at: string;
  /** Holders for which balanceOf fails, as of those that a contract has blocked: not compared. At most 1,000 are listed. */
  blocked?: string[];
  /** If it failed: sentences for the user, the first says what to do. */
  problems?: string[];
}

/** How far prices.csv goes, so that hours without a price are not looked at every night. */
export interface FetchedPrices {
  /** Hours that end at or before this time are done; ISO 8601. */
  until: string;
  /** Digest of the source that they came from. */
  source: string;
  /** Hours that end at or before this time came from other sources; ISO 8601. Absent if there have been none. */
  sourceSince?: string;
  /** Rows of prices.csv then. */
  rows: number;
  /** Absent where prices don't come from pools, or were fetched by a version that did not prove them. */
  proof?: PriceProof;
}

/** What contracts say of themselves, as decimal numbers, by their addresses. */
type ProvenFacts = Record<string, Record<string, string>>;

/** That what prices were computed from is what the chain says. Source: docs/chain.md#the-proof-of-prices. */
export interface PriceProof {
  /** Hours that began before this time were not proven; ISO 8601. */
  since: string;
  /** The final block at which pools and feeds were compared. */
  block: number;
  hash: string;
  /** What was compared, by the kind of pool or `feed`. */
  means: Record<string, string>;
  /** The last block of the proven hours, and the states after it: where the next proof begins. */
  last: number;
  pools: ProvenFacts;
  rounds: ProvenFacts;
  feeds: ProvenFacts;
}

/** What the rows depend on beside the chain: by other terms, files would not fit together. */
export interface FetchedTerms {
  events: EventKind;
  /** The owners that ASSET.json names. */
  owners?: { fromBlock: number; address: string }[];
  /** SHA-256 of the opening balances: a line `address,value` for each, lower-case. */
  openingBalances?: string;
}

/** Tables beside the transfers, as they are named in the folder of fetch.json. */
export const TABLES = {
  prices: "prices.csv",
  contracts: "contracts.csv",
  labels: "exchanges.csv",
  kinds: "kinds.csv",
} as const;
export type TableRole = keyof typeof TABLES;

export interface Fetched {
  schema: typeof FETCHED_SCHEMA;
  chainId: number;
  contract: string;
  terms: FetchedTerms;
  /** Everything before is complete: ISO 8601, the end of a UTC day or hour. */
  asOf: string;
  /** Files of months and days. */
  files: FetchedFile[];
  /** Absent where `asOf` is the end of a day. */
  hours?: FetchedHours;
  /** Version of the shipped exchange labels; absent without. */
  labels?: string;
  /** Version of the shipped table of kinds of contracts; absent where no cohort of ASSET.json is shipped. */
  kinds?: string;
  /** Absent without prices, or where they come from a CSV. */
  prices?: FetchedPrices;
  /** SHA-256 of the tables as `fetch` wrote them; those of an earlier version are not known. */
  tables?: Partial<Record<TableRole, string>>;
  /** Files of transfers that `--repair` has fetched again, with other bytes; absent if none were. */
  repaired?: string[];
  /** The last one; absent if it is not about all files, because of --check none. */
  check?: FetchCheck;
}

/** All files of transfers, in order. */
export const transferFiles = ({ files, hours }: Pick<Fetched, "files" | "hours">): FetchedFile[] => [
  ...files,
  ...(hours?.files ?? []),
];

/** All blocks that have been fetched, both ends inclusive. */
export const fetchedBlocks = ({ files, hours }: Pick<Fetched, "files" | "hours">): { from: number; to: number } => ({
  from: files[0]?.from ?? hours!.from,
  to: hours?.to ?? files.at(-1)!.to,
});

/** The last block of all, and its hash. */
export const fetchedEnd = ({ files, hours }: Pick<Fetched, "files" | "hours">): { to: number; lastHash: string } =>
  hours ?? files.at(-1)!;

const OF_DAYS = /^transfers\/\d{4}-\d\d(-\d\d)?\.parquet$/;
const OF_HOUR = /^transfers\/\d{4}-\d\d-\d\dT\d\d\.parquet$/;

/** Whether a file is that of an hour, which a day's will replace; the others are of a month or day, for good. */
export const isOfHour = ({ file }: Pick<FetchedFile, "file">): boolean => OF_HOUR.test(file);
export const isOfDays = (file: Pick<FetchedFile, "file">): boolean => !isOfHour(file);

/** `inputs/<SYMBOL>` beside ASSET.json. */
export function inputsFolder(assetPath: string, symbol: string): string {
  return join(dirname(resolve(assetPath)), "inputs", symbol);
}

export const FETCHED_NAME = "fetch.json";

const block = v.pipe(v.number(), v.safeInteger(), v.minValue(-1));
const amount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const hash = v.pipe(v.string(), v.regex(/^0x[0-9a-f]{64}$/));
const address = v.pipe(v.string(), v.regex(/^0x[0-9a-f]{40}$/));
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const time = v.pipe(v.string(), v.isoTimestamp());

/**
 * Version 1 had no proof of prices and no digests of tables. It is read, and replaced by the next fetch. Version 3 has hours,
 * and version 4 a table of kinds, which earlier versions of Soprano don't know.
 */
const FETCHED_SCHEMA = 2;
const SCHEMA_WITH_HOURS = 3;
const SCHEMA_WITH_KINDS = 4;
const READABLE = [1, FETCHED_SCHEMA, SCHEMA_WITH_HOURS, SCHEMA_WITH_KINDS];

const facts = v.record(address, v.record(v.string(), v.pipe(v.string(), v.regex(/^-?\d+$/))));

const filesNamed = (name: RegExp) =>
  v.array(
    v.strictObject({
      file: v.pipe(v.string(), v.regex(name)),
      from: amount,
      to: block,
      lastHash: hash,
      rows: amount,
      bytes: amount,
      sha256,
      source: v.picklist(["rpc", "portal"]),
    }),
  );

const fetchedSchema = v.strictObject({
  schema: v.pipe(
    v.picklist(READABLE),
    v.transform(() => FETCHED_SCHEMA),
  ),
  chainId: amount,
  contract: address,
  terms: v.strictObject({
    events: v.picklist(EVENT_KINDS),
    owners: v.optional(v.array(v.strictObject({ fromBlock: amount, address }))),
    openingBalances: v.optional(sha256),
  }),
  asOf: time,
  files: filesNamed(OF_DAYS),
  hours: v.optional(
    v.strictObject({
      files: filesNamed(OF_HOUR),
      from: amount,
      to: block,
      lastHash: hash,
    }),
  ),
  labels: v.optional(v.string()),
  kinds: v.optional(v.string()),
  prices: v.optional(
    v.strictObject({
      until: time,
      source: v.string(),
      sourceSince: v.optional(time),
      rows: amount,
      proof: v.optional(
        v.strictObject({
          since: time,
          block: amount,
          hash,
          means: v.record(v.string(), v.string()),
          last: block,
          pools: facts,
          rounds: facts,
          feeds: facts,
        }),
      ),
    }),
  ),
  tables: v.optional(
    v.strictObject({
      prices: v.optional(sha256),
      contracts: v.optional(sha256),
      labels: v.optional(sha256),
      kinds: v.optional(sha256),
    }),
  ),
  repaired: v.optional(v.array(v.pipe(v.string(), v.regex(OF_DAYS)))),
  check: v.optional(
    v.strictObject({
      status: v.picklist(["passed", "failed"]),
      block: amount,
      hash,
      final: v.optional(block),
      holders: amount,
      of: amount,
      since: v.optional(block),
      supply: v.pipe(v.string(), v.regex(/^\d+$/)),
      decimals: v.optional(amount),
      symbol: v.optional(v.string()),
      at: time,
      blocked: v.optional(v.array(address)),
      problems: v.optional(v.array(v.string())),
    }),
  ),
});

/**
 * Reads the record of an asset's fetches.
 *
 * @param folder of the inputs, as `inputsFolder` gives it
 * @returns undefined if nothing has been fetched yet
 * @throws {Failure} the file is damaged, or written by a later version
 */
export async function readFetched(folder: string): Promise<Fetched | undefined> {
  const path = join(folder, FETCHED_NAME);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new Failure(`${path} can't be read (${error.code}); check its permissions.`);
  });
  return text === undefined ? undefined : parseFetched(path, text);
}

/**
 * Parses a fetch.json.
 *
 * @param name for messages
 * @throws {Failure} the text is damaged, or written by a later version
 */
export function parseFetched(name: string, text: string): Fetched {
  const restore = "restore it from a backup or the bucket, or remove the folder and fetch again";
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Failure(`${name} is not JSON; ${restore}.`);
  }
  const schemaOf = (value: unknown) => (value as { schema?: unknown } | null)?.schema;
  const schema = schemaOf(json);
  if (typeof schema === "number" && !READABLE.includes(schema)) {
    throw new Failure(`${name} was written by another version of Soprano (schema ${schema}); update Soprano.`);
  }
  const result = v.safeParse(fetchedSchema, json);
  if (!result.success) {
    const place = v.getDotPath(result.issues[0]) ?? "the object";
    throw new Failure(`${name} is damaged at ${place}; ${restore}.`);
  }
  const fetched = result.output as Fetched;
  const gap = fetched.files.findIndex((file, index) => index > 0 && file.from !== fetched.files[index - 1]!.to + 1);
  if (gap >= 0) throw new Failure(`${name} is damaged at files.${gap}: it does not follow the one before; ${restore}.`);
  if (fetched.hours && !follows(fetched.hours, fetched.files)) {
    throw new Failure(`${name} is damaged at hours: they do not follow the files; ${restore}.`);
  }
  return fetched;
}

/** Whether hours begin with the block after the last file's, and their files lie one after the other within their blocks. */
function follows({ from, to, files }: FetchedHours, before: readonly FetchedFile[]): boolean {
  const last = before.at(-1);
  if (last && from !== last.to + 1) return false;
  let next = from;
  for (const file of files) {
    if (file.from < next || file.to > to) return false;
    next = file.to + 1;
  }
  return true;
}

/** The text of a fetch.json. */
export function formatFetched(fetched: Fetched): string {
  const withoutKinds = fetched.hours ? SCHEMA_WITH_HOURS : FETCHED_SCHEMA;
  const schema = fetched.kinds === undefined ? withoutKinds : SCHEMA_WITH_KINDS;
  return `${JSON.stringify({ ...fetched, schema }, null, 2)}\n`;
}
