/** The balances of an asset's files: from what the last fetch has kept and the rows since, or from all rows. */

import type { TransferFiles } from "../transfer-files.ts";
import { Ledger } from "./ledger.ts";
import { savedLedger, saveLedger } from "./saved-ledger.ts";

export class FileLedgers {
  readonly #folder: string;
  readonly #files: TransferFiles;
  #isTrusted = true;
  /** Whether what the last fetch has kept was used. */
  #isUsed = false;
  #earlier: Uint8Array | undefined;

  constructor(folder: string, files: TransferFiles) {
    this.#folder = folder;
    this.#files = files;
  }

  /** The addresses that have sent or received anything in the files of earlier fetches, 20 bytes each. */
  async earlier(): Promise<Uint8Array> {
    return this.#earlier ?? this.#moved(await this.#old());
  }

  /** The balances after all files: a ledger of the caller's own. @param onBlock called now and then with a block */
  async all(onBlock?: (block: number) => void): Promise<Ledger> {
    const ledger = await this.#old(onBlock);
    this.#earlier ??= this.#moved(ledger);
    await ledger.replay(this.#files.transfers("new"), onBlock);
    if (!ledger.overdraft) await saveLedger(this.#folder, this.#files.entries, ledger);
    return ledger;
  }

  /**
   * From now on, all balances come from the files.
   *
   * @returns whether some have not until now
   */
  distrust(): boolean {
    this.#isTrusted = false;
    this.#earlier = undefined;
    const wasUsed = this.#isUsed;
    this.#isUsed = false;
    return wasUsed;
  }

  async #old(onBlock?: (block: number) => void): Promise<Ledger> {
    const { old, replaced } = this.#files;
    const saved = this.#isTrusted && replaced.length === 0 ? savedLedger(this.#folder, old) : undefined;
    this.#isUsed ||= saved !== undefined && old.length > 0;
    if (saved) return saved;
    return new Ledger().replay(this.#files.transfers("old"), onBlock);
  }

  #moved(ledger: Ledger): Uint8Array {
    return ledger.addresses.pick(ledger.numbers("moved"));
  }
}
