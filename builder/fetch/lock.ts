/** One fetch of an asset at a time: a file in `.part` that names the process, and that its holder keeps fresh. */

import { mkdir, open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { writeFailure } from "./durable.ts";

const REFRESH_MS = 10_000;
/** A holder that has not refreshed it for so long has ended, on whatever machine it was. */
const STALE_MS = 120_000;

/** Those of this process. */
const held = new Set<string>();

/**
 * Takes the lock; that of a process that has ended is taken over.
 *
 * @returns releases it
 * @throws {Failure} another process holds it
 */
export async function takeLock(part: string): Promise<() => Promise<void>> {
  const path = join(part, "lock");
  const own = `${process.pid} ${hostname()} ${Math.random()}\n`;
  await mkdir(part, { recursive: true }).catch((error) => {
    throw writeFailure(part, error);
  });
  while (!(await create(path, own))) {
    const holder = await livingHolder(path);
    if (holder !== undefined) {
      throw new Failure(
        `Another soprano fetch (${holder}) is fetching this asset: wait for it, or remove ${path} if it has ended.`,
      );
    }
    // Only one of two that find it stale moves it away.
    const away = `${path}.${process.pid}`;
    await rename(path, away).catch(() => {});
    await rm(away, { force: true });
  }
  held.add(path);
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, REFRESH_MS).unref();
  return async () => {
    clearInterval(refresh);
    held.delete(path);
    const isOwn = (await readFile(path, "utf8").catch(() => "")) === own;
    if (isOwn) await rm(path, { force: true });
  };
}

/** @returns false if the file exists */
async function create(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    await file.writeFile(content);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw writeFailure(path, error);
  }
}

/** Who holds the lock, for messages; undefined if nobody does. */
async function livingHolder(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs } = await stat(path);
    const [pid = "", host = ""] = (await readFile(path, "utf8")).trim().split(" ");
    if (Date.now() - mtimeMs > STALE_MS) return undefined;
    if (host === hostname() && !isRunning(Number(pid), path)) return undefined;
    return `process ${pid || "unknown"} on ${host || "this machine"}`;
  } catch {
    // It has just been released.
    return undefined;
  }
}

function isRunning(pid: number, path: string): boolean {
  // In a container, a process often has the number of the one before it.
  if (pid === process.pid) return held.has(path);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
