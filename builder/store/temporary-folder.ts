/** Folders for what a process needs only while it runs. Those of a process that was killed go when the next one begins. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** Each machine numbers its own processes, and several may share a disk. */
const HOST = hostname().replace(/[^A-Za-z0-9.]/g, "_");

/**
 * Makes a folder in another one, which is made too if it doesn't exist.
 *
 * @param purpose what the folder's name begins with
 * @throws {Error} the system's, if it can't be made
 */
export function temporaryFolder(parent: string, purpose: string): TemporaryFolder {
  mkdirSync(parent, { recursive: true });
  removeStaleFolders(parent, purpose);
  const path = mkdtempSync(join(parent, `${purpose}-${process.pid}-${HOST}-`));
  const remove = () => {
    try {
      rmSync(path, { recursive: true, force: true });
      process.removeListener("exit", remove);
    } catch {
      // A thread still writes to it: the end of the process removes it.
    }
  };
  process.once("exit", remove);
  return { path, remove };
}

/** Removes the folders of processes that are gone. */
function removeStaleFolders(parent: string, purpose: string): void {
  for (const name of readdirSync(parent)) {
    const [, owner, host] = name.match(`^${purpose}-(\\d+)-(.*)-`) ?? [];
    if (host !== HOST || isRunning(Number(owner))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // Another user's, who can remove it.
    }
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
