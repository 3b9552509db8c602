/**
 * `node .github/batches.ts N [FILE...]`: distributes asset files (default: assets/*.json) over at most N batches, as JSON
 * for the matrix of nightly.yml. A file keeps its batch when others are added or removed, and so the day of its verification.
 */

import { createHash } from "node:crypto";
import { globSync } from "node:fs";

export interface Batch {
  name: string;
  /** Paths, separated by spaces. */
  assets: string;
}

/** A path that a shell reads as one word, and not as an option. */
const PLAIN_PATH = /^[A-Za-z0-9_][A-Za-z0-9._/-]*\.json$/;

/** @throws {Error} a path that is not plain */
export function batchesOf(files: readonly string[], most: number): Batch[] {
  const batches = new Map<number, string[]>();
  for (const file of files.toSorted()) {
    if (!PLAIN_PATH.test(file)) throw new Error(`${file}: name it with letters, digits and . _ - only.`);
    const number = createHash("sha256").update(file).digest().readUInt32BE() % most;
    batches.set(number, [...(batches.get(number) ?? []), file]);
  }
  return [...batches]
    .sort(([a], [b]) => a - b)
    .map(([number, assets]) => ({ name: String(number), assets: assets.join(" ") }));
}

if (import.meta.main) {
  const [most, ...files] = process.argv.slice(2);
  const found = globSync("assets/*.json").map((file) => file.replaceAll("\\", "/"));
  console.log(JSON.stringify(batchesOf(files.length > 0 ? files : found, Number(most))));
}
