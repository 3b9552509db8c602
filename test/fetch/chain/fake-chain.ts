/** Chains that were made up: blocks by arithmetic, logs from a list. A node that answers from them is in fake-node.ts. */

import { createHash } from "node:crypto";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { GENESIS } from "./anvil.ts";

/** keccak256 of Transfer(address,address,uint256). */
export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** A transfer as whoever made it up knows it. */
export interface Row {
  block: number;
  logIndex: number;
  /** Unix seconds. */
  time: number;
  /** Lower-case. */
  from: string;
  to: string;
  value: bigint;
}

export interface FakeLog {
  block: number;
  logIndex: number;
  address: string;
  topics: readonly string[];
  data: string;
}

export interface FakeToken {
  address: string;
  name: string;
  symbol: string;
  decimals: number;
}

export interface FakeChainOptions {
  chainId?: number;
  /** The time of block 0, Unix seconds. Default: `GENESIS`. */
  genesis?: number;
  /** Seconds between blocks. Default: 12. */
  interval?: number;
  /** The last block. */
  head: number;
  /** Blocks from the head to the last final one. Default: 64. */
  confirmations?: number;
  token: FakeToken;
  /** Addresses of other tokens, which answer as that one does, by their own logs. */
  others?: readonly string[];
  /** Addresses with code, lower-case, beside the token. */
  contracts?: ReadonlySet<string>;
  /** What other contracts answer after a time; undefined if they revert. */
  views?(address: string, calldata: string, time: number): string | undefined;
  /** By block, then log index. */
  logs: readonly FakeLog[];
}

export const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");
export const addressWord = (address: string): string => address.slice(2).padStart(64, "0");

/** A chain with a token, whose balances are what its logs say. */
export class FakeChain {
  readonly chainId: number;
  readonly genesis: number;
  readonly interval: number;
  readonly token: FakeToken;
  readonly tokens: ReadonlySet<string>;
  readonly contracts: ReadonlySet<string>;
  readonly views: FakeChainOptions["views"];
  /** Tests raise it for another night. */
  head: number;
  confirmations: number;
  /** Blocks from this one on have other hashes: a reorganisation. */
  forkedFrom = Number.POSITIVE_INFINITY;
  #logs: readonly FakeLog[] = [];
  #blocks = new Float64Array();
  readonly #texts: (string | undefined)[] = [];
  /** Answers balanceOf instead of the logs: undefined leaves it to them. */
  balance: ((owner: string, block: number) => bigint | undefined) | undefined;
  #balances:
    | { block: number; next: number; of: Map<string, Map<string, bigint>>; supplies: Map<string, bigint> }
    | undefined;

  constructor({ chainId = 1, genesis = GENESIS, interval = 12, confirmations = 64, ...rest }: FakeChainOptions) {
    this.chainId = chainId;
    this.genesis = genesis;
    this.interval = interval;
    this.confirmations = confirmations;
    this.token = rest.token;
    this.tokens = new Set([rest.token.address, ...(rest.others ?? [])]);
    this.contracts = rest.contracts ?? new Set();
    this.views = rest.views;
    this.head = rest.head;
    this.#setLogs(rest.logs);
  }

  #setLogs(logs: readonly FakeLog[]): void {
    this.#logs = logs;
    this.#blocks = Float64Array.from(logs, ({ block }) => block);
    this.#texts.length = 0;
    this.#balances = undefined;
  }

  get finalized(): number {
    return Math.max(0, this.head - this.confirmations);
  }

  timeOf(block: number): number {
    return Math.floor(this.genesis + block * this.interval);
  }

  hashOf(block: number): string {
    const fork = block >= this.forkedFrom ? "another " : "";
    return `0x${createHash("sha256").update(`${fork}block ${block} of ${this.chainId}`).digest("hex")}`;
  }

  /** The indexes of the first log at or after a block. */
  #start(block: number): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#blocks[middle]! < block) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Indexes of the logs of blocks, both ends inclusive, as a range. */
  logsOf(from: number, to: number): { start: number; end: number } {
    return { start: this.#start(from), end: this.#start(Math.min(to, this.head) + 1) };
  }

  log(index: number): FakeLog {
    return this.#logs[index]!;
  }

  /** A log as nodes write it. */
  logText(index: number): string {
    this.#texts[index] ??= this.#write(this.#logs[index]!);
    return this.#texts[index];
  }

  #write({ block, logIndex, address, topics, data }: FakeLog): string {
    return JSON.stringify({
      address,
      topics,
      data,
      blockHash: this.hashOf(block),
      blockNumber: `0x${block.toString(16)}`,
      blockTimestamp: `0x${this.timeOf(block).toString(16)}`,
      transactionHash: `0x${word(block * 100_000 + logIndex)}`,
      transactionIndex: "0x0",
      logIndex: `0x${logIndex.toString(16)}`,
      removed: false,
    });
  }

  /**
   * Replaces the blocks from one on by others, as a reorganisation may.
   *
   * @param logs all of the chain; by default, the new blocks have those of the old ones
   */
  forkFrom(block: number, logs = this.#logs): void {
    this.forkedFrom = block;
    this.#setLogs(logs);
  }

  balanceOf(owner: string, block: number, token = this.token.address): bigint {
    return this.balance?.(owner, block) ?? this.#at(block).of.get(token)?.get(owner) ?? 0n;
  }

  totalSupply(block: number, token = this.token.address): bigint {
    return this.#at(block).supplies.get(token) ?? 0n;
  }

  hasCode(address: string): boolean {
    return this.tokens.has(address) || this.contracts.has(address);
  }

  /** Balances after a block. Kept for the last block asked for, so that asking for ascending blocks is cheap. */
  #at(block: number) {
    if (!this.#balances || this.#balances.block > block) {
      this.#balances = { block: -1, next: 0, of: new Map(), supplies: new Map() };
    }
    const balances = this.#balances;
    balances.block = block;
    for (; balances.next < this.#logs.length && this.#blocks[balances.next]! <= block; balances.next++) {
      const { address, topics, data } = this.#logs[balances.next]!;
      if (!this.tokens.has(address) || topics[0] !== TRANSFER || topics.length !== 3) continue;
      const [from, to] = [`0x${topics[1]!.slice(26)}`, `0x${topics[2]!.slice(26)}`];
      const of = balances.of.get(address) ?? new Map<string, bigint>();
      balances.of.set(address, of);
      const add = (party: string, value: bigint) => {
        if (party !== ZERO_ADDRESS) of.set(party, (of.get(party) ?? 0n) + value);
        else balances.supplies.set(address, (balances.supplies.get(address) ?? 0n) - value);
      };
      add(from, -BigInt(data));
      add(to, BigInt(data));
    }
    return balances;
  }
}

export interface EconomyOptions {
  seed?: number;
  chainId?: number;
  genesis?: number;
  interval?: number;
  /** Blocks of the whole chain. */
  blocks: number;
  /** The token's first block. Default: 100. */
  firstBlock?: number;
  transfers: number;
  /** Where in the token's history a transfer is, by a random number; both from 0 to 1. Default: anywhere. */
  activity?: (random: number) => number;
  /** Addresses that take part. Default: 100. */
  holders?: number;
  confirmations?: number;
}

/** A chain with a token that random holders send each other, mint and burn, and what was sent. */
export function fakeEconomy(options: EconomyOptions): { chain: FakeChain; rows: Row[] } {
  const {
    seed = 1,
    blocks,
    transfers,
    firstBlock = 100,
    holders: count = 100,
    genesis = GENESIS,
    interval = 12,
    activity = (random: number) => random,
  } = options;
  const random = new Random(seed, 1);
  const below = (limit: number) => Math.floor((random.uint32() / 2 ** 32) * limit);
  const made = (kind: string, index: number) =>
    `0x${createHash("sha256").update(`${kind} ${index} of ${seed}`).digest("hex").slice(0, 40)}`;
  const token = { address: made("token", 0), name: "Fake Token", symbol: "FAKE", decimals: 18 };
  const holders = Array.from({ length: count }, (_, index) => made("holder", index));
  const balances = new Map<string, bigint>();
  const place = () => firstBlock + Math.floor(activity(random.uint32() / 2 ** 32) * (blocks - firstBlock));
  const places = Array.from({ length: transfers }, place).sort((a, b) => a - b);
  if (transfers > 0) places[0] = firstBlock;
  const rows: Row[] = [];
  let [last, logIndex] = [-1, 0];
  for (const block of places) {
    // Logs of other contracts are between them.
    logIndex = block === last ? logIndex + 1 + below(3) : below(4);
    last = block;
    const kind = random.uint32() / 2 ** 32;
    const sender = holders[below(count)]!;
    const owned = balances.get(sender) ?? 0n;
    const isMint = owned === 0n || kind < 0.05;
    const from = isMint ? ZERO_ADDRESS : sender;
    const to = !isMint && kind > 0.98 ? ZERO_ADDRESS : holders[below(count)]!;
    const share = BigInt(random.uint32() % 1_000);
    const value = isMint ? BigInt(random.uint32()) * 10n ** 15n : share > 900n ? owned : (owned * share) / 1_000n;
    if (!isMint) balances.set(from, owned - value);
    if (to !== ZERO_ADDRESS) balances.set(to, (balances.get(to) ?? 0n) + value);
    rows.push({ block, logIndex, time: genesis + block * interval, from, to, value });
  }
  const logs = rows.map(({ block, logIndex, from, to, value }) => ({
    block,
    logIndex,
    address: token.address,
    topics: [TRANSFER, `0x${addressWord(from)}`, `0x${addressWord(to)}`],
    data: `0x${word(value)}`,
  }));
  const contracts = new Set(holders.filter((_, index) => index % 5 === 0));
  return { chain: new FakeChain({ ...options, head: blocks, token, contracts, logs }), rows };
}

/** A chain with several tokens, each with an economy of its own; and their addresses. */
export function fakeEconomies(count: number, options: EconomyOptions): { chain: FakeChain; tokens: string[] } {
  const economies = Array.from({ length: count }, (_, index) => fakeEconomy({ ...options, seed: 1 + index }).chain);
  const logs = economies.flatMap((chain, index) => {
    const { start, end } = chain.logsOf(0, chain.head);
    const own = Array.from({ length: end - start }, (_, i) => chain.log(start + i));
    return own.map((log) => ({ ...log, logIndex: log.logIndex * count + index }));
  });
  const [token, ...others] = economies.map((chain) => chain.token);
  const addresses = others.map(({ address }) => address);
  const contracts = new Set(economies.flatMap((chain) => [...chain.contracts]));
  logs.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  const chain = new FakeChain({ ...options, head: options.blocks, token: token!, others: addresses, contracts, logs });
  return { chain, tokens: [token!.address, ...addresses] };
}
