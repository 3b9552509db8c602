/**
 * JSON-RPC nodes over a chain that was made up: as fast as texts can be sent, with the limits that providers have.
 * Several may share a chain.
 */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type FakeChain, word } from "./fake-chain.ts";
import { scanned } from "./scanners.ts";

export interface FakeNodeOptions {
  /** Another one than the chain's. */
  chainId?: number;
  /** Blocks that eth_getLogs takes. */
  maxBlocks?: number;
  /** Contracts that eth_getLogs takes in a filter. */
  maxAddresses?: number;
  /** Digits of the data of eth_call, as of one whose gas is limited. */
  maxDigits?: number;
  /** Logs of an answer. */
  maxLogs?: number;
  /** Cuts an answer to so many logs, and says nothing of it. */
  cutsAt?: number;
  /** Which of the logs it sends then. Default: the first. */
  cutsTo?: "first" | "last" | "whole blocks";
  /** Has eth_getBlockReceipts. Default: false. */
  receipts?: boolean;
  /** What a refusal of a range says. Default: Infura's text. */
  refusal?: string;
  /** Calls in a batch; 0 refuses all. Default: any number. */
  batches?: number;
  /** Takes state overrides in eth_call. Default: true. */
  overrides?: boolean;
  /** Takes calls that create a contract, and hashes in place of numbers of blocks. Default: true. */
  creations?: boolean;
  hashes?: boolean;
  /** Answers with the state of this block if a later one is asked for; its headers and logs are whole. */
  stoppedAt?: number;
  /** What it says of contracts, and of addresses' code, instead of what is right: both hexadecimal. */
  lies?: {
    call?(to: string, data: string, right: string): string;
    code?(address: string, right: string): string;
  };
  /** What NUMBER is in its calls. Default: the block's number. */
  numberOf?(block: number): number;
  /** What BLOCKHASH of the block before is in its calls. Default: that hash. */
  parentHash?: string;
  /** blockTimestamp in logs. Default: there. */
  timestamps?: "missing" | "zero" | "decimal" | "an hour late" | "one a page";
  /** Keeps only so many states. Default: all. */
  states?: number;
  /** What it says of a state that it does not keep. Default: as geth. */
  stateGone?: string;
  /** Has no logs, nor anything else but headers, before this block. */
  prunedBefore?: number;
  /** Blocks that it is behind the chain. */
  behind?: number;
  /** Leaves logs out of its answers, by index in the chain's list. */
  omits?: ReadonlySet<number>;
  /** Has the tag `finalized`. Default: true. */
  finality?: boolean;
  /** Addresses for which balanceOf reverts. */
  blocked?: ReadonlySet<string>;
  /** totalSupply reverts. */
  noSupply?: boolean;
  /** Answers null to the first calls of totalSupply. */
  nullSupplies?: number;
}

interface Asked {
  id?: unknown;
  method: string;
  params: readonly unknown[];
}

/** What a node refuses, with a code of JSON-RPC. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const quote = (value: string) => JSON.stringify(value);
const quantity = (value: number) => `"0x${value.toString(16)}"`;
/** A dynamic string as the only result of a function. */
const textResult = (value: string) => {
  const hex = Buffer.from(value).toString("hex");
  return `0x${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")}`;
};

interface Filter {
  address?: string | string[];
  topics?: (string | string[] | null)[];
  fromBlock?: string;
  toBlock?: string;
}

interface CallObject {
  to?: string;
  data?: string;
  input?: string;
}

type Tag = string | { blockHash: string };
type Overrides = Record<string, { code?: string }> | undefined;

/** What a log says of its block's time, by that time and that of the page's first log. */
const WRONG_TIMES: Record<string, (time: number, first: number) => string> = {
  zero: () => "0x0",
  decimal: (time) => String(time),
  "an hour late": (time) => `0x${(time + 3600).toString(16)}`,
  "one a page": (_, first) => `0x${first.toString(16)}`,
};

/** Results as JSON texts, by method. */
type Methods = Record<string, (params: readonly unknown[]) => string>;

export class FakeNode {
  readonly chain: FakeChain;
  /** Tests may change them between requests. */
  readonly options: FakeNodeOptions;
  /** Every call that it was asked. */
  readonly asked: Asked[] = [];
  /** HTTP requests. */
  requests = 0;
  url = "";
  #server: Server | undefined;

  constructor(chain: FakeChain, options: FakeNodeOptions = {}) {
    this.chain = chain;
    this.options = options;
  }

  async start(): Promise<this> {
    this.#server = createServer((request, response) => {
      this.requests++;
      void text(request).then((body) => {
        const answer = this.answer(body);
        response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
        response.end(answer);
      });
    }).listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((closed) => this.#server?.close(closed));
  }

  /** The block ranges that eth_getLogs was asked for, in that order. */
  get ranges(): { from: number; to: number }[] {
    const filters = this.asked
      .filter(({ method }) => method === "eth_getLogs")
      .map(({ params }) => params[0] as Filter);
    return filters.map(({ fromBlock, toBlock }) => ({ from: Number(fromBlock), to: Number(toBlock) }));
  }

  /** The answer to the body of a request: one call or a batch. */
  answer(body: string): string {
    const calls: Asked | Asked[] = JSON.parse(body);
    if (!Array.isArray(calls)) return this.#answerOne(calls);
    const { batches = Number.POSITIVE_INFINITY } = this.options;
    if (calls.length > batches) {
      const message = batches === 0 ? "batch requests are not supported" : `batch too large: at most ${batches}`;
      return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message } });
    }
    return `[${calls.map((call) => this.#answerOne(call)).join(",")}]`;
  }

  #answerOne(call: Asked): string {
    this.asked.push(call);
    const { id, method, params } = call;
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},`;
    try {
      const answer = this.#methods[method];
      if (!answer) throw new Refusal(-32601, `the method ${method} does not exist/is not available`);
      return `${start}"result":${answer(params ?? [])}}`;
    } catch (error) {
      const { code = -32603, message } = error as Refusal;
      return `${start}"error":${JSON.stringify({ code, message })}}`;
    }
  }

  readonly #methods: Methods = {
    eth_chainId: () => quantity(this.options.chainId ?? this.chain.chainId),
    net_version: () => quote(String(this.options.chainId ?? this.chain.chainId)),
    eth_blockNumber: () => quantity(this.#head),
    eth_getBlockByNumber: ([tag]) => this.#block(this.#number(tag as string)),
    eth_getLogs: ([filter]) => this.#logs(filter as Filter),
    eth_getBlockReceipts: ([tag]) => {
      if (!this.options.receipts) throw new Refusal(-32601, "the method eth_getBlockReceipts does not exist");
      return this.#receipts(this.#number(tag as string));
    },
    eth_getCode: ([address, tag]) => {
      this.#checkState(tag as Tag);
      return quote(this.#codeOf(address as string));
    },
    eth_call: ([call, tag, overrides]) => {
      const isOfSupply = (call as CallObject).data?.includes("18160ddd");
      if (isOfSupply && (this.options.nullSupplies ?? 0) > 0) {
        this.options.nullSupplies!--;
        return "null";
      }
      return quote(this.#call(call as CallObject, tag as Tag, overrides as Overrides));
    },
  };

  get #head(): number {
    return this.chain.head - (this.options.behind ?? 0);
  }

  #number(tag: string): number {
    if (tag === "latest" || tag === "pending") return this.#head;
    if (tag === "earliest") return 0;
    if (tag === "finalized" || tag === "safe") {
      if (this.options.finality === false) throw new Refusal(-32602, `invalid argument 0: unknown block tag ${tag}`);
      return Math.max(0, this.chain.finalized - (this.options.behind ?? 0));
    }
    if (!/^0x[0-9a-f]+$/.test(tag)) throw new Refusal(-32602, `invalid block number ${tag}`);
    return Number(tag);
  }

  #block(number: number): string {
    if (number > this.#head) return "null";
    const parent = number === 0 ? `0x${word(0)}` : this.chain.hashOf(number - 1);
    return `{"number":${quantity(number)},"hash":"${this.chain.hashOf(number)}","parentHash":"${parent}","timestamp":${quantity(this.chain.timeOf(number))},"transactions":[]}`;
  }

  #logs({ address, topics = [], fromBlock = "latest", toBlock = "latest" }: Filter): string {
    const { maxBlocks, maxLogs, refusal, timestamps, prunedBefore = 0, omits } = this.options;
    const [from, to] = [this.#number(fromBlock), this.#number(toBlock)];
    if (from > to) throw new Refusal(-32602, "invalid block range params");
    if (from < prunedBefore) throw new Refusal(4444, "pruned history unavailable");
    if (maxBlocks !== undefined && to - from + 1 > maxBlocks) {
      throw new Refusal(-32602, refusal ?? `range ${to - from + 1} exceeds limit of ${maxBlocks}`);
    }
    if ([address].flat().length > (this.options.maxAddresses ?? Number.POSITIVE_INFINITY)) {
      throw new Refusal(-32602, "too many addresses in the filter");
    }
    const addresses = address === undefined ? undefined : new Set([address].flat().map((one) => one.toLowerCase()));
    const wanted = topics.map((topic) => (topic === null ? undefined : new Set([topic].flat())));
    const { start, end } = this.chain.logsOf(from, Math.min(to, this.#head));
    const found: number[] = [];
    for (let index = start; index < end; index++) {
      const log = this.chain.log(index);
      if (omits?.has(index) || (addresses && !addresses.has(log.address))) continue;
      if (wanted.some((topic, place) => topic && !topic.has(log.topics[place]!))) continue;
      found.push(index);
    }
    const texts = this.#cut(found).map((index) => this.chain.logText(index));
    if (maxLogs !== undefined && texts.length > maxLogs) {
      throw new Refusal(-32005, refusal ?? `query returned more than ${maxLogs} results`);
    }
    const answer = `[${texts.join(",")}]`;
    if (timestamps === "missing") return answer.replaceAll(/"blockTimestamp":"0x[0-9a-f]+",/g, "");
    const write = WRONG_TIMES[timestamps ?? ""];
    let first: string | undefined;
    return write
      ? answer.replaceAll(/"blockTimestamp":"(0x[0-9a-f]+)"/g, (_, time: string) => {
          first ??= time;
          return `"blockTimestamp":"${write(Number(time), Number(first))}"`;
        })
      : answer;
  }

  #cut(found: number[]): number[] {
    const { cutsAt = Number.POSITIVE_INFINITY, cutsTo = "first" } = this.options;
    if (found.length <= cutsAt) return found;
    if (cutsTo === "last") return found.slice(-cutsAt);
    const blockOf = (index: number) => this.chain.log(index).block;
    const next = blockOf(found[cutsAt]!);
    const before = found.filter((index) => blockOf(index) < next);
    return cutsTo === "whole blocks" && before.length > 0 ? before : found.slice(0, cutsAt);
  }

  /** A receipt for each log of a block. */
  #receipts(block: number): string {
    const { start, end } = this.chain.logsOf(block, block);
    const texts = Array.from({ length: end - start }, (_, i) => this.chain.logText(start + i));
    return `[${texts.map((log) => `{"logs":[${log}]}`).join(",")}]`;
  }

  /** The block of whose state it answers. */
  #checkState(tag: Tag): number {
    const { states = Number.POSITIVE_INFINITY, stoppedAt = Number.POSITIVE_INFINITY } = this.options;
    const { stateGone = "missing trie node: state is not available" } = this.options;
    const block = typeof tag === "string" ? this.#number(tag) : this.#numberOfHash(tag);
    if (block > this.#head) throw new Refusal(-32000, "header not found");
    if (this.#head - block >= states) throw new Refusal(-32000, stateGone);
    if (typeof tag !== "string" && block > stoppedAt) throw new Refusal(-32000, "header for hash not found");
    return Math.min(block, stoppedAt);
  }

  #lastByHash = 0;

  #numberOfHash({ blockHash }: { blockHash: string }): number {
    if (this.options.hashes === false) throw new Refusal(-32602, "invalid argument 1: json: cannot unmarshal object");
    const isIt = (block: number) => this.chain.hashOf(block) === blockHash;
    if (isIt(this.#lastByHash)) return this.#lastByHash;
    for (let block = this.#head; block >= 0; block--) {
      if (!isIt(block)) continue;
      this.#lastByHash = block;
      return block;
    }
    throw new Refusal(-32000, "header for hash not found");
  }

  #codeOf(address: string): string {
    const right = this.chain.hasCode(address.toLowerCase()) ? "0x600160015500" : "0x";
    return this.options.lies?.code?.(address.toLowerCase(), right) ?? right;
  }

  #call(call: CallObject, tag: Tag, overrides: Overrides): string {
    const block = this.#checkState(tag);
    const calldata = (call.input ?? call.data ?? "0x").toLowerCase();
    if (calldata.length > (this.options.maxDigits ?? Number.POSITIVE_INFINITY)) {
      throw new Refusal(-32000, "out of gas: gas exhausted: 50000000");
    }
    if (call.to !== undefined && !overrides) return this.#callContract(call.to.toLowerCase(), calldata, block);
    if (overrides && this.options.overrides === false) throw new Refusal(-32602, "too many arguments, want at most 2");
    if (!overrides && this.options.creations === false) throw new Refusal(-32602, "missing field to");
    const before = block === 0 ? `0x${word(0)}` : this.chain.hashOf(block - 1);
    const { numberOf = (block) => block, parentHash = before } = this.options;
    const answer = scanned({ to: call.to, data: calldata }, overrides, {
      time: this.chain.timeOf(block),
      number: numberOf(block),
      parentHash,
      code: (address) => this.#codeOf(address),
      call: (to, data) => {
        try {
          return this.#callContract(to, data, block).slice(2);
        } catch (error) {
          if (error instanceof Refusal) return undefined;
          throw error;
        }
      },
    });
    if (answer === undefined) throw new Refusal(-32602, "a fake node only knows the code of scanners");
    return answer;
  }

  #callContract(to: string, calldata: string, block: number): string {
    const right = this.#answerOfContract(to, calldata, block);
    return this.options.lies?.call?.(to, calldata, right) ?? right;
  }

  #answerOfContract(to: string, calldata: string, block: number): string {
    const { name, symbol, decimals } = this.chain.token;
    if (!this.chain.tokens.has(to)) {
      const { views, contracts } = this.chain;
      if (!views || !contracts.has(to)) return "0x";
      const answer = views(to, calldata, this.chain.timeOf(block));
      if (answer === undefined) throw new Refusal(3, "execution reverted");
      return answer;
    }
    const { blocked, noSupply } = this.options;
    const owner = `0x${calldata.slice(34, 74)}`;
    const results: Record<string, () => string> = {
      "0x06fdde03": () => textResult(name),
      "0x95d89b41": () => textResult(symbol),
      "0x313ce567": () => `0x${word(decimals)}`,
      "0x18160ddd": () => `0x${word(this.chain.totalSupply(block, to))}`,
      "0x70a08231": () => `0x${word(this.chain.balanceOf(owner, block, to))}`,
    };
    const result = results[calldata.slice(0, 10)];
    const isRefused = calldata.startsWith("0x18160ddd") ? noSupply : blocked?.has(owner);
    if (!result || isRefused) throw new Refusal(3, "execution reverted");
    return result();
  }
}

/** Starts a node that is stopped when the test ends. */
export async function startFakeNode(chain: FakeChain, options: FakeNodeOptions = {}): Promise<FakeNode> {
  const node = await new FakeNode(chain, options).start();
  onTestFinished(() => node.stop());
  return node;
}
