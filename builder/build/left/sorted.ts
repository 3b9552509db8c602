import { join } from "node:path";
import type { Reading } from "../../input/transfers/shares/share.ts";
import type { StageFolder } from "../folder/folder.ts";

/** A reading with the paths of sorted copies on this machine, of those of `files` that have one. */
export async function withSorted(folder: StageFolder, reading: Reading, files: readonly number[]): Promise<Reading> {
  for (const index of new Set(files)) if (index in reading.sorted) await folder.copy(reading.sorted[index]!);
  const paths = Object.entries(reading.sorted).map(([index, name]) => [index, join(folder.scratch, name)]);
  return { ...reading, sorted: Object.fromEntries(paths) };
}
