/** What earlier nights have left: are the files still the same, and are they still the chain's? */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { FETCHED_NAME, type Fetched, type FetchedFile, transferFiles } from "../../input/fetched/fetched.ts";
import { DigestCache } from "../../input/files/digest-cache.ts";
import { readBlock } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";

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

/** Blocks that the chain has replaced since they were fetched. */
export interface Reorganisation {
  /** The first file that is concerned; fetch.json for hours without one. */
  file: string;
  /** Its blocks. */
  from: number;
  to: number;
  /** The hash of its last block then, and on the chain now. */
  lastHash: string;
  now: string;
}

/**
 * Compares the hash of the newest file's last block with the chain's: it commits to all blocks before. If they differ, the
 * first file whose last block the chain does not have is found by halving: all before it are still the chain's.
 *
 * @returns undefined if no block was replaced
 */
export async function findReorganisation(nodes: Nodes, fetched: Fetched): Promise<Reorganisation | undefined> {
  // The last hours may have no file.
  const end = fetched.hours && { file: FETCHED_NAME, ...fetched.hours };
  const known = [...transferFiles(fetched), ...(end ? [end] : [])].filter(({ to }) => to >= 0);
  const newest = known.at(-1);
  if (!newest) return undefined;
  let found = { ...newest, now: await hashNow(nodes, newest.to) };
  if (found.now === found.lastHash) return undefined;
  for (let [low, high] = [0, known.length - 1]; low < high; ) {
    const middle = (low + high) >> 1;
    const entry = known[middle]!;
    const now = await hashNow(nodes, entry.to);
    if (now === entry.lastHash) low = middle + 1;
    else [found, high] = [{ ...entry, now }, middle];
  }
  const { file, from, to, lastHash, now } = found;
  return { file, from, to, lastHash, now };
}

const hashNow = async (nodes: Nodes, number: number): Promise<string> => (await readBlock(nodes, number)).hash;

export function reorganisationText(nodes: Nodes, folder: string, { file, to, lastHash, now }: Reorganisation): string {
  return (
    `${join(folder, file)} ends with block ${to}, whose hash was ${lastHash} when it was fetched; now ` +
    `${nodes.hosts.join(", ")} says ${now}. Either the node is wrong, or blocks that were final have been replaced: a ` +
    "reorganisation. Nothing was changed. Try another node; if it says the same, run soprano fetch with --repair, which " +
    "fetches these blocks and all after them again."
  );
}
