/** Checkpoint files in memory, for tests. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CheckpointFacts,
  CheckpointFile,
  checkpointEnd,
  encodeRows,
} from "../../../builder/build/checkpoint/checkpoint-file.ts";
import { countHolders, emptyRows, type LabelledAddresses } from "../../../builder/build/checkpoint/checkpoint-rows.ts";
import { joinBytes } from "../../../data-schema/text/bytes.ts";
import { newFolder } from "../../folders.ts";
import { allocateHolders, type Holders, type WholeCheckpoint } from "../../in-memory/checkpoint.ts";

const SENT_COLUMNS = ["realised", "sent", "receipts", "sends"] as const;

export interface StoredCheckpoint extends CheckpointFacts {
  checkpoint: WholeCheckpoint;
  /** Every address that has held the token, and its label. */
  seen: LabelledAddresses;
}

/** The address at a place of a column, in hex. */
const addressAt = (addresses: Uint8Array, at: number) =>
  Buffer.from(addresses.subarray(20 * at, 20 * at + 20)).toString("hex");

/** @param cuts rows at which the addresses are divided into batches */
export function encoded(
  { checkpoint, provenance, seen }: StoredCheckpoint,
  { groupRows, cuts = [] }: { groupRows?: number; cuts?: readonly number[] } = {},
): Uint8Array {
  const { holders, ...facts } = checkpoint;
  const { words, balances, basis, purchaseTime, firstEvent, lastEvent, lastDeposit } = holders;
  const places = new Map(Array.from(basis, (_, holder) => [addressAt(holders.addresses, holder), holder]));
  const ends = [...cuts.map((cut) => cut % (seen.rows + 1)).sort((a, b) => a - b), seen.rows];
  const batches = ends.map((end, i) => {
    const first = ends[i - 1] ?? 0;
    const batch = emptyRows(end - first, words);
    batch.addresses.set(seen.addresses.subarray(20 * first, 20 * end));
    batch.labels.set(seen.labels.subarray(first, end));
    for (let row = 0; row < batch.rows; row++) {
      const holder = places.get(addressAt(batch.addresses, row));
      if (holder === undefined) continue;
      batch.balances.set(balances.subarray(words * holder, words * (holder + 1)), words * row);
      batch.basis[row] = basis[holder]!;
      batch.since[row] = purchaseTime[holder]!;
      batch.firstEvent[row] = firstEvent[holder]!;
      batch.lastEvent[row] = lastEvent[holder]!;
      batch.lastDeposit[row] = lastDeposit[holder]!;
      for (const name of SENT_COLUMNS) batch[name][row] = holders[name][holder]!;
    }
    return batch;
  });
  return joinBytes([...file()]);

  function* file() {
    const rows = yield* encodeRows(words, batches, groupRows);
    yield* checkpointEnd({ checkpoint: facts, provenance }, rows).end;
  }
}

export function decoded(bytes: Uint8Array): StoredCheckpoint {
  const folder = newFolder();
  try {
    const path = join(folder, "checkpoint.parquet");
    writeFileSync(path, bytes);
    const file = new CheckpointFile(path);
    const seen = [...file.labels()];
    return {
      checkpoint: { ...file.checkpoint, holders: holdersOf(file) },
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

/** The rows with a balance, in the order of their addresses. */
function holdersOf(file: CheckpointFile): Holders {
  const { words } = file;
  const batches = [...file.rows()];
  const holders = allocateHolders(
    batches.reduce((sum, batch) => sum + countHolders(batch, words), 0),
    words,
  );
  let holder = 0;
  for (const { rows, addresses, balances, basis, since, firstEvent, lastEvent, lastDeposit, ...others } of batches) {
    for (let row = 0; row < rows; row++) {
      const balance = balances.subarray(words * row, words * (row + 1));
      if (balance.every((word) => word === 0)) continue;
      holders.addresses.set(addresses.subarray(20 * row, 20 * (row + 1)), 20 * holder);
      holders.balances.set(balance, words * holder);
      holders.basis[holder] = basis[row]!;
      holders.purchaseTime[holder] = since[row]!;
      holders.firstEvent[holder] = firstEvent[row]!;
      holders.lastEvent[holder] = lastEvent[row]!;
      for (const name of SENT_COLUMNS) holders[name][holder] = others[name][row]!;
      holders.lastDeposit[holder++] = lastDeposit[row]!;
    }
  }
  return holders;
}
