/** Folders for what a process needs only while it runs. Those of a process that was killed go when the next one begins. */

import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning, PROCESS_SPACE } from "./process-space.ts";

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** Each machine and each container numbers its own processes, and several may share a disk and even a name. */
const HOST = `${hostname().replace(/[^A-Za-z0-9.]/g, "_")}.${PROCESS_SPACE}`;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
  const atExit = () => removeFolder(path);
  const remove = () => {
    if (!removeFolder(path)) return;
    process.removeListener("exit", atExit);
    for (const signal of SIGNALS) process.removeListener(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    removeFolder(path);
    // Whoever else listens ends the process in order. Otherwise the signal does what it does without a listener.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once("exit", atExit);
  for (const signal of SIGNALS) process.once(signal, end);
  return { path, remove };
}

/** How often a folder is taken away from threads that make it again. */
const ATTEMPTS = 20;

/**
 * Removes a folder that threads may still be writing to. Under another name they don't find it, and with a file in its
 * place they can't make it again.
 *
 * @returns whether it is gone; else the end of the process tries again
 */
function removeFolder(path: string): boolean {
  const moved: string[] = [];
  try {
    for (let attempt = 0; attempt < ATTEMPTS && !isBlocked(path); attempt++) {
      moved.push(`${path}.${attempt}`);
      renameSync(path, moved.at(-1)!);
    }
  } catch {
    // Some systems don't rename what is open.
    moved.push(path);
  }
  try {
    for (const one of [...moved, path]) rmSync(one, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    return true;
  } catch {
    return false;
  }
}

/** Puts a file where nothing is. */
function isBlocked(path: string): boolean {
  try {
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
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
