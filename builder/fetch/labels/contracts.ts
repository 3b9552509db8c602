/**
 * `contracts.csv`: which addresses have code when they first appear in the files. It is only appended to: a label that
 * changed for an address that has held the token would change the past. What hours have said of a day counts until the day
 * is complete: then all addresses that are new in it are looked at. Source: docs/chain.md#contracts.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AddressTable, NO_NUMBER } from "../../input/addresses.ts";
import { VECTOR_ROWS } from "../../input/duckdb/vectors.ts";
import { TABLES } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../lib/widths.ts";
import { addressTexts } from "../chain/hex.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { type Code, readCodes, StateUnavailable } from "../chain/scan/scan.ts";
import { BLOCKS_TRIED, isStillThere, stateBlock } from "../chain/scan/state-block.ts";
import type { TransferColumns } from "../transfers/fetched-columns.ts";
import { confirmCodes, pickAddresses } from "./confirmed-codes.ts";

export interface ContractsOptions {
  nodes: Nodes;
  /** `inputs/<SYMBOL>`. */
  folder: string;
  /** The addresses that have moved anything in the files that earlier runs have left, 20 bytes each. */
  earlier(): Promise<Uint8Array>;
  /** Transfers of new files: of the days that are complete, and of the running day's hours. */
  added: readonly AddedTransfers[];
  /** Whether there are files of earlier runs. */
  isFirst: boolean;
  /** Labels of addresses that are in no earlier file count for nothing: hours have left them, or files that were wrong. */
  isUndecided?: boolean | undefined;
  /** The last block of the new files, which is final. */
  last: number;
  confirmations?: number | undefined;
  /** Looks at all addresses again: `--recheck contracts`. */
  recheck: boolean;
  progress: Progress;
}

interface AddedTransfers {
  /** The last day that they are of, such as `2026-11-20`. */
  day: string;
  transfers: AsyncIterable<TransferColumns>;
}

export interface UpdatedContracts {
  /** Addresses that were looked at, and contracts that are new in the file. */
  looked: number;
  added: number;
  /** Sentences for the user. */
  notices: string[];
  /** The whole file as it has to be; undefined if it stays as it is. */
  csv: string | undefined;
}

/** `seen`: the last day of the fetch in which the address first appeared. */
const HEADER = "address,seen";
const ROW = /^(0x[0-9a-f]{40}),\d{4}-\d\d-\d\d$/;

/**
 * Looks at the code of addresses. Writes nothing.
 *
 * @throws {Failure} the file is damaged, or missing after the first fetch; or as the nodes
 */
export async function updateContracts(options: ContractsOptions): Promise<UpdatedContracts> {
  const { folder, progress, recheck, isUndecided = false } = options;
  const present = await readContracts(folder, options);
  const addresses = new Parties();
  progress.step("look for new addresses");
  addresses.insertAll(await options.earlier());
  const lines = present?.filter((line) => !isUndecided || addresses.has(line.slice(0, 42)));
  const known = recheck ? 1 : addresses.size;
  const groups: { day: string; end: number }[] = [];
  for (const { day, transfers } of options.added) {
    for await (const columns of transfers) addresses.insert(columns);
    groups.push({ day, end: addresses.size });
  }
  const asked = addresses.from(known);
  progress.step("look for contracts", asked.length / ADDRESS_BYTES);
  const found = await contractsAmong(options, asked);
  progress.end();

  const before = new Set(lines?.map((line) => line.slice(0, 42)));
  const fresh = found.filter((address) => !before.has(address)).sort();
  const seen = groups.map(({ day, end }, index) => {
    const start = groups[index - 1]?.end ?? 0;
    const isOfGroup = (number: number) => number >= start && number < end;
    return fresh.filter((address) => isOfGroup(addresses.numberOf(address))).map((address) => `${address},${day}`);
  });
  const lost = recheck ? lostOf(before, addresses, new Set(found)) : new Set<string>();
  const kept = (lines ?? []).filter((line) => !lost.has(line.slice(0, 42)));
  const rows = [...kept, ...seen.flat()];
  return {
    looked: asked.length / ADDRESS_BYTES,
    added: fresh.length,
    notices: recheck ? [recheckText(fresh, [...lost].sort())] : [],
    csv: rows.join() === present?.join() ? undefined : `${[HEADER, ...rows].join("\n")}\n`,
  };
}

/**
 * Rows of the file; undefined if it has to be written from scratch, as by a recheck of what can't be read.
 *
 * @throws {Failure} it is damaged, or missing after the first fetch
 */
export async function readContracts(
  folder: string,
  { isFirst, recheck }: Pick<ContractsOptions, "isFirst" | "recheck">,
): Promise<string[] | undefined> {
  const path = join(folder, TABLES.contracts);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (recheck || (error.code === "ENOENT" && isFirst)) return undefined;
    const why = error.code === "ENOENT" ? "is missing" : `can't be read (${error.code})`;
    throw new Failure(`${path} ${why}: restore it, or look at all addresses again with --recheck contracts.`);
  });
  // A first fetch that follows a removed fetch.json starts from nothing.
  if (text === undefined || isFirst) return undefined;
  const [header, ...lines] = text.split("\n");
  const end = lines.pop();
  const wrong = lines.findIndex((line) => !ROW.test(line));
  if (header !== HEADER || end !== "" || wrong >= 0) {
    if (recheck) return undefined;
    const row = header !== HEADER ? 1 : wrong >= 0 ? wrong + 2 : lines.length + 2;
    throw new Failure(
      `${path}, row ${row}, was not written by soprano fetch: restore the file, or look at all addresses again with ` +
        "--recheck contracts.",
    );
  }
  return lines;
}

/** Senders and receivers, each once, in the order in which they appear. */
class Parties {
  readonly #table = new AddressTable();
  readonly #rows = new Uint32Array(VECTOR_ROWS);

  get size(): number {
    return this.#table.size;
  }

  insertAll(addresses: Uint8Array): void {
    this.#table.numbersOf(addresses, "insert");
  }

  /** Skips rows that move nothing: anybody can put any address into those. */
  insert({ rows, from, to, value }: TransferColumns): void {
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (isMoved(from, to, value, row)) this.#rows[count++] = row;
      if (count < VECTOR_ROWS && row < rows - 1) continue;
      for (const [column, parties] of [from, to].entries()) {
        const words = this.#table.words(column);
        const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
        for (let i = 0; i < count; i++) {
          const at = ADDRESS_BYTES * this.#rows[i]!;
          for (let byte = 0; byte < ADDRESS_BYTES; byte++) bytes[ADDRESS_BYTES * i + byte] = parties[at + byte]!;
        }
      }
      this.#table.insert(count, 2);
      count = 0;
    }
  }

  /** The addresses from a number on, 20 bytes each. Number 0 is the zero address. */
  from(first: number): Uint8Array {
    const start = Math.max(1, first);
    return this.#table.pick(Uint32Array.from({ length: Math.max(0, this.size - start) }, (_, i) => start + i));
  }

  numberOf(address: string): number {
    return this.#table.numbersOf(addressBytes(address), "find")[0]!;
  }

  has(address: string): boolean {
    return this.numberOf(address) !== NO_NUMBER;
  }
}

/** A copy, whose buffer begins at an address that words can be read from. */
const addressBytes = (address: string) => Uint8Array.from(Buffer.from(address.slice(2), "hex"));

function isMoved(from: Uint8Array, to: Uint8Array, value: Uint8Array, row: number): boolean {
  let isSame = true;
  for (let at = ADDRESS_BYTES * row; isSame && at < ADDRESS_BYTES * (row + 1); at++) isSame = from[at] === to[at];
  if (isSame) return false;
  // Most values end with digits that are not 0, but 18 decimals leave zeros there.
  for (let at = VALUE_BYTES * (row + 1) - 1; at >= VALUE_BYTES * row; at--) if (value[at] !== 0) return true;
  return false;
}

/** Finds the addresses that are contracts at the block at which states are read. */
async function contractsAmong({ nodes, last, confirmations, progress }: ContractsOptions, addresses: Uint8Array) {
  const total = addresses.length / ADDRESS_BYTES;
  if (total === 0) return [];
  let [codes, readers]: [Code[], number[]] = [new Array(total), new Array(total).fill(NOBODY)];
  let gone: number | undefined;
  for (let tried = 1; ; tried++) {
    const block = await stateBlock(nodes, confirmations, last, gone);
    const [now, by] = [codes.slice(), readers.slice()];
    const left = [...by.keys()].filter((place) => by[place] === NOBODY);
    const read = async () => {
      await readCodes(nodes, pickAddresses(addresses, left), block.number, {
        onProgress: (done) => progress.update(total - left.length + done),
        onRead(first, found, node) {
          for (const [i, code] of found.entries()) {
            now[left[first + i]!] = code;
            by[left[first + i]!] = node;
          }
        },
      });
      return confirmCodes(nodes, addresses, now, by, block.number);
    };
    const confirmed = await read().catch((error: unknown) => {
      if (error instanceof StateUnavailable) return undefined;
      throw error;
    });
    // Answers about a block that was replaced count for nothing.
    if (await isStillThere(nodes, block)) {
      if (confirmed) {
        const found = [...confirmed.keys()].filter((place) => confirmed[place] === "contract");
        return addressTexts(pickAddresses(addresses, found));
      }
      [codes, readers] = [now, by];
    }
    if (!confirmed) gone = block.number;
    if (tried < BLOCKS_TRIED) continue;
    throw new Failure(
      `No node (${nodes.hosts.join(", ")}) keeps the state of block ${block.number} for long enough to look for contracts. ` +
        "Add an --rpc URL of a node that keeps more states.",
    );
  }
}

/** Has not been read. */
const NOBODY = -1;

/** Contracts of the file that have no code any more. */
function lostOf(before: ReadonlySet<string>, addresses: Parties, found: ReadonlySet<string>): Set<string> {
  return new Set([...before].filter((address) => addresses.has(address) && !found.has(address)));
}

/** Addresses that a notice names. */
const NAMED = 10;

function recheckText(fresh: readonly string[], lost: readonly string[]): string {
  if (fresh.length + lost.length === 0) return "All addresses were looked at again: no label of a contract changes.";
  const named = (addresses: readonly string[]) =>
    addresses.slice(0, NAMED).join(", ") + (addresses.length > NAMED ? `, … ` : "");
  const changes = [
    ...(fresh.length > 0 ? [`${counted(fresh.length, "contract")} new: ${named(fresh)}`] : []),
    ...(lost.length > 0 ? [`${counted(lost.length, "contract")} without code now: ${named(lost)}`] : []),
  ];
  return `All addresses were looked at again: ${changes.join("; ")}. If one of them held the token before, the next build is a full one.`;
}
