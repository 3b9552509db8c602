/** Finds the deposit addresses of an asset: reads its transfers, share by share, and applies the rules. */

import { FIRST_EXCHANGE, OTHER_EXCHANGES } from "../../engine/classification.ts";
import { DepositRules } from "../../engine/deposits.ts";
import { copyAddress, wordsOf } from "../../input/address-order.ts";
import { AddressTable } from "../../input/addresses.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { labelsOf } from "../../input/labels/address-labels.ts";
import type { DepositRow } from "../../input/labels/deposit-table.ts";
import type { Survey } from "../../input/survey.ts";
import { planReading } from "../../input/transfers/plan-reading.ts";
import { readShare } from "../../input/transfers/read-share.ts";
import { whileUnchanged } from "../../input/while-unchanged.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { partitionsOf } from "../left/partitions.ts";
import { leastPartitions, mostRows, taskSizes } from "../plan/sizes.ts";

/** How the work is cut: the table does not depend on it. */
interface DetectionSizes {
  /** Rows that are in memory at once, about, given the number of all. */
  rows(all: number): number;
  /** Parts of so many addresses that are judged one after the other, each in a reading of its own: a power of two. */
  parts(addresses: number): number;
}

export interface DetectionOptions {
  /** For copies of files that have to be sorted. */
  folder: string;
  /** Bytes that the build may use. */
  memory: number;
  /** DuckDB's. */
  threads: number;
  sizes?: DetectionSizes | undefined;
}

/** What is known of an address: its number, and its row of DepositRules with values of up to 128 bits. */
const ADDRESS_STATE_BYTES = 130;

/** Half of a task's bytes for rows, the other half for what is known of addresses. */
function sizesFor(memory: number): DetectionSizes & { bytes: number } {
  const { bytes } = taskSizes(memory, 1);
  return {
    bytes: bytes / 2,
    rows: () => mostRows(bytes / 2),
    parts: (addresses) => leastPartitions(addresses, bytes / 2, ADDRESS_STATE_BYTES),
  };
}

/** Addresses of a row: its sender and its receiver. */
const MOST_ADDRESSES = 2;

/**
 * @param survey without labels of deposit addresses
 * @returns in the order of addresses
 * @throws {Failure} as `planReading` and `readShare`
 */
export async function detectDeposits(
  asset: AssetFile,
  survey: Survey,
  { folder, memory, threads, sizes }: DetectionOptions,
): Promise<DepositRow[]> {
  const { bytes, ...ownSizes } = sizesFor(memory);
  const { rows, parts } = sizes ?? ownSizes;
  return whileUnchanged(survey.history, async () => {
    const reading = await planReading(asset, survey, {
      rows,
      countsAddresses: (all) => parts(MOST_ADDRESSES * all) > 1,
      folder,
      memory: bytes,
      threads,
    });
    const count = parts(reading.addresses ?? MOST_ADDRESSES * reading.rows);
    const groupsOf = labelsOf(survey.labels);
    const found: DepositRow[] = [];
    for (let part = 0; part < count; part++) {
      const judging = new Judging(part, count);
      for (const share of reading.shares.keys()) {
        const { history } = await readShare(asset, survey, reading, share, { threads });
        judging.add(history, groupsOf(history.addresses));
      }
      for (const row of judging.found()) found.push(row);
    }
    return found.sort((a, b) => (a.address < b.address ? -1 : 1));
  });
}

type Events = Parameters<DepositRules["add"]>[0];

/** A part of the addresses, numbered over all shares. */
class Judging {
  readonly #rules = new DepositRules();
  readonly #table = new AddressTable();
  readonly #others = new AddressTable();
  readonly #part: number;
  readonly #parts: number;

  constructor(part: number, parts: number) {
    this.#part = part;
    this.#parts = parts;
  }

  add(history: Events["history"], groups: Events["groups"]): void {
    const { addresses } = history;
    const partOf = this.#parts > 1 ? partitionsOf(addresses, this.#parts) : undefined;
    const isOwn = (id: number) => partOf === undefined || partOf[id] === this.#part;
    const isJudged = (id: number) => id !== 0 && groups[id]! < FIRST_EXCHANGE && isOwn(id);
    const judged = numbered(this.#table, addresses, isJudged);
    const others = numbered(this.#others, addresses, (id) => groups[id] === OTHER_EXCHANGES);
    this.#rules.add({ history, groups, judged, others }, this.#table.size);
  }

  *found(): Generator<DepositRow> {
    const rows = [...this.#rules.found()];
    const addresses = Buffer.from(this.#table.pick(Uint32Array.from(rows, ({ number }) => number)));
    for (const [at, { number: _, ...row }] of rows.entries()) {
      yield { address: `0x${addresses.toString("hex", ADDRESS_BYTES * at, ADDRESS_BYTES * (at + 1))}`, ...row };
    }
  }
}

/** The numbers that a table gives to some of the addresses, by their ids; 0 for the others. */
function numbered(table: AddressTable, addresses: Uint8Array, isWanted: (id: number) => boolean): Uint32Array {
  const numbers = new Uint32Array(addresses.length / ADDRESS_BYTES);
  const wanted = new Uint32Array(numbers.length);
  let count = 0;
  for (let id = 0; id < numbers.length; id++) if (isWanted(id)) wanted[count++] = id;
  const picked = new Uint8Array(ADDRESS_BYTES * count);
  const [from, into] = [wordsOf(addresses), wordsOf(picked)];
  for (let i = 0; i < count; i++) copyAddress(from, wanted[i]!, into, i);
  const given = table.numbersOf(picked, "insert");
  for (let i = 0; i < count; i++) numbers[wanted[i]!] = given[i]!;
  return numbers;
}
