/** What all partitions have kept at each day's close. */

import { CLOSE_NAMES, type CloseName, closesOf, type ExactCloses, type Kept } from "../../engine/closes.ts";
import type { StageFolder } from "../folder/folder.ts";
import { fromJson } from "../left/json.ts";
import { CLOSE_LAYOUT } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";

/** What was kept at each day's close, merged partition by partition: all at once would take much memory. */
export async function mergeCloses(folder: StageFolder, partitions: number): Promise<Kept<ExactCloses>> {
  const kept: Partial<Kept<ExactCloses>> = {};
  for (const name of CLOSE_NAMES) {
    const { merge } = closesOf(name);
    let merged = await readCloses(folder, name, 0);
    for (let partition = 1; partition < partitions; partition++) {
      merged = merge(merged, await readCloses(folder, name, partition));
    }
    kept[name] = merged;
  }
  return kept as Kept<ExactCloses>;
}

async function readCloses(folder: StageFolder, name: CloseName, partition: number): Promise<ExactCloses> {
  const file = await openLeftTable(folder, `${name}/${partition}.parquet`, CLOSE_LAYOUT);
  return { ...fromJson<object>(file.entry!), digits: file.group(0).digit };
}
