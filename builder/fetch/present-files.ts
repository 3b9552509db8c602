/** What earlier nights have left: are the files still the same, and are they still the chain's? */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DigestCache } from "../input/digest-cache.ts";
import { FETCHED_NAME, type Fetched, type FetchedFile, transferFiles } from "../input/fetched.ts";
import { Failure } from "../lib/failure.ts";
import { readBlock } from "./chain/blocks.ts";
import type { Nodes } from "./chain/nodes.ts";

/** A file that is not what was fetched, and why. */
export interface DamagedFile {
  entry: FetchedFile;
  /** Completes "<file> …". */
  why: string;
}

/**
 * Compares the files with fetch.json, by size and SHA-256. Those that nobody has touched since the last fetch are not read
 * again, unless all are to be.
 */
export async function damagedFiles(folder: string, fetched: Fetched, all: boolean): Promise<DamagedFile[]> {
  const damaged: DamagedFile[] = [];
  const digests = await DigestCache.open(join(folder, ".part", "digests.json"), !all);
  for (const entry of transferFiles(fetched)) {
    const path = join(folder, entry.file);
    const found = await stat(path).catch(() => undefined);
    if (!found) damaged.push({ entry, why: "is missing" });
    else if (found.size !== entry.bytes) damaged.push({ entry, why: "has changed since it was fetched" });
    else {
      const input = { name: entry.file, path, bytes: entry.bytes };
      const { sha256 } = await digests.digest(input, () => {}, undefined);
      if (sha256 !== entry.sha256) damaged.push({ entry, why: "has changed since it was fetched" });
    }
  }
  await digests.save();
  return damaged;
}

/**
 * Compares the hash of the newest file's last block with the chain's: it commits to all blocks before. If they differ, the
 * first file whose last block the chain does not have is found by halving.
 *
 * @throws {Failure} the chain has another block there: a reorganisation of what was final; nothing has been changed
 */
export async function checkLastHashes(nodes: Nodes, folder: string, fetched: Fetched): Promise<void> {
  // The last hours may have no file.
  const end = fetched.hours && { file: FETCHED_NAME, ...fetched.hours };
  const known = [...transferFiles(fetched), ...(end ? [end] : [])].filter(({ to }) => to >= 0);
  const newest = known.at(-1);
  if (!newest) return;
  let found = { ...newest, block: await readBlock(nodes, newest.to) };
  if (found.block.hash === found.lastHash) return;
  for (let [low, high] = [0, known.length - 1]; low < high; ) {
    const middle = (low + high) >> 1;
    const entry = known[middle]!;
    const block = await readBlock(nodes, entry.to);
    if (block.hash === entry.lastHash) low = middle + 1;
    else [found, high] = [{ ...entry, block }, middle];
  }
  const { file, to, lastHash, block } = found;
  throw new Failure(
    `${join(folder, file)} ends with block ${to}, whose hash was ${lastHash} when it was fetched; now ` +
      `${nodes.hosts.join(", ")} says ${block.hash}. Either the node is wrong, or blocks that were final have been ` +
      "replaced: a reorganisation. Nothing was changed. Try another node; if it says the same, remove the asset's inputs " +
      "and fetch them again.",
  );
}
