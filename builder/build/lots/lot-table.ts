/**
 * The lots of a method beside a checkpoint, and what its next build goes on with: a row group for each row group of the
 * checkpoint, with the lots of its addresses. The amount of an address's first lot is stored as 0: it is what the balance has
 * beyond the others. Source: docs/formats.md#lots.
 */

import type { LotMethod } from "../../../data-schema/registry.ts";
import { type Rows, TableEncoder, TableFile, tableEnd } from "../../lib/fixed-width-table.ts";
import { lots } from "../../published/objects/lot-layout.ts";
import type { CheckpointRows } from "../checkpoint/checkpoint-rows.ts";
import { type LotState, lotEntry, type WrittenLots } from "../checkpoint/lot-state.ts";
import { LOTS_BEFORE } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import { openLeftTable } from "../left/open-table.ts";
import { CLOSING_LOTS, LOT_TABLE, SEED_LOTS } from "./lot-files.ts";

type LotGroup = Rows<ReturnType<typeof lots>>;

/** The lots of a partition, address by address. */
class LotCursor {
  readonly #file: TableFile<ReturnType<typeof lots>>;
  #group = -1;
  #rows: ({ count: number } & LotGroup) | undefined;
  #row = 0;
  /** The place of the next address. */
  #holder = 0;

  constructor(file: TableFile<ReturnType<typeof lots>>) {
    this.#file = file;
  }

  /** The lots of the next address: rows of a group, none if it has none. */
  next(): { group: LotGroup; from: number; to: number } | undefined {
    const holder = this.#holder++;
    // An address's lots are of one group.
    while (this.#rows === undefined || this.#row === this.#rows.count) {
      if (this.#group + 1 >= this.#file.groups) return undefined;
      this.#rows = this.#file.group(++this.#group);
      this.#row = 0;
    }
    const from = this.#row;
    while (this.#row < this.#rows.count && this.#rows.holder[this.#row] === holder) this.#row++;
    return from === this.#row ? undefined : { group: this.#rows, from, to: this.#row };
  }
}

/**
 * Writes the beginning of a table.
 *
 * @param groups for each row group of the checkpoint, the partitions of its addresses
 * @param amountWords 32-bit words of the amounts that partitions have left
 * @param words those of the checkpoint's balances
 */
export async function writeLotTable(
  folder: StageFolder,
  method: LotMethod,
  groups: readonly Uint16Array[],
  { partitions, amountWords, words }: { partitions: number; amountWords: number; words: number },
): Promise<WrittenLots> {
  const cursors: LotCursor[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    cursors.push(new LotCursor(await openLeftTable(folder, CLOSING_LOTS(method, partition), lots(amountWords))));
  }
  const encoder = new TableEncoder(lots(words), "ZSTD");
  function* pieces(): Generator<Uint8Array> {
    for (const partitionOf of groups) {
      const found = Array.from(partitionOf, (partition) => cursors[partition]!.next());
      const count = found.reduce((sum, one) => sum + (one ? one.to - one.from : 0), 0);
      const rows = emptyLots(count, words);
      let at = 0;
      for (const [holder, one] of found.entries()) {
        if (!one) continue;
        for (let row = one.from; row < one.to; row++, at++) {
          rows.holder[at] = holder;
          rows.hour[at] = one.group.hour[row]!;
          rows.price[at] = one.group.price[row]!;
          if (row === one.from) continue;
          const width = Math.min(words, amountWords);
          for (let word = 0; word < width; word++) {
            rows.amount[words * at + word] = one.group.amount[amountWords * row + word]!;
          }
        }
      }
      yield* encoder.group(count, rows);
    }
  }
  await folder.write(LOT_TABLE(method), pieces());
  return { written: encoder.written, words };
}

const emptyLots = (count: number, words: number): LotGroup => ({
  holder: new Uint32Array(count),
  hour: new Uint32Array(count),
  price: new Float64Array(count),
  amount: new Uint32Array(words * count),
});

/** The end of a table whose beginning has been written. */
export const lotTableEnd = ({ written, words }: WrittenLots, state: LotState): Uint8Array[] =>
  tableEnd(lots(words), written, lotEntry(state));

/** The lots of the addresses of a row group of the checkpoint, with their amounts. @throws {Error} the table is damaged */
function lotsOfGroup(
  table: TableFile<ReturnType<typeof lots>>,
  index: number,
  { rows, balances }: CheckpointRows,
): { count: number } & LotGroup {
  const group = table.group(index);
  const words = group.count === 0 ? 1 : group.amount.length / group.count;
  const width = rows === 0 ? 1 : balances.length / rows;
  for (let first = 0, end = 0; first < group.count; first = end) {
    const holder = group.holder[first]!;
    while (end < group.count && group.holder[end] === holder) end++;
    // The balance without the others.
    for (let word = 0; word < words; word++) {
      group.amount[words * first + word] = balances[width * holder + word] ?? 0;
    }
    for (let other = first + 1; other < end; other++) subtract(group.amount, words * first, words * other, words);
  }
  return group;
}

function subtract(amounts: Uint32Array, from: number, of: number, words: number): void {
  let borrow = 0;
  for (let word = 0; word < words; word++) {
    const difference = amounts[from + word]! - amounts[of + word]! - borrow;
    amounts[from + word] = difference;
    borrow = difference < 0 ? 1 : 0;
  }
}

/** Row groups of a checkpoint, and the partitions of their addresses. */
interface DividedGroups {
  /** The number of the first. */
  firstGroup: number;
  batches: readonly CheckpointRows[];
  partitionOf: readonly Uint16Array[];
  partitions: number;
  /** 32-bit words of each balance. */
  words: number;
}

/** Divides the lots of row groups of the last build's checkpoint among the partitions: they get a row group each. */
export async function divideLots(
  folder: StageFolder,
  method: LotMethod,
  division: number,
  { firstGroup, batches, partitionOf, partitions, words }: DividedGroups,
): Promise<void> {
  const before = await folder.table(LOTS_BEFORE(method));
  await before.fetch(batches.keys().map((batch) => firstGroup + batch));
  const table = new TableFile(before.path, lots(words));
  const groups = batches.map((batch, index) => lotsOfGroup(table, firstGroup + index, batch));
  /** Addresses and lots of each partition. */
  const [holders, counts] = [new Uint32Array(partitions), new Uint32Array(partitions)];
  const places = partitionOf.map((column) => Uint32Array.from(column, (partition) => holders[partition]!++));
  for (const [index, { holder }] of groups.entries()) {
    for (const place of holder) counts[partitionOf[index]![place]!]!++;
  }
  const divided = Array.from(counts, (count) => ({ rows: emptyLots(count, words), at: 0 }));
  for (const [index, group] of groups.entries()) {
    const width = group.count === 0 ? 1 : group.amount.length / group.count;
    for (let lot = 0; lot < group.count; lot++) {
      const holder = group.holder[lot]!;
      const into = divided[partitionOf[index]![holder]!]!;
      const at = into.at++;
      into.rows.holder[at] = places[index]![holder]!;
      into.rows.hour[at] = group.hour[lot]!;
      into.rows.price[at] = group.price[lot]!;
      for (let word = 0; word < width; word++) into.rows.amount[words * at + word] = group.amount[width * lot + word]!;
    }
  }
  const encoder = new TableEncoder(lots(words), folder.codec);
  function* pieces(): Generator<Uint8Array> {
    for (const { rows, at } of divided) yield* encoder.group(at, rows);
    yield* encoder.end();
  }
  await folder.write(SEED_LOTS(method, division), pieces());
}
