/**
 * A real Ethereum node for tests: anvil, on a free port of this machine. It mines only when asked, so that a test says
 * what is in each block and when it was. A chain gets slower with its length: stay below 3,000 blocks, and spread
 * their times to have years of history.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import * as ContractAddress from "ox/ContractAddress";
import { onTestFinished } from "vitest";

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { darwin: "darwin", linux: "linux", win32: "win32" };
const PROCESSORS: Partial<Record<NodeJS.Architecture, string>> = { arm64: "arm64", x64: "amd64" };

/** The program; undefined where npm has none for this machine. */
const program = ((): string | undefined => {
  const { platform, arch } = process;
  const [system, processor] = [PLATFORMS[platform], PROCESSORS[arch]];
  const suffix = platform === "win32" ? ".exe" : "";
  try {
    const own = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
    const path = createRequire(own).resolve(`@foundry-rs/anvil-${system}-${processor}/bin/anvil${suffix}`);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
})();

/** For `describe.runIf`. Tests of a file that needs anvil are skipped where there is none. */
export const hasAnvil = program !== undefined;
if (!hasAnvil) console.warn("There is no anvil for this machine in node_modules: tests that need a chain are skipped.");

/** 2020-01-01T00:00:00Z. */
export const GENESIS = 1_577_836_800;

export interface AnvilOptions {
  /** Default: 1. */
  chainId?: number;
  /** `finalized` is the head minus two epochs. Default: 1 block an epoch. */
  slotsInAnEpoch?: number;
  /** The time of block 0, Unix seconds. Default: `GENESIS`. */
  timestamp?: number;
  /** The number of block 0. */
  number?: number;
  /**
   * The rules of the chain. Default: cancun. From prague on, each block writes the hash of the one before it into a contract,
   * whose whole storage anvil hashes with each block: a block takes eight times as long.
   */
  hardfork?: "cancun" | "prague";
  /** Keeps the states of only so many blocks, like an ordinary node. Default: all. */
  states?: number;
  /** More of anvil's own. */
  args?: readonly string[];
}

export interface Call {
  method: string;
  params: readonly unknown[];
}

/** A transaction without signature: any address may send. */
export interface Transaction {
  from?: string;
  /** Left out: creates a contract. */
  to?: string;
  data?: string;
  /** Wei. */
  value?: bigint;
  gas?: number;
  /** Ends the test if it is not carried out. Default: true. */
  mustSucceed?: boolean;
}

/** @returns the `result` of a JSON-RPC call. @throws {Error} the node's message */
export async function rpc(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const [result] = await rpcAll(url, [{ method, params }]);
  return result;
}

/** Makes calls in one batch, which a node may carry out in any order. */
export async function rpcAll(url: string, calls: readonly Call[]): Promise<unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  type Answer = { id: number; result?: unknown; error?: { message: string } };
  const answers = (await response.json()) as Answer | Answer[];
  if (!Array.isArray(answers)) throw new Error(answers.error?.message);
  const results: unknown[] = [];
  for (const { id, result, error } of answers) {
    if (error) throw new Error(`${calls[id]?.method}: ${error.message}`);
    results[id] = result;
  }
  return results;
}

export const toHex = (value: number | bigint): string => `0x${value.toString(16)}`;

/** More than any transaction of a test needs; a block has no limit. */
const GAS = 30_000_000;
/** Transactions in one batch. */
const BATCH = 1_000;

export class Anvil {
  readonly url: string;
  /** Accounts with 10,000 ether. */
  readonly accounts: readonly string[];
  /** The time of the last block that `mine` has mined. */
  time: number;
  readonly #child: ChildProcess;
  readonly #nonces = new Map<string, bigint>();
  readonly #unmined = new Map<string, Transaction>();

  constructor(child: ChildProcess, url: string, accounts: readonly string[], time: number) {
    this.#child = child;
    this.url = url;
    this.accounts = accounts;
    this.time = time;
  }

  rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return rpc(this.url, method, ...params);
  }

  /** Puts a transaction into the next block, after those that were sent before. @returns its hash */
  async send(transaction: Transaction): Promise<string> {
    const [hash] = await this.sendAll([transaction]);
    return hash!;
  }

  async sendAll(transactions: readonly Transaction[]): Promise<string[]> {
    const hashes: string[] = [];
    for (let start = 0; start < transactions.length; start += BATCH) {
      const some = transactions.slice(start, start + BATCH);
      const calls: Call[] = [];
      for (const { from = this.accounts[0]!, to, data, value = 0n, gas = GAS } of some) {
        const nonce = await this.#nonce(from);
        const fields = { from, to, data, value: toHex(value), gas: toHex(gas), gasPrice: "0x0", nonce: toHex(nonce) };
        calls.push({ method: "eth_sendTransaction", params: [fields] });
      }
      for (const [index, hash] of (await rpcAll(this.url, calls)).entries()) {
        hashes.push(hash as string);
        this.#unmined.set(hash as string, some[index]!);
      }
    }
    return hashes;
  }

  async #nonce(from: string): Promise<bigint> {
    const nonce =
      this.#nonces.get(from.toLowerCase()) ??
      BigInt((await this.rpc("eth_getTransactionCount", from, "latest")) as string);
    this.#nonces.set(from.toLowerCase(), nonce + 1n);
    return nonce;
  }

  /** Puts a contract's creation into the next block. @returns the address it will have, lower-case */
  async deploy(data: string, { from = this.accounts[0]!, ...rest }: Transaction = {}): Promise<string> {
    const nonce = await this.#nonce(from);
    this.#nonces.set(from.toLowerCase(), nonce);
    await this.send({ ...rest, from, data });
    return ContractAddress.fromCreate({ from: from as `0x${string}`, nonce }).toLowerCase();
  }

  /**
   * Mines a block with what has been sent, then `blocks - 1` empty ones.
   *
   * @param at time of the first block, Unix seconds; later than the last block's. Default: 12 s later
   * @param interval seconds between blocks
   * @returns the number of the first block
   * @throws {Error} a transaction that must succeed has failed
   */
  async mine(at?: number, blocks = 1, interval = 12): Promise<number> {
    const time = at ?? (await this.#latestTime()) + 12;
    await this.rpc("evm_setNextBlockTimestamp", time);
    await this.rpc("anvil_mine", "0x1");
    this.time = time;
    const number = await this.head();
    if (this.#unmined.size > 0) await this.#checkReceipts(number);
    if (blocks > 1) {
      // The interval of `anvil_mine` would be added to anvil's clock, which goes on between two blocks.
      await this.rpc("anvil_setBlockTimestampInterval", interval);
      await this.rpc("anvil_mine", toHex(blocks - 1));
      await this.rpc("anvil_removeBlockTimestampInterval");
      this.time = time + (blocks - 1) * interval;
    }
    return number;
  }

  /** On a busy machine, anvil's clock may be ahead of the blocks that were asked for. */
  async #latestTime(): Promise<number> {
    const { timestamp } = (await this.rpc("eth_getBlockByNumber", "latest", false)) as { timestamp: string };
    return Math.max(this.time, Number(timestamp));
  }

  async #checkReceipts(block: number): Promise<void> {
    const receipts = (await this.rpc("eth_getBlockReceipts", toHex(block))) as {
      transactionHash: string;
      status: string;
    }[];
    const statuses = new Map(receipts.map(({ transactionHash, status }) => [transactionHash, status]));
    const sent = [...this.#unmined];
    this.#unmined.clear();
    for (const [hash, { mustSucceed = true, to = "create a contract" }] of sent) {
      const status = statuses.get(hash);
      if (status === undefined) throw new Error(`Block ${block} lacks the transaction ${hash}.`);
      if (mustSucceed && status !== "0x1") throw new Error(`A transaction to ${to} failed in block ${block}.`);
    }
  }

  async head(): Promise<number> {
    return Number(await this.rpc("eth_blockNumber"));
  }

  /** @returns what a function answers, as it is encoded */
  async call(to: string, data: string, block: number | "latest" = "latest"): Promise<string> {
    return (await this.rpc("eth_call", { to, data }, typeof block === "number" ? toHex(block) : block)) as string;
  }

  async setCode(address: string, code: string): Promise<void> {
    await this.rpc("anvil_setCode", address, code);
  }

  /** Sets storage words of a contract: the slot and the value, 32 bytes each. */
  async setStorage(address: string, words: Iterable<readonly [slot: string, value: string]>): Promise<void> {
    const calls = Array.from(words, (word) => ({ method: "anvil_setStorageAt", params: [address, ...word] }));
    for (let start = 0; start < calls.length; start += BATCH) await rpcAll(this.url, calls.slice(start, start + BATCH));
  }

  /** Replaces the last blocks by as many others, empty ones. */
  async reorganise(blocks: number): Promise<void> {
    await this.rpc("anvil_reorg", blocks, []);
    this.#nonces.clear();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, "close");
    this.#child.stdin?.end();
    if (process.platform === "win32") this.#child.kill();
    await closed;
  }
}

/** Ends the program when its standard input ends, so also when the tests' process is killed. */
const GUARD = '"$@" </dev/null & child=$!; cat >/dev/null; kill -9 $child; wait $child 2>/dev/null';

/** Starts a chain; the caller stops it. */
export async function openAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const {
    chainId = 1,
    slotsInAnEpoch = 1,
    timestamp = GENESIS,
    number,
    hardfork = "cancun",
    states,
    args = [],
  } = options;
  if (program === undefined) throw new Error("There is no anvil for this machine.");
  const words = Object.entries({
    port: 0,
    "chain-id": chainId,
    "slots-in-an-epoch": slotsInAnEpoch,
    timestamp,
    "block-base-fee-per-gas": 0,
    order: "fifo",
    accounts: 2,
    hardfork,
    ...(number === undefined ? {} : { number }),
    ...(states === undefined ? {} : { "prune-history": states }),
  }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const flags = ["--no-mining", "--auto-impersonate", "--disable-block-gas-limit", "--no-request-size-limit"];
  const command = [program, ...words, ...flags, ...args];
  const isWindows = process.platform === "win32";
  const [file, ...rest] = isWindows ? command : ["/bin/sh", "-c", GUARD, "sh", ...command];
  const child = spawn(file!, rest, { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise<string>((found, fail) => {
    // Also reads, and drops, the line that anvil prints for each request.
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const address = /^Listening on (127\.0\.0\.1:\d+)$/.exec(line)?.[1];
      if (address) found(`http://${address}`);
    });
    child.once("error", fail).once("close", () => fail(new Error("anvil has ended.")));
    void sleep(30_000, undefined, { ref: false }).then(() => fail(new Error("anvil did not start within 30 s.")));
  });
  const accounts = (await rpc(url, "eth_accounts")) as string[];
  return new Anvil(child, url, accounts, timestamp);
}

/** Starts a chain that is stopped when the test ends. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const anvil = await openAnvil(options);
  onTestFinished(() => anvil.stop());
  return anvil;
}
