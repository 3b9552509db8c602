/**
 * Makes the transfers of an asset and of its predecessors the history of one token: in the same raw units, without what takes and
 * gives tokens in migrations, and with what was swapped or given out for a snapshot counting as kept. Events stay where they are:
 * one whose whole amount was carried over is left with amount 0, which counts nowhere. Source: docs/migrations.md.
 */

import { ZERO_ADDRESS } from "../../../../data-schema/asset.ts";
import { type History, toBigInt } from "../../../engine/history.ts";
import { sharedWords } from "../../../lib/columns/shared.ts";
import { Failure } from "../../../lib/failure.ts";
import { ADDRESS_BYTES } from "../../../lib/widths.ts";
import { type AddressTable, NO_NUMBER } from "../../addresses.ts";
import { type MergedUnits, unitFactors } from "../../asset/predecessors.ts";
import { VALUE_WORDS } from "../../cells/words.ts";
import { pickHistory } from "../rows/events.ts";
import type { Reading, Swapped } from "../shares/share.ts";
import { logName } from "../transaction-hashes.ts";
import { settle } from "./settle.ts";
import { takeSwaps } from "./swaps.ts";

interface CarryOverOptions extends Pick<Reading, "claims"> {
  /** Settlements after blocks of this history. */
  settlements?: Reading["settlements"];
  /** If only events with one of these addresses are wanted. */
  list?: AddressTable | undefined;
}

/**
 * @param contracts of each event: its position in `predecessors`, or their number for the asset's own contract
 * @throws {Failure} tokens were swapped after the last block of an old contract
 */
export function carryOver(
  asset: MergedUnits,
  history: History,
  contracts: Uint8Array,
  { claims = {}, settlements = [], list }: CarryOverOptions = {},
): { history: History; swapped: Swapped } {
  const { predecessors = [] } = asset;
  const { rows, block, logIndex, values, valueWords } = history;
  checkEnded(asset, history, contracts);
  const nobody = numbersOf(
    history.addresses,
    predecessors.flatMap(({ swap = [], from = [] }) => [...swap, ...from]),
  );
  const sides = (numbers: Uint32Array) => numbers.map((number) => (nobody.has(number) ? 0 : number));
  const [from, to] = [sides(history.from), sides(history.to)];
  const factors = unitFactors(asset);
  const amounts = Array.from(
    { length: rows },
    (_, row) => toBigInt(values, row * valueWords, valueWords) * factors[contracts[row]!]!,
  );
  const isSwapped = (contract: number) => predecessors[contract]?.by === "swap";
  let [swaps, raw] = [0, 0n];
  for (let begin = 0, end: number; begin < rows; begin = end) {
    end = begin + 1;
    while (end < rows && block[end] === block[begin]) end++;
    for (let row = begin; row < end; row++) {
      const claim = from[row] === 0 ? claims[logName({ block: block[row]!, logIndex: logIndex[row]! })] : undefined;
      if (claim !== undefined) amounts[row] = BigInt(claim);
    }
    for (const amount of takeSwaps({ from, to, amounts, contracts }, begin, end, isSwapped)) {
      swaps++;
      raw += amount;
    }
  }
  const { amounts: merged, ...columns } = settlements.reduce(settle, { ...history, from, to, amounts });
  const listed = list?.numbersOf(columns.addresses, "find");
  const isListed = (number: number) => !listed || (number !== 0 && listed[number] !== NO_NUMBER);
  const wanted = Uint32Array.from(columns.from.keys()).filter(
    (row) => isListed(columns.from[row]!) || isListed(columns.to[row]!),
  );
  return {
    history: pickHistory({ ...columns, ...amountColumns(merged) }, wanted),
    swapped: { swaps, raw: String(raw) },
  };
}

/** The numbers of some addresses, where they are among those of a history. */
function numbersOf(addresses: Uint8Array, wanted: readonly string[]): Set<number> {
  const bytes = Buffer.from(addresses.buffer, addresses.byteOffset, addresses.byteLength);
  const numbers = new Set<number>();
  for (const address of wanted) {
    if (address === ZERO_ADDRESS) continue;
    const digits = Buffer.from(address.slice(2), "hex");
    let at = bytes.indexOf(digits);
    while (at >= 0 && at % ADDRESS_BYTES !== 0) at = bytes.indexOf(digits, at + 1);
    if (at >= 0) numbers.add(at / ADDRESS_BYTES);
  }
  return numbers;
}

/** What came out of a swap whose other side is not read any more would count twice. */
function checkEnded({ predecessors = [] }: MergedUnits, history: History, contracts: Uint8Array): void {
  for (const [at, { by, until, swap = [], contract }] of predecessors.entries()) {
    if (by !== "swap" || until === undefined) continue;
    const givers = numbersOf(history.addresses, swap);
    const row = history.from.findIndex(
      (giver, row) => givers.has(giver) && contracts[row] !== at && history.block[row]! > until,
    );
    if (row < 0) continue;
    throw new Failure(
      `Block ${history.block[row]}, log index ${history.logIndex[row]}: new tokens left the swap contract, though the transfers of ${contract} end at block ${until}. ` +
        `Leave out "until" in "predecessors[${at}]", and add the later transfers of the old contract.`,
    );
  }
}

/** @throws {Failure} an amount needs more than 256 bits */
function amountColumns(amounts: readonly bigint[]): Pick<History, "values" | "valueWords"> {
  // Every digit of the largest is one of these.
  const bits = amounts.reduce((bits, amount) => bits | amount, 0n);
  const valueWords = Math.ceil(bits.toString(2).length / 32);
  if (valueWords > VALUE_WORDS) {
    throw new Failure(
      'A transfer has more than 2^256 raw units once it is counted in those of "predecessors": correct "ratio" and "decimals" there.',
    );
  }
  const values = sharedWords(amounts.length * valueWords);
  for (const [row, amount] of amounts.entries()) {
    let rest = amount;
    for (let word = 0; rest > 0n; word++, rest >>= 32n) values[row * valueWords + word] = Number(rest & 0xffff_ffffn);
  }
  return { values, valueWords };
}
