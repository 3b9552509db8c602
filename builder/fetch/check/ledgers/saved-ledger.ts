/**
 * The balances after the last file of a fetch, kept in `.part/`: with them, a night reads no older rows. What is damaged, or
 * of other files, counts as absent, since balances follow from the files. Source: docs/chain.md#layout.
 */

import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { FetchedFile } from "../../../input/fetched/fetched.ts";
import { type Layout, TableEncoder, TableFile } from "../../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../../lib/widths.ts";
import { BALANCE_WORDS, Ledger, type LedgerRows } from "./ledger.ts";

const LAYOUT = {
  address: ["u8", ADDRESS_BYTES],
  balance: ["u32", BALANCE_WORDS],
  moves: "u32",
} as const satisfies Layout;

/** What the file says of itself: digests of the files and of its own rows. */
const aboutSchema = v.object({ files: v.string(), rows: v.string() });

const pathOf = (folder: string) => join(folder, ".part", "ledger.parquet");

/** Files by their content, in order. */
const digestOf = (files: readonly FetchedFile[]) =>
  createHash("sha256")
    .update(files.map(({ sha256 }) => sha256).join())
    .digest("hex");

/** Digests the rows of a ledger as they pass. */
class RowsDigest {
  readonly #hash = createHash("sha256");

  *of(batches: Iterable<LedgerRows>): Generator<LedgerRows> {
    for (const rows of batches) {
      const { count, address, balance, moves } = rows;
      this.#hash.update(address.subarray(0, ADDRESS_BYTES * count));
      this.#hash.update(balance.subarray(0, BALANCE_WORDS * count));
      this.#hash.update(moves.subarray(0, count));
      yield rows;
    }
  }

  get hex(): string {
    return this.#hash.digest("hex");
  }
}

/** Keeps the balances after some files. If that fails, the next night takes longer. */
export async function saveLedger(folder: string, files: readonly FetchedFile[], ledger: Ledger): Promise<void> {
  const path = pathOf(folder);
  const unfinished = `${path}.unfinished`;
  try {
    const file = await open(unfinished, "w");
    try {
      const encoder = new TableEncoder(LAYOUT);
      const digest = new RowsDigest();
      for (const rows of digest.of(ledger.rows())) {
        for (const piece of encoder.group(rows.count, rows)) await file.writeFile(piece);
      }
      const about = JSON.stringify({ files: digestOf(files), rows: digest.hex });
      for (const piece of encoder.end(about)) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch {
    await rm(unfinished, { force: true });
  }
}

/** The balances after some files; undefined if they were not kept. */
export function savedLedger(folder: string, files: readonly FetchedFile[]): Ledger | undefined {
  try {
    const file = new TableFile(pathOf(folder), LAYOUT);
    const about = v.parse(aboutSchema, JSON.parse(file.entry ?? ""));
    if (about.files !== digestOf(files)) return undefined;
    const digest = new RowsDigest();
    const ledger = Ledger.from(digest.of(file.read()));
    return digest.hex === about.rows ? ledger : undefined;
  } catch {
    return undefined;
  }
}
