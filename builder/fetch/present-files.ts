/** What earlier nights have left: are the files still the same, and are they still the chain's? */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Fetched, FetchedFile } from "../input/fetched.ts";
import { digestFile } from "../input/files.ts";
import { Failure } from "../lib/failure.ts";
import { readBlocks } from "./chain/blocks.ts";
import type { Nodes } from "./chain/nodes.ts";

/** A file that is not what was fetched, and why. */
export interface DamagedFile {
  entry: FetchedFile;
  /** Completes "<file> …". */
  why: string;
}

/** Compares the files with fetch.json, by size and SHA-256. */
export async function damagedFiles(folder: string, { files }: Fetched): Promise<DamagedFile[]> {
  const damaged: DamagedFile[] = [];
  for (const entry of files) {
    const path = join(folder, entry.file);
    const found = await stat(path).catch(() => undefined);
    if (!found) damaged.push({ entry, why: "is missing" });
    else if (found.size !== entry.bytes) damaged.push({ entry, why: "has changed since it was fetched" });
    else if ((await digestFile(path)).sha256 !== entry.sha256) {
      damaged.push({ entry, why: "has changed since it was fetched" });
    }
  }
  return damaged;
}

/**
 * Compares the hash of each file's last block with the chain's.
 *
 * @throws {Failure} the chain has another block there: a reorganisation of what was final; nothing has been changed
 */
export async function checkLastHashes(nodes: Nodes, folder: string, { files }: Fetched): Promise<void> {
  const known = files.filter(({ to }) => to >= 0);
  const blocks = await readBlocks(
    nodes,
    known.map(({ to }) => to),
  );
  const index = blocks.findIndex(({ hash }, file) => hash !== known[file]!.lastHash);
  if (index < 0) return;
  const { file, to, lastHash } = known[index]!;
  throw new Failure(
    `${join(folder, file)} ends with block ${to}, whose hash was ${lastHash} when it was fetched; now ` +
      `${nodes.hosts.join(", ")} says ${blocks[index]!.hash}. Either the node is wrong, or blocks that were final have been ` +
      "replaced: a reorganisation. Nothing was changed. Try another node; if it says the same, remove the asset's inputs " +
      "and fetch them again.",
  );
}
