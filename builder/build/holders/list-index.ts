/** Which own cohorts list an address. */

import { AddressTable, NO_NUMBER } from "../../input/addresses.ts";
import { type OwnCohortList, readOwnCohort } from "../../input/labels/own-cohorts.ts";
import { Failure } from "../../lib/failure.ts";

/** Whose list an address is on: a bit for each of up to 32 lists. */
export class ListIndex {
  /** All their addresses. */
  readonly table = new AddressTable();
  #marks = new Uint32Array(0);

  /** @throws {Failure} a list has changed since the build was planned; or as `readOwnCohort` */
  static async of(lists: readonly OwnCohortList[]): Promise<ListIndex> {
    const index = new ListIndex();
    for (const [bit, { cohort, file, sha256 }] of lists.entries()) {
      const { list, address } = await readOwnCohort(cohort, file);
      if (list.sha256 !== sha256) {
        throw new Failure(`${file.name} has changed since the build was planned: build again.`);
      }
      index.#add(address, bit);
    }
    return index;
  }

  #add(addresses: Uint8Array, bit: number): void {
    const numbers = this.table.numbersOf(addresses, "insert");
    if (this.table.size > this.#marks.length) {
      const marks = new Uint32Array(this.table.size);
      marks.set(this.#marks);
      this.#marks = marks;
    }
    for (const number of numbers) this.#marks[number]! |= 1 << bit;
  }

  /** The marks of each address of a column, 20 bytes each. */
  marksOf(addresses: Uint8Array): Uint32Array {
    return this.table.numbersOf(addresses, "find").map((number) => (number === NO_NUMBER ? 0 : this.#marks[number]!));
  }
}
