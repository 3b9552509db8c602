/** A chain that has a simulated token, from its files of transfers. */

import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { SELECTORS } from "../../builder/fetch/chain/selectors.ts";
import { type Chain, type Log, TRANSFER, word } from "../node/chain.ts";

export const HOUR_BLOCK_SECONDS = 12;
const ZERO = `0x${"0".repeat(40)}`;

interface Transfer {
  block: number;
  logIndex: number;
  from: string;
  to: string;
  value: bigint;
}

export class SimulatedChain implements Chain {
  readonly blockSeconds = HOUR_BLOCK_SECONDS;
  readonly genesis: number;
  readonly #contract: string;
  readonly #transfers: readonly Transfer[];
  /** Balances after the first `#applied` transfers. */
  readonly #balances = new Map<string, bigint>();
  #applied = 0;

  private constructor(contract: string, genesis: number, transfers: readonly Transfer[]) {
    this.#contract = contract;
    this.genesis = genesis;
    this.#transfers = transfers;
  }

  /** @param folder that of the token */
  static async read(folder: string): Promise<SimulatedChain> {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const files = join(folder, "transfers-*.parquet").replaceAll("'", "''");
    const rows = await connection.stream(
      `SELECT block_number::INTEGER, log_index, from_address, to_address, value, token_address,
         epoch(block_timestamp)::BIGINT - ${HOUR_BLOCK_SECONDS} * block_number FROM '${files}' ORDER BY block_number, log_index`,
    );
    const transfers: Transfer[] = [];
    /** Each address once: most come in many transfers. */
    const addresses = new Map<string, string>();
    const one = (address: string) => {
      const known = addresses.get(address) ?? address;
      addresses.set(address, known);
      return known;
    };
    let [contract, genesis] = ["", 0];
    for (;;) {
      const chunk = await rows.fetchChunk();
      if (!chunk || chunk.rowCount === 0) break;
      for (const [block, logIndex, from, to, value, token, zero] of chunk.getRows()) {
        [contract, genesis] = [String(token), Number(zero)];
        const parties = { from: one(String(from)), to: one(String(to)) };
        transfers.push({ block: Number(block), logIndex: Number(logIndex), ...parties, value: BigInt(String(value)) });
      }
    }
    return new SimulatedChain(contract, genesis, transfers);
  }

  get firstBlock(): number {
    return this.#transfers[0]!.block;
  }

  get lastBlock(): number {
    return this.#transfers.at(-1)!.block;
  }

  logs(_: readonly string[], from: number, to: number): Log[] {
    return this.#transfers.slice(this.#at(from), this.#at(to + 1)).map(({ block, logIndex, from, to, value }) => ({
      block,
      logIndex,
      address: this.#contract,
      topics: [TRANSFER, `0x${word(BigInt(from))}`, `0x${word(BigInt(to))}`],
      data: `0x${word(value)}`,
    }));
  }

  call(_: string, data: string, block: number): string | undefined {
    this.#goTo(block);
    const selector = data.slice(0, 10);
    if (selector === SELECTORS["balanceOf(address)"]) return word(this.#balances.get(`0x${data.slice(34)}`) ?? 0n);
    if (selector === SELECTORS["totalSupply()"]) return word(-(this.#balances.get(ZERO) ?? 0n));
    return selector === SELECTORS["decimals()"] ? word(18) : undefined;
  }

  isContract(address: string): boolean {
    return address === this.#contract;
  }

  /** The first transfer of a block or a later one. */
  #at(block: number): number {
    let [low, high] = [0, this.#transfers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#transfers[middle]!.block < block) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Brings the balances to a block. */
  #goTo(block: number): void {
    const end = this.#at(block + 1);
    const move = ({ from, to, value }: Transfer, sign: bigint) => {
      this.#balances.set(from, (this.#balances.get(from) ?? 0n) - sign * value);
      this.#balances.set(to, (this.#balances.get(to) ?? 0n) + sign * value);
    };
    while (this.#applied < end) move(this.#transfers[this.#applied++]!, 1n);
    while (this.#applied > end) move(this.#transfers[--this.#applied]!, -1n);
  }
}
