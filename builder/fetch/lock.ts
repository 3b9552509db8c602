/** One fetch of an asset at a time: a file in `.part` that names the process, and that its holder keeps fresh. */

import { mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Failure } from "../failure.ts";
import { writeFailure } from "./durable.ts";

const REFRESH_MS = 10_000;
/** A holder that has not refreshed it for so long has ended, on whatever machine it was. */
const STALE_MS = 120_000;
/** Removing a lock takes less; a process that takes so much longer was killed meanwhile. */
const REMOVAL_MS = 20;
const LONG_REMOVAL_MS = 5_000;

/** Those that this process holds or is taking. */
const held = new Set<string>();

/**
 * Takes the lock; that of a process that has ended is taken over.
 *
 * @returns releases it
 * @throws {Failure} another process holds it
 */
export async function takeLock(part: string): Promise<() => Promise<void>> {
  const path = join(part, "lock");
  if (held.has(path)) throw takenBy(`process ${process.pid} on ${hostname()}`, path);
  held.add(path);
  const own = `${process.pid} ${hostname()} ${Math.random()}\n`;
  try {
    await writeLock(part, path, own);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, REFRESH_MS).unref();
  return async () => {
    clearInterval(refresh);
    const isOwn = (await readFile(path, "utf8").catch(() => "")) === own;
    if (isOwn) await rm(path, { force: true });
    held.delete(path);
  };
}

const takenBy = (holder: string, path: string) =>
  new Failure(
    `Another soprano fetch (${holder}) is fetching this asset: wait for it, or remove ${path} if it has ended.`,
  );

async function writeLock(part: string, path: string, own: string): Promise<void> {
  await mkdir(part, { recursive: true }).catch((error) => {
    throw writeFailure(part, error);
  });
  while (!(await create(path, own))) {
    const found = await look(path);
    if (found?.holder !== undefined) throw takenBy(found.holder, path);
    if (found) await removeEnded(path);
  }
}

/** Removes a lock whose holder has ended. Only one process at a time does so: any other might remove that of the next holder. */
async function removeEnded(path: string): Promise<void> {
  const guard = `${path}.ended`;
  if (!(await create(guard, ""))) {
    await setTimeout(REMOVAL_MS);
    const age = await stat(guard).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > LONG_REMOVAL_MS) await rm(guard, { force: true });
    return;
  }
  try {
    const found = await look(path);
    if (found && found.holder === undefined) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

/** @returns false if the file exists */
async function create(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw writeFailure(path, error);
  }
}

/** Who holds the lock, for messages, if anybody does; undefined if it has just been released. */
async function look(path: string): Promise<{ holder?: string } | undefined> {
  try {
    const { mtimeMs } = await stat(path);
    const [pid = "", host = ""] = (await readFile(path, "utf8")).trim().split(" ");
    const hasEnded = Date.now() - mtimeMs > STALE_MS || (host === hostname() && !isRunning(Number(pid)));
    return hasEnded ? {} : { holder: `process ${pid || "unknown"} on ${host || "this machine"}` };
  } catch {
    return undefined;
  }
}

/** Whether a process of this machine is running that is not this one: in a container, one often has the number of that before it. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
