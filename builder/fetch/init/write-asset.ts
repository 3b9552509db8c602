/** Writes a new ASSET.json. Nothing that exists is replaced. */

import { link, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../../lib/failure.ts";

/** @throws {Failure} the file exists */
export async function checkIsNew(path: string): Promise<void> {
  if (await stat(path).catch(() => undefined)) throw exists(path);
}

const exists = (path: string) =>
  new Failure(`${path} exists, and init replaces nothing. Remove it, or choose another --symbol or --out.`);

/**
 * Writes a file that must not exist: whole, or not at all.
 *
 * @throws {Failure} it exists, or its folder can't be written
 */
export async function writeNew(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.${process.pid}.unfinished`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(unfinished, "w");
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike a rename, a link fails if somebody was faster.
    await link(unfinished, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw exists(path);
    if (code === undefined) throw error;
    throw new Failure(
      `${path} can't be written (${code}); choose another folder with --out, or change its permissions.`,
    );
  } finally {
    await rm(unfinished, { force: true }).catch(() => {});
  }
}
