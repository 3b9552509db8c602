/** Task `divide`: divides row groups of the last build's checkpoint among the partitions. */

import { copyAddress, wordsOf } from "../../input/address-order.ts";
import { type Rows, TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { CheckpointFile } from "../checkpoint/checkpoint-file.ts";
import { type CheckpointRows, copyKept, emptyKept } from "../checkpoint/checkpoint-rows.ts";
import { CHECKPOINT_BEFORE } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import { held } from "../left/layouts.ts";
import { partitionsOf } from "../left/partitions.ts";
import { lotMethods } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { divideLots } from "../lots/lot-table.ts";

/** Row groups of a checkpoint that a task divides, of 8,192 rows each. */
const GROUPS_A_TASK = 256;

/** How many tasks a checkpoint has. */
export const divisions = ({ groups }: CheckpointFile) => Math.ceil(groups / GROUPS_A_TASK);

/** Leaves a row group a partition, in ascending order of addresses, and their lots. */
export async function divideCheckpoint({ folder, plan, index }: StageTask): Promise<void> {
  const { partitions } = plan;
  const { words, batches } = await readDivision(folder, index);
  const partitionOf = batches.map(({ addresses }) => partitionsOf(addresses, partitions));
  const divided = { words, batches, partitionOf, partitions };
  await writeSeeds(folder, index, divided);
  for (const method of lotMethods(plan)) {
    await divideLots(folder, method, index, { ...divided, firstGroup: index * GROUPS_A_TASK });
  }
}

/** The rows of a task's row groups. */
export async function readDivision(
  folder: StageFolder,
  index: number,
): Promise<{ words: number; batches: CheckpointRows[] }> {
  const table = await folder.table(CHECKPOINT_BEFORE);
  const file = new CheckpointFile(table.path);
  const begin = index * GROUPS_A_TASK;
  const end = Math.min(begin + GROUPS_A_TASK, file.groups);
  await table.fetch(Array.from({ length: end - begin }, (_, i) => begin + i));
  return { words: file.words, batches: [...file.rows(begin, end)] };
}

interface DividedRows {
  words: number;
  batches: readonly CheckpointRows[];
  partitionOf: readonly Uint16Array[];
  partitions: number;
}

export async function writeSeeds(folder: StageFolder, index: number, divided: DividedRows): Promise<void> {
  const { words, batches, partitionOf, partitions } = divided;
  function* pieces(): Generator<Uint8Array> {
    const encoder = new TableEncoder(held(words), folder.codec);
    for (let partition = 0; partition < partitions; partition++) {
      const { count, ...rows } = rowsOf(batches, partitionOf, partition, words);
      yield* encoder.group(count, rows);
    }
    yield* encoder.end();
  }
  await folder.write(`seeds/${index}.parquet`, pieces());
}

function rowsOf(
  batches: readonly CheckpointRows[],
  partitionOf: readonly Uint16Array[],
  partition: number,
  words: number,
): { count: number } & Rows<ReturnType<typeof held>> {
  let count = 0;
  for (const column of partitionOf) {
    for (let row = 0; row < column.length; row++) count += Number(column[row] === partition);
  }
  const rows = {
    address: new Uint8Array(ADDRESS_BYTES * count),
    label: new Uint8Array(count),
    balance: new Uint32Array(words * count),
    ...emptyKept(count),
  };
  const into = wordsOf(rows.address);
  let at = 0;
  for (const [index, batch] of batches.entries()) {
    const { labels, balances } = batch;
    const column = partitionOf[index]!;
    const from = wordsOf(batch.addresses);
    for (let row = 0; row < column.length; row++) {
      if (column[row] !== partition) continue;
      copyAddress(from, row, into, at);
      rows.label[at] = labels[row]!;
      for (let word = 0; word < words; word++) rows.balance[words * at + word] = balances[words * row + word]!;
      copyKept(batch, row, rows, at++);
    }
  }
  return { count, ...rows };
}
