/** Checkpoint files in memory, for tests. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "../../builder/engine/checkpoint.ts";
import { type CheckpointFacts, CheckpointFile, encodeCheckpoint } from "../../builder/incremental/checkpoint-file.ts";
import { type LabelledAddresses, withHoldings } from "../../builder/incremental/checkpoint-rows.ts";
import { joinBytes } from "../../data-schema/bytes.ts";
import { newFolder } from "../folders.ts";

export interface StoredCheckpoint extends CheckpointFacts {
  checkpoint: Checkpoint;
  /** Every address that has held the token, and its label. */
  seen: LabelledAddresses;
}

/** @param cuts rows at which the addresses are divided into batches */
export function encoded(
  { checkpoint, provenance, seen }: StoredCheckpoint,
  { groupRows, cuts = [] }: { groupRows?: number; cuts?: readonly number[] } = {},
): Uint8Array {
  const { holders, ...facts } = checkpoint;
  const ends = [...cuts.map((cut) => cut % (seen.rows + 1)).sort((a, b) => a - b), seen.rows];
  const batches = ends.map((end, i): LabelledAddresses => {
    const first = ends[i - 1] ?? 0;
    const labels = seen.labels.slice(first, end);
    return { rows: end - first, addresses: seen.addresses.slice(20 * first, 20 * end), labels };
  });
  const rows = withHoldings(holders, batches);
  return joinBytes([...encodeCheckpoint({ checkpoint: facts, provenance }, holders.words, rows, groupRows)]);
}

export function decoded(bytes: Uint8Array): StoredCheckpoint {
  const folder = newFolder();
  try {
    const path = join(folder, "checkpoint.parquet");
    writeFileSync(path, bytes);
    const file = new CheckpointFile(path);
    const seen = [...file.labels()];
    return {
      checkpoint: file.load(),
      provenance: file.provenance,
      seen: {
        rows: seen.reduce((sum, { rows }) => sum + rows, 0),
        addresses: joinBytes(seen.map(({ addresses }) => addresses)),
        labels: joinBytes(seen.map(({ labels }) => labels)),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
