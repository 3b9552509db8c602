/**
 * Loaded before the program, by `node --import`: kills its own process with SIGKILL at the n-th change to files. What the
 * process had in memory is lost; a write that is killed leaves half of what was to be written.
 *
 *     KILL_AT=17:/tmp/folder     at the 17th change below that folder; at 0, never
 *     COUNT_TO=/tmp/count        writes the number of changes there at the end
 */

import fs, { writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [at, folder = ""] = (process.env.KILL_AT ?? "").split(/:(.*)/s);
const killAt = Number(at);
let changes = 0;

const die = (): never => {
  process.kill(process.pid, "SIGKILL");
  // The signal comes at once; nothing more may happen until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const isDue = () => ++changes === killAt;
const isInFolder = (path: unknown) => String(path).startsWith(folder);

const promises = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;

for (const name of ["rename", "rm", "unlink", "mkdir", "rmdir", "writeFile", "copyFile", "link", "truncate"]) {
  const original = promises[name]!.bind(fs.promises);
  promises[name] = async (path, ...rest) => {
    if (isInFolder(path) && isDue()) die();
    return original(path, ...rest);
  };
}

const open = promises.open!.bind(fs.promises) as (...args: unknown[]) => Promise<FileHandle>;
promises.open = async (path, flags, ...rest) => {
  const isWritten = isInFolder(path) && flags !== undefined && flags !== "r";
  if (isWritten && isDue()) die();
  const handle = await open(path, flags, ...rest);
  if (isWritten) watch(handle as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>);
  return handle;
};

/** Kills in the middle of what a file is written by. */
function watch(handle: Record<string, (...args: unknown[]) => Promise<unknown>>): void {
  for (const name of ["write", "writeFile", "writev", "appendFile", "sync", "datasync", "truncate"]) {
    const original = handle[name]!.bind(handle);
    handle[name] = async (...args) => {
      if (isDue()) {
        const [content] = args;
        if (name === "write" || name === "writeFile") {
          const bytes = Buffer.from(content as Uint8Array);
          await original(bytes.subarray(0, bytes.length >> 1)).catch(() => {});
        }
        die();
      }
      return original(...args);
    };
  }
}

// The same of functions that return once the change is made.
const now = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
/** Files that are open for writing, by their descriptors. */
const written = new Set<unknown>();

/** Kills before a change, or in the middle of one that writes its second argument. */
function watchNow(name: string, isChange: (first: unknown) => boolean, writes: boolean): void {
  const original = now[name]!.bind(fs);
  now[name] = (first, ...rest) => {
    if (isChange(first) && isDue()) {
      const [content] = rest;
      if (writes && content instanceof Uint8Array) original(first, content.subarray(0, content.length >> 1));
      die();
    }
    return original(first, ...rest);
  };
}

for (const name of ["renameSync", "rmSync", "unlinkSync", "mkdirSync", "rmdirSync", "copyFileSync", "linkSync"]) {
  watchNow(name, isInFolder, false);
}
watchNow("writeFileSync", (file) => written.has(file) || isInFolder(file), true);
watchNow("writeSync", (file) => written.has(file), true);
for (const name of ["writevSync", "fsyncSync", "fdatasyncSync"]) watchNow(name, (file) => written.has(file), false);

const openNow = now.openSync!.bind(fs);
now.openSync = (path, flags, ...rest) => {
  const isWritten = isInFolder(path) && flags !== undefined && flags !== "r";
  if (isWritten && isDue()) die();
  const file = openNow(path, flags, ...rest);
  if (isWritten) written.add(file);
  return file;
};
const closeNow = now.closeSync!.bind(fs);
now.closeSync = (file) => {
  written.delete(file);
  return closeNow(file);
};

syncBuiltinESMExports();

const { COUNT_TO } = process.env;
if (COUNT_TO !== undefined) process.on("exit", () => writeFileSync(COUNT_TO, String(changes)));
