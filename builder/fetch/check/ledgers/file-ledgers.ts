/** The balances of an asset's files: from what the last fetch has kept and the rows since, or from all rows. */

import { type FetchedFile, isOfDays, isOfHour } from "../../../input/fetched/fetched.ts";
import type { TransferFiles } from "../../transfers/transfer-files.ts";
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

  /**
   * The addresses that have sent or received anything in the files of earlier fetches, 20 bytes each. Files that were wrong
   * and have been fetched again don't count.
   */
  async earlier(): Promise<Uint8Array> {
    const { old, changed } = this.#files;
    if (changed.length > 0) {
      const wrong = new Set(changed.map(({ file }) => file));
      const right = this.#files.transfers(old.filter(({ file }) => !wrong.has(file)));
      return this.#moved(await new Ledger().replay(right));
    }
    return this.#earlier ?? this.#moved(await this.#old());
  }

  /** The balances after all files: a ledger of the caller's own. @param onBlock called now and then with a block */
  async all(onBlock?: (block: number) => void): Promise<Ledger> {
    const { added, entries } = this.#files;
    const ledger = await this.#old(onBlock);
    this.#earlier ??= this.#moved(ledger);
    const days = added.filter(isOfDays);
    await ledger.replay(this.#files.transfers(days), onBlock);
    if (days.length > 0) await this.#save(ledger, entries.filter(isOfDays));
    return ledger.replay(this.#files.transfers(added.filter(isOfHour)), onBlock);
  }

  /** Hours are few rows, so what is kept is of days. */
  async #save(ledger: Ledger, days: readonly FetchedFile[]): Promise<void> {
    if (!ledger.overdraft) await saveLedger(this.#folder, days, ledger);
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
    const { old, entries, replaced } = this.#files;
    const days = old.filter(isOfDays);
    const saved = this.#isTrusted && replaced.length === 0 ? savedLedger(this.#folder, days) : undefined;
    this.#isUsed ||= saved !== undefined && days.length > 0;
    const present = entries.slice(0, old.length);
    const ledger = saved ?? (await new Ledger().replay(this.#files.transfers(present.filter(isOfDays)), onBlock));
    // With new days, it is kept after those.
    if (!saved && !this.#files.added.some(isOfDays)) await this.#save(ledger, present.filter(isOfDays));
    return ledger.replay(this.#files.transfers(present.filter(isOfHour)), onBlock);
  }

  #moved(ledger: Ledger): Uint8Array {
    return ledger.addresses.pick(ledger.numbers("moved"));
  }
}
