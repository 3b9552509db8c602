/** What a browser loads for a page of the explorer. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** What shows cards of links loads it, not the page. */
export const isCard = (name: string) => name.startsWith("static/card-");

/**
 * A page of a folder, the files that it names, and the files that those name in turn.
 *
 * @param withLater whether also what is loaded once someone asks for it
 */
export async function loadedFiles(folder: string, page: string, withLater = false): Promise<string[]> {
  const all = await readdir(join(folder, "static"));
  const loaded = new Set([page]);
  for (const name of loaded) {
    const whole = await readFile(join(folder, name), "latin1");
    const text = withLater ? whole : whole.replaceAll(/\bimport\("[^"]*"\)/g, "");
    for (const file of all) if (text.includes(file)) loaded.add(`static/${file}`);
  }
  return [...loaded];
}

/** The bytes of files, each compressed. */
export async function compressedSize(folder: string, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(join(folder, name))).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}
