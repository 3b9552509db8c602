/** One process at a time: a file that names the process, and that its holder keeps fresh. */

import { mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isRunning, PROCESS_SPACE } from "./process-space.ts";

const REFRESH_MS = 10_000;
/** A holder that has not refreshed it for so long has ended, on whatever machine it was. */
const STALE_MS = 120_000;
/** Removing a lock takes less; a process that takes so much longer was killed meanwhile. */
const REMOVAL_MS = 20;
const LONG_REMOVAL_MS = 5_000;

/** The locks that this process holds or is taking. */
const held = new Set<string>();

/** Who holds a lock, and since when, milliseconds since 1970; undefined where that can't be told. */
export interface Holder {
  /** Such as `process 12 on build-1`. */
  name: string;
  since: number | undefined;
}

/**
 * Takes the lock; that of a process that has ended is taken over.
 *
 * @param path of the file; its folder is made if it doesn't exist
 * @param refusal what is thrown if another process holds it
 * @returns releases it
 * @throws the system's error if the file can't be written
 */
export async function takeFileLock(path: string, refusal: (holder: Holder) => unknown): Promise<() => Promise<void>> {
  if (held.has(path)) throw refusal({ name: `process ${process.pid} on ${hostname()}`, since: undefined });
  held.add(path);
  const own = `${process.pid} ${hostname()} ${Math.random()} ${PROCESS_SPACE} ${Date.now()}\n`;
  try {
    await writeLock(path, own, refusal);
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

async function writeLock(path: string, own: string, refusal: (holder: Holder) => unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  while (!(await create(path, own))) {
    const found = await look(path);
    if (found?.holder !== undefined) throw refusal(found.holder);
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
    throw error;
  }
}

/** Who holds the lock, if anybody does; undefined if it has just been released. */
async function look(path: string): Promise<{ holder?: Holder } | undefined> {
  try {
    const { mtimeMs } = await stat(path);
    const [pid = "", host = "", , space = PROCESS_SPACE, since] = (await readFile(path, "utf8")).trim().split(" ");
    const isOfHere = host === hostname() && space === PROCESS_SPACE;
    // In a container, a process often has the number of that before it.
    const isAlive = Number(pid) !== process.pid && isRunning(Number(pid));
    const hasEnded = Date.now() - mtimeMs > STALE_MS || (isOfHere && !isAlive);
    const name = `process ${pid || "unknown"} on ${host || "this machine"}`;
    return hasEnded ? {} : { holder: { name, since: since === undefined ? undefined : Number(since) } };
  } catch {
    return undefined;
  }
}
