/** Folders for what a process needs only while it runs. Those of a process that was killed go when the next one begins. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
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
  const remove = () => {
    try {
      // Threads may still be writing to it.
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      process.removeListener("exit", remove);
      for (const signal of SIGNALS) process.removeListener(signal, end);
    } catch {
      // The end of the process removes it.
    }
  };
  const end = (signal: NodeJS.Signals) => {
    remove();
    // Whoever else listens ends the process in order. Otherwise the signal does what it does without a listener.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once("exit", remove);
  for (const signal of SIGNALS) process.once(signal, end);
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
