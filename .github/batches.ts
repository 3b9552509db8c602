/**
 * `node .github/batches.ts N [--freshness=hour] [FILE...]`: distributes asset files (default: assets/*.json) over at most N
 * batches, as JSON for the matrix of update.yml; with --freshness, those alone that ask for it. A file keeps its batch when
 * others are added or removed, and so the day of its verification.
 */

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

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

/** What an asset file says of its freshness. One that can't be read says nothing: its build tells what is wrong. */
function freshnessOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"))?.freshness;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { freshness: { type: "string" } }, allowPositionals: true });
  const [most, ...named] = positionals;
  const files = named.length > 0 ? named : globSync("assets/*.json").map((file) => file.replaceAll("\\", "/"));
  const wanted = files.filter((file) => values.freshness === undefined || freshnessOf(file) === values.freshness);
  console.log(JSON.stringify(batchesOf(wanted, Number(most))));
}
