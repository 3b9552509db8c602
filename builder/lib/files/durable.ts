/** Files that survive a kill or a power failure: a reader sees all of a file or nothing of it. */

import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** What unfinished files end with. */
const UNFINISHED = ".unfinished";

/** Writes a file under a temporary name, flushes it and renames it. Rejects with the system's error. */
export async function replaceDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    const file = await open(unfinished, "w");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}

/** Flushes a folder's entries, so that a new or renamed file is still there after a power failure. */
export async function syncFolder(path: string): Promise<void> {
  // Windows can't open folders; its file systems keep the order of renames themselves.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
