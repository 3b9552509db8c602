/** The addresses of a partition: those of the last build's checkpoint, then those of each run. */

import type { SortedAddresses } from "../../engine/closes.ts";
import { addressOrder } from "../../input/address-order.ts";
import { AddressTable } from "../../input/addresses.ts";
import type { Rows } from "../../lib/fixed-width-table.ts";
import { DICTIONARY, held } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import type { StageTask } from "../left/task.ts";

/** Addresses of a checkpoint, one after the other from number `first` on. */
export interface Seeds extends Rows<ReturnType<typeof held>> {
  first: number;
  count: number;
  /** 32-bit words of each balance. */
  words: number;
}

export interface PartitionAddresses {
  /** Numbers every address from 1 on; 0 is the zero address. */
  table: AddressTable;
  /** The labels of the addresses, by their numbers. */
  labels: Uint8Array;
  seeds: Seeds[];
  /** The numbers of the addresses of each run's dictionary. */
  translations: Uint32Array[];
  /** How many addresses the runs have. */
  appearing: number;
}

export async function readAddresses({ plan, folder, index }: StageTask): Promise<PartitionAddresses> {
  const table = new AddressTable();
  const seeds: Seeds[] = [];
  const words = plan.resume?.words ?? 1;
  for (let division = 0; division < plan.tasks.divide; division++) {
    const file = await openLeftTable(folder, `seeds/${division}.parquet`, held(words), () => [index]);
    const rows = file.group(index);
    seeds.push({ ...rows, words, first: table.size });
    table.numbersOf(rows.address, "insert");
  }
  const runs: { label: Uint8Array; numbers: Uint32Array }[] = [];
  for (const run of plan.reading.shares.keys()) {
    const file = await openLeftTable(folder, `dictionary/${run}.parquet`, DICTIONARY, () => [index]);
    const { address, label } = file.group(index);
    runs.push({ label, numbers: table.numbersOf(address, "insert") });
  }
  const labels = new Uint8Array(table.size);
  for (const { first, label } of seeds) labels.set(label, first);
  const appears = new Uint8Array(table.size);
  for (const { numbers, label } of runs) {
    numbers.forEach((number, i) => {
      labels[number] = label[i]!;
      appears[number] = 1;
    });
  }
  return {
    table,
    labels,
    seeds,
    translations: runs.map(({ numbers }) => numbers),
    appearing: appears.reduce((sum, one) => sum + one, 0),
  };
}

/** The addresses of a partition in ascending order. */
export interface OrderedAddresses extends SortedAddresses {
  /** Their numbers. */
  order: Uint32Array;
}

export function sortAddresses({ table }: PartitionAddresses): OrderedAddresses {
  // Number 0 stands for what is not an address of the partition.
  const numbers = Uint32Array.from({ length: table.size - 1 }, (_, i) => i + 1);
  const order = addressOrder(table.pick(numbers)).map((i) => i + 1);
  const places = new Uint32Array(table.size);
  for (let place = 0; place < order.length; place++) places[order[place]!] = place;
  return { bytes: table.pick(order), order, places };
}
