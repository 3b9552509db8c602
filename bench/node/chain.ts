/** What a node of the benchmarks asks of its chain. */

export interface Log {
  block: number;
  logIndex: number;
  address: string;
  topics: string[];
  data: string;
}

export interface Chain {
  /** Unix seconds of block 0. */
  genesis: number;
  blockSeconds: number;
  /** Logs of these contracts, in blocks `from` to `to`; ascending. */
  logs(addresses: readonly string[], from: number, to: number): Log[];
  /** What a contract answers after a block, without 0x; undefined if it reverts. */
  call(to: string, data: string, block: number): string | undefined;
  isContract(address: string): boolean;
}

/** 32 bytes as the hexadecimal digits of a call's data. */
export const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, "0");

export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
