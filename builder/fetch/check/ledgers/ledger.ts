/** Balances that follow from transfers: exact, 256 bits wide. A million addresses take about 60 MB. */

import { ADDRESS_WORDS, AddressTable } from "../../../input/addresses.ts";
import { VECTOR_ROWS } from "../../../input/duckdb/vectors.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../../lib/widths.ts";
import { addressTexts } from "../../chain/hex.ts";
import type { TransferColumns } from "../../transfers/fetched-columns.ts";

/** 32-bit words of a balance, the lowest first. */
export const BALANCE_WORDS = 8;
/** Addresses of a segment: balances grow by segments, so that they are never copied. */
const SEGMENT = 1 << 16;

/** A transfer of more than its sender has: transfers to it are missing before. */
export interface MissingTransfers {
  /** 0x and 40 digits. */
  address: string;
  block: number;
  logIndex: number;
  balance: bigint;
  value: bigint;
}

/** Rows of a ledger as columns, which may be longer than `count`. */
export interface LedgerRows {
  count: number;
  /** 20 bytes each. */
  address: Uint8Array;
  /** 8 words each, the lowest first. */
  balance: Uint32Array;
  /** Transfers from and to the address. */
  moves: Uint32Array;
}

/** Addresses have the numbers of `addresses`; the zero address is 0 and no holder. */
export class Ledger {
  readonly addresses = new AddressTable();
  /** The first one; balances are right modulo 2^256 after it. */
  overdraft: MissingTransfers | undefined;
  readonly #balances: Uint32Array[] = [];
  readonly #moves: Uint32Array[] = [];
  readonly #value = new Uint32Array(BALANCE_WORDS);
  /** Words of #value that are not all 0: few values need more than 3. */
  #valueWords = 0;

  /** Restores a ledger from what its `rows` gave. */
  static from(batches: Iterable<LedgerRows>): Ledger {
    const ledger = new Ledger();
    for (const { count, address, balance, moves } of batches) {
      const numbers = ledger.addresses.numbersOf(address, "insert");
      ledger.#grow();
      for (let row = 0; row < count; row++) {
        const [segment, at] = [Math.floor(numbers[row]! / SEGMENT), numbers[row]! % SEGMENT];
        ledger.#balances[segment]!.set(
          balance.subarray(BALANCE_WORDS * row, BALANCE_WORDS * (row + 1)),
          BALANCE_WORDS * at,
        );
        ledger.#moves[segment]![at] = moves[row]!;
      }
    }
    return ledger;
  }

  /** All addresses by number, the zero address first. */
  *rows(): Generator<LedgerRows> {
    const { size } = this.addresses;
    for (const [segment, balances] of this.#balances.entries()) {
      const first = SEGMENT * segment;
      const count = Math.min(SEGMENT, size - first);
      if (count <= 0) return;
      const address = this.addresses.pick(Uint32Array.from({ length: count }, (_, i) => first + i));
      yield { count, address, balance: balances, moves: this.#moves[segment]! };
    }
  }

  /** Carries out transfers in the order of the chain. @param onBlock called now and then with a block */
  async replay(transfers: AsyncIterable<TransferColumns>, onBlock: (block: number) => void = () => {}): Promise<this> {
    for await (const columns of transfers) {
      this.apply(columns);
      const last = columns.block[columns.rows - 1];
      if (last !== undefined) onBlock(last);
    }
    return this;
  }

  /** Carries out transfers. They must come in the order of the chain for `overdraft`; balances don't depend on it. */
  apply(columns: TransferColumns, onMove?: (address: number) => void): void {
    for (let first = 0; first < columns.rows; first += VECTOR_ROWS) {
      this.#applyChunk(columns, first, Math.min(first + VECTOR_ROWS, columns.rows), onMove);
    }
  }

  /** Raw units. */
  balance(address: number): bigint {
    const balances = this.#balances[Math.floor(address / SEGMENT)];
    if (!balances) return 0n;
    const at = BALANCE_WORDS * (address % SEGMENT);
    let balance = 0n;
    for (let word = BALANCE_WORDS - 1; word >= 0; word--) balance = (balance << 32n) | BigInt(balances[at + word]!);
    return balance;
  }

  /** Transfers from and to an address. */
  moves(address: number): number {
    return this.#moves[Math.floor(address / SEGMENT)]?.[address % SEGMENT] ?? 0;
  }

  /** Minted less burned, raw units. */
  get supply(): bigint {
    return BigInt.asUintN(256, -this.balance(0));
  }

  /** Numbers of the addresses whose balance is not 0, or is: the former holders; or that have sent or received anything. */
  numbers(which: "holders" | "former" | "moved"): Uint32Array {
    const isWanted = {
      holders: (address: number) => !this.#isZero(address),
      former: (address: number) => this.#isZero(address),
      moved: (address: number) => this.moves(address) > 0,
    }[which];
    const numbers = new Uint32Array(this.addresses.size);
    let count = 0;
    for (let address = 1; address < this.addresses.size; address++) if (isWanted(address)) numbers[count++] = address;
    return numbers.slice(0, count);
  }

  /** A balance as a floating-point number, for an order by size. */
  size(address: number): number {
    const balances = this.#balances[Math.floor(address / SEGMENT)]!;
    const at = BALANCE_WORDS * (address % SEGMENT);
    let size = 0;
    for (let word = BALANCE_WORDS - 1; word >= 0; word--) size = size * 2 ** 32 + balances[at + word]!;
    return size;
  }

  #isZero(address: number): boolean {
    const balances = this.#balances[Math.floor(address / SEGMENT)];
    if (!balances) return true;
    const at = BALANCE_WORDS * (address % SEGMENT);
    for (let word = at; word < at + BALANCE_WORDS; word++) if (balances[word] !== 0) return false;
    return true;
  }

  #applyChunk(columns: TransferColumns, first: number, end: number, onMove?: (address: number) => void): void {
    const { addresses } = this;
    const rows = end - first;
    for (const [column, parties] of [columns.from, columns.to].entries()) {
      const words = addresses.words(column);
      new Uint8Array(words.buffer, words.byteOffset, 4 * ADDRESS_WORDS * rows).set(
        parties.subarray(ADDRESS_BYTES * first, ADDRESS_BYTES * end),
      );
    }
    addresses.insert(rows, 2);
    this.#grow();
    const [senders, receivers] = [addresses.numbers(0), addresses.numbers(1)];
    const values = new DataView(columns.value.buffer, columns.value.byteOffset);
    for (let row = 0; row < rows; row++) {
      const [sender, receiver] = [senders[row]!, receivers[row]!];
      const isMoved = this.#readValue(values, VALUE_BYTES * (first + row));
      if (!isMoved || sender === receiver) continue;
      if (!this.#subtract(sender) && sender !== 0) this.#noteOverdraft(sender, columns, first + row);
      this.#add(receiver);
      this.#moves[Math.floor(sender / SEGMENT)]![sender % SEGMENT]!++;
      this.#moves[Math.floor(receiver / SEGMENT)]![receiver % SEGMENT]!++;
      onMove?.(sender);
      onMove?.(receiver);
    }
  }

  /** Makes room for all addresses. */
  #grow(): void {
    while (this.#balances.length * SEGMENT < this.addresses.size) {
      this.#balances.push(new Uint32Array(BALANCE_WORDS * SEGMENT));
      this.#moves.push(new Uint32Array(SEGMENT));
    }
  }

  /** Reads 32 bytes into #value; false if they are 0. */
  #readValue(values: DataView, at: number): boolean {
    this.#valueWords = 0;
    for (let word = 0; word < BALANCE_WORDS; word++) {
      const bits = values.getUint32(at + VALUE_BYTES - 4 - 4 * word);
      this.#value[word] = bits;
      if (bits !== 0) this.#valueWords = word + 1;
    }
    return this.#valueWords > 0;
  }

  #add(address: number): void {
    const balances = this.#balances[Math.floor(address / SEGMENT)]!;
    const at = BALANCE_WORDS * (address % SEGMENT);
    let carry = 0;
    for (let word = 0; word < this.#valueWords || (carry > 0 && word < BALANCE_WORDS); word++) {
      const sum = balances[at + word]! + this.#value[word]! + carry;
      balances[at + word] = sum;
      carry = sum >= 2 ** 32 ? 1 : 0;
    }
  }

  /** False if the balance was smaller. */
  #subtract(address: number): boolean {
    const balances = this.#balances[Math.floor(address / SEGMENT)]!;
    const at = BALANCE_WORDS * (address % SEGMENT);
    let borrow = 0;
    for (let word = 0; word < this.#valueWords || (borrow > 0 && word < BALANCE_WORDS); word++) {
      const difference = balances[at + word]! - this.#value[word]! - borrow;
      balances[at + word] = difference;
      borrow = difference < 0 ? 1 : 0;
    }
    return borrow === 0;
  }

  #noteOverdraft(sender: number, { block, logIndex, value }: TransferColumns, row: number): void {
    if (this.overdraft) return;
    const amount = valueAt(value, row);
    this.overdraft = {
      address: addressTexts(this.addresses.pick(Uint32Array.of(sender)))[0]!,
      block: block[row]!,
      logIndex: logIndex[row]!,
      balance: BigInt.asUintN(256, this.balance(sender) + amount),
      value: amount,
    };
  }
}

/** The value of a row, raw units. */
export function valueAt(values: Uint8Array, row: number): bigint {
  const { buffer, byteOffset } = values;
  return BigInt(`0x${Buffer.from(buffer, byteOffset + VALUE_BYTES * row, VALUE_BYTES).toString("hex")}`);
}
