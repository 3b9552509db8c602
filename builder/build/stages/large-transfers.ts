/** The largest transfers of each day of a run, which `map` leaves and the last task merges. */

import { compareTransfers, type KeptTransfer, transferAt } from "../../../data-schema/holders.ts";
import { MOST_LARGE_TRANSFERS } from "../../../data-schema/stored.ts";
import { DAY_SECONDS, joinBytes } from "../../../data-schema/text.ts";
import { largestTransfers } from "../../engine/calendar.ts";
import { fromBigInt, type History, type Prices, toBigInt } from "../../engine/history.ts";
import { TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { RunFacts } from "../left/facts.ts";
import { largeTransfers } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";

const nameOf = (run: number) => `large-transfers/${run}.parquet`;

/** Leaves the largest transfers of each day of a run. @param labels by the number of an address */
export async function writeLargeTransfers(
  folder: StageFolder,
  run: number,
  history: History,
  labels: Uint8Array,
  prices: Prices,
  decimals: number,
): Promise<void> {
  const { timestamp, block, logIndex, from, to, values, valueWords: words } = history;
  const addressOf = (id: number) => history.addresses.subarray(ADDRESS_BYTES * id, ADDRESS_BYTES * (id + 1));
  const transfers = largestTransfers(history, prices, decimals).map(({ row, price }): KeptTransfer => {
    const [sender, receiver] = [from[row]!, to[row]!];
    return {
      time: timestamp[row]!,
      block: block[row]!,
      logIndex: logIndex[row]!,
      from: addressOf(sender),
      to: addressOf(receiver),
      fromLabel: labels[sender]!,
      toLabel: labels[receiver]!,
      price,
      raw: toBigInt(values, row * words, words),
    };
  });
  await folder.write(nameOf(run), encodeLargeTransfers(transfers, words));
}

/**
 * A table of one row group; the same transfers always give the same bytes.
 *
 * @param words of 32 bits, enough for the largest value
 */
export function* encodeLargeTransfers(transfers: readonly KeptTransfer[], words: number): Generator<Uint8Array> {
  const encoder = new TableEncoder(largeTransfers(words));
  const [from, to] = [transfers.map((one) => one.from), transfers.map((one) => one.to)];
  const value = new Uint32Array(words * transfers.length);
  for (const [row, { raw }] of transfers.entries()) fromBigInt(raw, value, words * row, words);
  if (transfers.length > 0) {
    yield* encoder.group(transfers.length, {
      time: Float64Array.from(transfers, ({ time }) => time),
      block: Float64Array.from(transfers, ({ block }) => block),
      logIndex: Uint32Array.from(transfers, ({ logIndex }) => logIndex),
      from: joinBytes(from),
      to: joinBytes(to),
      fromLabel: Uint8Array.from(transfers, ({ fromLabel }) => fromLabel),
      toLabel: Uint8Array.from(transfers, ({ toLabel }) => toLabel),
      price: Float64Array.from(transfers, ({ price }) => price),
      value,
    });
  }
  yield* encoder.end();
}

/** The largest transfers of a day, the largest first; at least one. */
interface LargestOfDay {
  /** Its start, Unix seconds. */
  day: number;
  transfers: KeptTransfer[];
}

/**
 * The largest of each day with transfers, ascending: a day that two runs share has those of both.
 *
 * @throws {Error} a table is missing or damaged
 */
export async function* readLargeTransfers(
  folder: StageFolder,
  runs: readonly RunFacts[],
  decimals: number,
): AsyncGenerator<LargestOfDay> {
  let open: LargestOfDay | undefined;
  const ended = ({ day, transfers }: LargestOfDay): LargestOfDay => {
    const sorted = transfers.sort((a, b) => compareTransfers(a, b, decimals));
    return { day, transfers: sorted.slice(0, MOST_LARGE_TRANSFERS) };
  };
  for (const [run, { words }] of runs.entries()) {
    const file = await openLeftTable(folder, nameOf(run), largeTransfers(words));
    for (const { count: rows, ...columns } of file.read()) {
      for (let row = 0; row < rows; row++) {
        const transfer = transferAt({ rows, words, ...columns }, row);
        const day = Math.floor(transfer.time / DAY_SECONDS) * DAY_SECONDS;
        if (open && open.day !== day) yield ended(open);
        if (open?.day !== day) open = { day, transfers: [] };
        open.transfers.push(transfer);
      }
    }
  }
  if (open) yield ended(open);
}
