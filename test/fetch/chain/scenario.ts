/**
 * A small economy on a chain of anvil: a token with holders, wallets that are contracts, exchanges, two pools and a
 * feed. It keeps its own account of all it does, and reads nothing of it from logs: what `fetch` brings must equal it.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { type Anvil, type AnvilOptions, openAnvil, type Transaction } from "./anvil.ts";
import { creation, decode, encode } from "./contracts.ts";
import { type Row, ZERO_ADDRESS } from "./fake-chain.ts";
import {
  answerOf,
  createPair,
  createPool,
  deployFeed,
  deployToken,
  deployUniswap,
  isFirst,
  trades,
  type Uniswap,
} from "./pools.ts";

/** Addresses that builder/fetch/labels knows as an exchange's. */
const EXCHANGES = {
  "0x001866ae5b3de6caa5a51543fd9fb64f524f5478": "binance",
  "0x02466e547bfdab679fc49e96bbfc62b9747d997c": "coinbase",
} as const;

const DAY = 86_400;
const Q96 = 2n ** 96n;
const UNIT = 10n ** 18n;
const FEE = 3_000n;
const MILLION = 1_000_000n;

export interface EconomyOptions extends AnvilOptions {
  seed?: number;
  /** The time of the token's first block, Unix seconds. Default: 2023-01-20. */
  start?: number;
  /** Blocks with something in them, a day. Default: 6. */
  blocksADay?: number;
}

/** What a pool says of itself after a trade. */
export interface PairState {
  time: number;
  reserve0: bigint;
  reserve1: bigint;
}

export interface PoolState {
  time: number;
  sqrtPriceX96: bigint;
  liquidity: bigint;
}

/** A log of the token, at its place among the logs of a transaction. */
interface Moved {
  place: number;
  from: string;
  to: string;
  value: bigint;
}

/** A transaction, how many logs it emits, and which of them are the token's. */
interface Deed extends Transaction {
  logs: number;
  moved: readonly Moved[];
}

export class Economy {
  readonly anvil: Anvil;
  readonly rows: Row[] = [];
  readonly pairStates: PairState[] = [];
  readonly poolStates: PoolState[] = [];
  /** USD per ether with 8 decimals. */
  readonly answers: { time: number; answer: bigint }[] = [];
  /** Addresses with code, lower-case, that the token knows. */
  readonly contracts = new Set<string>();
  /** The next day's midnight, Unix seconds. */
  today: number;
  token = "";
  /** A stablecoin of 6 decimals, and ether as a token. */
  dollar = "";
  ether = "";
  pair = "";
  pool = "";
  feed = "";
  /** The block of the token's creation. */
  firstBlock = 0;
  readonly #random: Random;
  readonly #seed: number;
  readonly #blocksADay: number;
  readonly #people: string[] = [];
  readonly #balances = new Map<string, bigint>();
  #aggregator = "";
  #uniswap: Uniswap = { v2Factory: "", v3Factory: "", router: "" };
  #reserves = { token: 0n, dollar: 0n };
  #sqrtPrice = 0n;
  #firstSqrtPrice = 0n;
  #liquidity = 0n;

  private constructor(anvil: Anvil, start: number, seed: number, blocksADay: number) {
    this.anvil = anvil;
    this.today = start;
    this.#seed = seed;
    this.#random = new Random(seed, 3);
    this.#blocksADay = blocksADay;
  }

  /** Founds the economy on a chain of its own; the caller closes it. */
  static async open(options: EconomyOptions = {}): Promise<Economy> {
    const { seed = 1, start = Date.UTC(2023, 0, 20) / 1000, blocksADay = 6, ...rest } = options;
    const anvil = await openAnvil({ timestamp: start - 30 * DAY, ...rest });
    const economy = new Economy(anvil, start, seed, blocksADay);
    await economy.#found();
    return economy;
  }

  close(): Promise<void> {
    return this.anvil.stop();
  }

  async #found(): Promise<void> {
    const { anvil } = this;
    // Blocks before the token's.
    await anvil.mine(this.today - 20 * DAY, 20, 3_600);
    this.#uniswap = await deployUniswap(anvil);
    this.dollar = await deployToken(anvil, "Test Dollar", "TUSD", 6);
    this.ether = await deployToken(anvil, "Test Ether", "TETH");
    const { feed, aggregator } = await deployFeed(anvil);
    this.feed = feed;
    this.#aggregator = aggregator;
    await anvil.mine(this.today - DAY);
    this.token = await deployToken(anvil, "Aria Token", "ARIA");
    this.firstBlock = await anvil.mine(this.today + 600);
    const founder = this.#person();
    await this.#do(this.today + 1_200, [this.#mint(founder, 1_000_000n * UNIT)]);
    this.pair = await createPair(anvil, this.#uniswap, this.token, this.dollar);
    // A token is about two dollars. The price is far from the ticks where Uniswap divides a trade and rounds once more.
    const [amount0, amount1] = isFirst(this.token, this.ether) ? [1_000n, 1n] : [1n, 1_000n];
    this.#sqrtPrice = squareRoot((amount1 * Q96 * Q96) / amount0);
    this.#firstSqrtPrice = this.#sqrtPrice;
    this.pool = await createPool(anvil, this.#uniswap, this.token, this.ether, { sqrtPriceX96: this.#sqrtPrice });
    this.poolStates.push({ time: anvil.time, sqrtPriceX96: this.#sqrtPrice, liquidity: 0n });
    this.contracts.add(this.pair).add(this.pool);
    await this.#fund();
  }

  /** Fills the pools. */
  async #fund(): Promise<void> {
    const { token, dollar, pair, pool } = this;
    const [tokens, dollars] = [200_000n * UNIT, 400_000n * MILLION];
    const amounts = isFirst(token, dollar) ? ([tokens, dollars] as const) : ([dollars, tokens] as const);
    const place = isFirst(token, dollar) ? 0 : 1;
    this.#reserves = { token: tokens, dollar: dollars };
    const fund = { ...trades.addToPair(this.#uniswap, pair, ...amounts), logs: 6 };
    const answer = 2_000n * 10n ** 8n;
    const time = this.anvil.time + 60;
    await this.#do(time, [
      { ...fund, moved: [{ place, from: ZERO_ADDRESS, to: pair, value: tokens }] },
      { ...answerOf(this.#aggregator, answer), logs: 1, moved: [] },
    ]);
    this.answers.push({ time, answer });
    this.#notePair(time);
    this.#liquidity = 40_000n * UNIT;
    await this.anvil.send(trades.addToPool(this.#uniswap, pool, this.#liquidity));
    const block = await this.anvil.mine(time + 60);
    // What a position takes depends on its ends: the one number that is read from the chain, as a balance.
    const balance = await this.anvil.call(token, encode("Token", "balanceOf", pool), block);
    const value = decode("Token", "balanceOf", balance) as bigint;
    const logIndex = isFirst(token, this.ether) ? 0 : 1;
    this.#record(block, logIndex, this.anvil.time, { from: ZERO_ADDRESS, to: pool, value });
    this.poolStates.push({ time: this.anvil.time, sqrtPriceX96: this.#sqrtPrice, liquidity: this.#liquidity });
  }

  /** Lives on for whole days. */
  async live(days: number): Promise<void> {
    for (let day = 0; day < days; day++, this.today += DAY) {
      const earliest = Math.max(this.today, this.anvil.time + 12);
      const times = Array.from(
        { length: this.#blocksADay },
        () => earliest + this.#below(this.today + DAY - earliest - 24),
      );
      for (const time of [...new Set(times)].sort((a, b) => a - b)) await this.#block(time);
    }
  }

  /** Lets days pass without a transfer: a block a day. */
  async rest(days: number): Promise<void> {
    for (let day = 0; day < days; day++, this.today += DAY) await this.anvil.mine(this.today + DAY / 2);
  }

  /** Makes what was done final: some blocks in the first minutes of the next day. */
  async finalize(blocks = 4): Promise<void> {
    await this.anvil.mine(Math.max(this.today, this.anvil.time) + 12, blocks);
  }

  /** Has the founder pay somebody, in a block of its own. */
  async pay(to: string, value = UNIT): Promise<void> {
    await this.#do(Math.max(this.today, this.anvil.time) + 60, [this.#transfer(this.#people[0]!, to, value)]);
  }

  /** Has the founder pay many whom nobody knew. */
  async payMany(count: number): Promise<void> {
    const from = this.#people[0]!;
    for (let left = count; left > 0; left -= 200) {
      const moved = Array.from({ length: Math.min(left, 200) }, (_, place) => ({
        ...this.#move(from, this.#person(), UNIT),
        place,
      }));
      const data = encode(
        "Token",
        "transferAll",
        moved.map(({ to }) => to),
        moved.map(({ value }) => value),
      );
      await this.#do(Math.max(this.today, this.anvil.time) + 60, [
        { from, to: this.token, data, logs: moved.length, moved },
      ]);
    }
  }

  /** Has the founder pay a contract that nobody knew. */
  async payNewWallet(): Promise<string> {
    await this.#do(Math.max(this.today, this.anvil.time) + 60, await this.#newWallet());
    return this.#people.at(-1)!;
  }

  /** A contract that nobody knew, which is paid in the next block. */
  async #newWallet(): Promise<Deed[]> {
    const wallet = await this.anvil.deploy(creation("Proxy", this.token));
    this.contracts.add(wallet);
    this.#people.push(wallet);
    return [{ ...this.#transfer(this.#people[0]!, wallet, UNIT) }];
  }

  async #block(time: number): Promise<void> {
    const deeds: Deed[] = [];
    const count = this.#below(6);
    for (let deed = 0; deed < count; deed++) {
      const kind = this.#below(100);
      if (kind < 45) deeds.push(this.#anyTransfer());
      else if (kind < 55) deeds.push(this.#transferAll());
      else if (kind < 62) deeds.push(this.#mint(this.#anyone(), BigInt(this.#below(1_000)) * UNIT));
      else if (kind < 67) deeds.push(this.#burn());
      else if (kind < 80) deeds.push(this.#swapPair(time));
      else if (kind < 92) deeds.push(this.#swapPool(time));
      else if (kind < 97) deeds.push(this.#answer(time));
      else deeds.push(...(await this.#newWallet()));
    }
    await this.#do(time, deeds);
  }

  /** Mines a block with deeds, and records what moved. */
  async #do(time: number, deeds: readonly Deed[]): Promise<void> {
    await this.anvil.sendAll(deeds);
    const block = await this.anvil.mine(time);
    let logIndex = 0;
    for (const { logs, moved } of deeds) {
      for (const { place, ...transfer } of moved) this.#record(block, logIndex + place, time, transfer);
      logIndex += logs;
    }
  }

  #record(block: number, logIndex: number, time: number, { from, to, value }: Omit<Moved, "place">): void {
    this.rows.push({ block, logIndex, time, from, to, value });
  }

  #below(limit: number): number {
    return Math.floor((this.#random.uint32() / 2 ** 32) * limit);
  }

  #person(): string {
    const name = `person ${this.#people.length} of ${this.#seed}`;
    const person = `0x${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
    this.#people.push(person);
    return person;
  }

  #anyone(): string {
    const place = this.#below(100);
    if (place < 10) return Object.keys(EXCHANGES)[place % 2]!;
    return place < 30 ? this.#person() : this.#people[this.#below(this.#people.length)]!;
  }

  /** Who has something; the founder always has. */
  #owner(): string {
    const someone = this.#people[this.#below(this.#people.length)]!;
    return this.#balanceOf(someone) > 0n ? someone : this.#people[0]!;
  }

  #balanceOf(owner: string): bigint {
    return this.#balances.get(owner) ?? 0n;
  }

  #move(from: string, to: string, value: bigint): Moved {
    if (from !== ZERO_ADDRESS) this.#balances.set(from, this.#balanceOf(from) - value);
    if (to !== ZERO_ADDRESS) this.#balances.set(to, this.#balanceOf(to) + value);
    return { place: 0, from, to, value };
  }

  /** Everything, nothing, or some of what an address has. The founder keeps most of it. */
  #someOf(owner: string): bigint {
    const share = owner === this.#people[0] ? this.#below(40) : this.#below(1_000);
    return share > 900 ? this.#balanceOf(owner) : (this.#balanceOf(owner) * BigInt(share)) / 1_000n;
  }

  #transfer(from: string, to: string, value: bigint): Deed {
    const data = encode("Token", "transfer", to, value);
    return { from, to: this.token, data, logs: 1, moved: [this.#move(from, to, value)] };
  }

  #anyTransfer(): Deed {
    const from = this.#owner();
    return this.#transfer(from, this.#below(40) === 0 ? from : this.#anyone(), this.#someOf(from));
  }

  #transferAll(): Deed {
    const from = this.#people[0]!;
    const moved = Array.from({ length: 2 + this.#below(5) }, (_, place) => {
      return { ...this.#move(from, this.#anyone(), BigInt(this.#below(10_000_000)) * 10n ** 12n), place };
    });
    const [receivers, values] = [moved.map(({ to }) => to), moved.map(({ value }) => value)];
    return { from, to: this.token, data: encode("Token", "transferAll", receivers, values), logs: moved.length, moved };
  }

  #mint(to: string, value: bigint): Deed {
    const data = encode("Token", "mint", to, value);
    return { to: this.token, data, logs: 1, moved: [this.#move(ZERO_ADDRESS, to, value)] };
  }

  #burn(): Deed {
    const from = this.#owner();
    const value = this.#someOf(from);
    return {
      from,
      to: this.token,
      data: encode("Token", "burn", value),
      logs: 1,
      moved: [this.#move(from, ZERO_ADDRESS, value)],
    };
  }

  #answer(time: number): Deed {
    const answer = BigInt(150_000 + this.#below(100_000)) * MILLION;
    this.answers.push({ time, answer });
    return { ...answerOf(this.#aggregator, answer), logs: 1, moved: [] };
  }

  /** Logs: what is sold, what is bought, Sync and Swap. */
  #swapPair(time: number): Deed {
    const { token, dollar, pair } = this;
    const sellsToken = this.#below(2) === 0;
    const amount = BigInt(1 + this.#below(5_000)) * (sellsToken ? UNIT : MILLION);
    const [into, out] = sellsToken ? (["token", "dollar"] as const) : (["dollar", "token"] as const);
    const paid = amount * 997n;
    const bought = (paid * this.#reserves[out]) / (this.#reserves[into] * 1_000n + paid);
    this.#reserves[into] += amount;
    this.#reserves[out] -= bought;
    this.#notePair(time);
    const to = this.#people[this.#below(this.#people.length)]!;
    const moved = sellsToken
      ? { ...this.#move(ZERO_ADDRESS, pair, amount), place: 0 }
      : { ...this.#move(pair, to, bought), place: 1 };
    const zeroForOne = isFirst(token, dollar) === sellsToken;
    return { ...trades.swapPair(this.#uniswap, pair, zeroForOne, amount, to), logs: 4, moved: [moved] };
  }

  #notePair(time: number): void {
    const { token, dollar } = this.#reserves;
    const [reserve0, reserve1] = isFirst(this.token, this.dollar) ? [token, dollar] : [dollar, token];
    this.pairStates.push({ time, reserve0, reserve1 });
  }

  /** Logs: what is bought, what is sold, and Swap. Source of the sums: Uniswap v3's SqrtPriceMath. */
  #swapPool(time: number): Deed {
    const { token, ether, pool } = this;
    const sellsToken = this.#below(2) === 0;
    const amount = sellsToken
      ? BigInt(1 + this.#below(5_000)) * UNIT
      : BigInt(1 + this.#below(2_500)) * (UNIT / 1_000n);
    const zeroForOne = isFirst(token, ether) === sellsToken;
    const paid = (amount * (MILLION - FEE)) / MILLION;
    const [before, scaled] = [this.#sqrtPrice, this.#liquidity * Q96];
    const after = zeroForOne
      ? divideUp(scaled * before, scaled + paid * before)
      : before + (paid * Q96) / this.#liquidity;
    const bought = zeroForOne
      ? (this.#liquidity * (before - after)) / Q96
      : (scaled * (after - before)) / after / before;
    this.#sqrtPrice = after;
    const [low, high] = [(this.#firstSqrtPrice * 7n) / 10n, (this.#firstSqrtPrice * 14n) / 10n];
    if (after < low || after > high) throw new Error("The pool's price has left the ticks that this model knows.");
    this.poolStates.push({ time, sqrtPriceX96: after, liquidity: this.#liquidity });
    const to = this.#people[this.#below(this.#people.length)]!;
    const moved = sellsToken
      ? { ...this.#move(ZERO_ADDRESS, pool, amount), place: 1 }
      : { ...this.#move(pool, to, bought), place: 0 };
    return { ...trades.swapPool(this.#uniswap, pool, zeroForOne, amount, to), logs: 3, moved: [moved] };
  }

  /** What each address that the token knows must have, by what was done before a time. */
  balances(before = Number.POSITIVE_INFINITY): Map<string, bigint> {
    const balances = new Map<string, bigint>();
    for (const { time, from, to, value } of this.rows) {
      if (time >= before) break;
      balances.set(from, (balances.get(from) ?? 0n) - value);
      balances.set(to, (balances.get(to) ?? 0n) + value);
    }
    balances.delete(ZERO_ADDRESS);
    return balances;
  }

  /** Writes what was done as inputs of a build: transfers.csv, exchanges.csv, contracts.csv and an ASSET.json. */
  dump(folder: string, asset: { prices?: string; asOf: string; maxSupply: string }): string {
    const end = Date.parse(asset.asOf) / 1000;
    const write = (name: string, header: string, lines: readonly string[]) =>
      writeFileSync(join(folder, name), `${[header, ...lines].join("\n")}\n`);
    const header = "block_number,log_index,block_timestamp,from_address,to_address,value";
    const known = this.rows.filter(({ time }) => time < end);
    const line = ({ block, logIndex, time, from, to, value }: Row) =>
      [block, logIndex, time, from, to, value].join(",");
    write("transfers.csv", header, known.map(line));
    write(
      "exchanges.csv",
      "address,exchange",
      Object.entries(EXCHANGES).map((pair) => pair.join(",")),
    );
    const seen = new Set(known.flatMap(({ from, to }) => [from, to]));
    write(
      "contracts.csv",
      "address",
      [...this.contracts].filter((address) => seen.has(address)),
    );
    const path = join(folder, "asset.json");
    const files = { transfers: "transfers.csv", exchanges: "exchanges.csv", contracts: "contracts.csv" };
    const identity = { symbol: "ARIA", name: "Aria Token", chain: "ethereum", contract: this.token, decimals: 18 };
    writeFileSync(path, JSON.stringify({ ...identity, ...files, ...asset }));
    return path;
  }
}

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** The whole part. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
