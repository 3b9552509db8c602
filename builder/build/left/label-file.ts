/** The labels of a build, in ascending order of addresses: files beside the plan, which are read a row group at a time. */

import type { Groups } from "../../engine/history.ts";
import { compareAddresses, viewOf } from "../../input/address-order.ts";
import { type LabelColumns, LabelIndex } from "../../input/labels/address-labels.ts";
import { orderBy } from "../../lib/columns/order.ts";
import { RowGroupMemory, TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { StageFolder } from "../folder/folder.ts";
import { fromJson, toJson } from "./json.ts";
import { DICTIONARY } from "./layouts.ts";
import { openLeftTable } from "./open-table.ts";

const LABELS = "labels.parquet";
/** The labels among them that are of deposit addresses. */
export const DEPOSIT_LABELS = "deposits.parquet";
/** Rows of a row group. */
const GROUP_ROWS = 131_072;

/** What the file says besides: the first address of each row group, in hex. */
type LabelFacts = string[];

export async function writeLabels(folder: StageFolder, { address, label }: LabelColumns, name = LABELS): Promise<void> {
  const encoder = new TableEncoder(DICTIONARY, folder.codec);
  const firsts: LabelFacts = [];
  function* pieces(): Generator<Uint8Array> {
    for (let begin = 0; begin < label.length; begin += GROUP_ROWS) {
      const end = Math.min(begin + GROUP_ROWS, label.length);
      const addresses = address.subarray(ADDRESS_BYTES * begin, ADDRESS_BYTES * end);
      firsts.push(Buffer.from(addresses.subarray(0, ADDRESS_BYTES)).toString("hex"));
      yield* encoder.group(end - begin, { address: addresses, label: label.subarray(begin, end) });
    }
    yield* encoder.end(toJson(firsts));
  }
  await folder.write(name, pieces());
}

/**
 * The label of each address of a column, 20 bytes each.
 *
 * @throws {Error} the file is missing or damaged
 */
export async function readLabelsOf(folder: StageFolder, addresses: Uint8Array, name = LABELS): Promise<Groups> {
  const file = await openLeftTable(folder, name, DICTIONARY);
  const view = viewOf(addresses);
  const groupOf = rowGroups(view, Buffer.from(fromJson<LabelFacts>(file.entry!).join(""), "hex"));
  const labels = new Uint8Array(groupOf.length);
  const room = new RowGroupMemory(DICTIONARY);
  let [loaded, index] = [-1, undefined as LabelIndex | undefined];
  for (const row of file.groups === 0 ? [] : orderBy(groupOf.length, [groupOf])) {
    if (groupOf[row] !== loaded) {
      loaded = groupOf[row]!;
      index = new LabelIndex(file.group(loaded, room.of(file.rowsOf(loaded))));
    }
    labels[row] = index!.labelOf(view, row);
  }
  return labels;
}

/** The row group that each address would be in. @param firsts the first address of each row group */
function rowGroups(addresses: DataView, firsts: Uint8Array): Uint32Array {
  const bounds = viewOf(firsts);
  const groups = new Uint32Array(addresses.byteLength / ADDRESS_BYTES);
  for (let row = 0; row < groups.length; row++) {
    let [low, high] = [0, firsts.length / ADDRESS_BYTES - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (compareAddresses(addresses, row, bounds, middle) < 0) high = middle - 1;
      else low = middle;
    }
    groups[row] = low;
  }
  return groups;
}
