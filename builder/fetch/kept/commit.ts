/**
 * Puts new files into place, all or none. They are prepared in `.part/staged`; a fetch.json there is the point of no
 * return: from then on, whoever comes next finishes the renames.
 */

import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  FETCHED_NAME,
  type Fetched,
  formatFetched,
  isOfHour,
  readFetched,
  TABLES,
  type TableRole,
  transferFiles,
} from "../../input/fetched/fetched.ts";
import { syncFolder } from "../../lib/files/durable.ts";
import { writeDurably, writeFailure } from "./durable.ts";

/** Where new files are prepared, under their names in the asset's inputs. */
export const stagedFolder = (folder: string) => join(folder, ".part", "staged");

/** Prepares a table; `commit` puts it into place. */
export async function stageTable(folder: string, role: TableRole, csv: string): Promise<void> {
  const path = join(stagedFolder(folder), TABLES[role]);
  await mkdir(stagedFolder(folder), { recursive: true }).catch((error) => {
    throw writeFailure(path, error);
  });
  await writeDurably(path, csv);
}

/** Puts the staged files into place, and then the record that lists them. */
export async function commit(folder: string, fetched: Fetched): Promise<void> {
  // Without new files there is no such folder.
  await mkdir(join(stagedFolder(folder), "transfers"), { recursive: true });
  await syncFolder(join(stagedFolder(folder), "transfers"));
  await writeDurably(join(stagedFolder(folder), FETCHED_NAME), formatFetched(fetched));
  await finishCommit(folder);
}

/** Finishes a commit that was interrupted, and removes files of a fetch that did not get so far. */
export async function finishCommit(folder: string): Promise<void> {
  const staged = stagedFolder(folder);
  const fetched = await readFetched(staged);
  if (fetched !== undefined) {
    try {
      await mkdir(join(folder, "transfers"), { recursive: true });
      const files = transferFiles(fetched).map(({ file }) => file);
      for (const file of [...files, ...Object.values(TABLES)]) {
        await rename(join(staged, file), join(folder, file)).catch((error: NodeJS.ErrnoException) => {
          // It was in place before, or has been moved by the commit that was interrupted.
          if (error.code !== "ENOENT") throw error;
        });
      }
      // Other files have taken their place: that of a day, or those of a repair.
      const before = await readFetched(folder).catch(() => undefined);
      const listed = new Set(before?.files.map(({ file }) => file));
      const present = (await readdir(join(folder, "transfers"))).map((name) => `transfers/${name}`);
      for (const file of present) {
        if ((isOfHour({ file }) || listed.has(file)) && !files.includes(file)) await rm(join(folder, file));
      }
      await syncFolder(join(folder, "transfers"));
      await rename(join(staged, FETCHED_NAME), join(folder, FETCHED_NAME));
      await syncFolder(folder);
    } catch (error) {
      throw writeFailure(folder, error);
    }
  }
  await rm(staged, { recursive: true, force: true });
}

/** Replaces the record alone: no file has changed. */
export async function recordOnly(folder: string, fetched: Fetched): Promise<void> {
  const path = join(folder, FETCHED_NAME);
  await mkdir(dirname(path), { recursive: true });
  await writeDurably(path, formatFetched(fetched));
}
