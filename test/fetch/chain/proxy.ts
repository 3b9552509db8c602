/** A proxy in front of any JSON-RPC node, which does what providers and networks do, by rule and by seed. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { rpcAll, toHex } from "./anvil.ts";
import { PROVIDERS, type Provider, type ProviderName } from "./providers.ts";

export interface Asked {
  id?: unknown;
  method: string;
  params: readonly unknown[];
}

export interface Answer {
  jsonrpc?: string;
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** A log as the node sent it. */
export interface SentLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: string;
  logIndex: string;
  blockTimestamp?: string;
  removed?: boolean;
}

/** A request with all that a fault needs. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  calls: readonly Asked[];
  isBatch: boolean;
  random: Random;
  /** What the node answers, as it would be sent. */
  pass(): Promise<string>;
}

/** What goes wrong with a whole request. */
interface RequestFault {
  whole(exchange: Exchange): void | Promise<void>;
  /** Default: any request. */
  onlyBatches?: boolean;
}

/** What goes wrong with the answers to some calls. */
interface AnswerFault {
  /** Default: eth_getLogs. */
  method?: string;
  alter(result: SentLog[], random: Random, call: Asked): unknown;
}

const OTHER = `0x${"e".repeat(40)}`;

const send = ({ response }: Exchange, status: number, body: string, headers: Record<string, string> = {}) => {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers }).end(body);
};
const sendError = (exchange: Exchange, status: number, code: number, message: string, headers = {}) => {
  const errors = exchange.calls.map(({ id }) => ({ jsonrpc: "2.0", id, error: { code, message } }));
  send(exchange, status, JSON.stringify(exchange.isBatch ? errors : errors[0]), headers);
};
const html = { "content-type": "text/html" };
const reply = (exchange: Exchange) => (exchange.isBatch ? "batch" : "call");

/** Nobody can tell which block a tag means. */
const isTag = (block: unknown) => !String(block).startsWith("0x");

/** Some of a list's places. */
const pick = (logs: readonly unknown[], random: Random) => random.uint32() % Math.max(1, logs.length);

/** What can go wrong once and be well the next time, by name. A client brings the same files whichever it meets. */
const FAULTS = {
  "429": { whole: (exchange) => sendError(exchange, 429, -32005, "Too Many Requests") },
  "429 without JSON": {
    whole: (exchange) => send(exchange, 429, "Too Many Requests", { "content-type": "text/plain" }),
  },
  "429, Retry-After 0": {
    whole: (exchange) => sendError(exchange, 429, 429, "rate limited", { "retry-after": "0" }),
  },
  "429, Retry-After a date": {
    whole: (exchange) =>
      sendError(exchange, 429, 429, "rate limited", { "retry-after": new Date(Date.now() + 500).toUTCString() }),
  },
  "-32005": { whole: (exchange) => sendError(exchange, 200, -32005, "rate limit exceeded, slow down") },
  "compute units": {
    whole: (exchange) =>
      sendError(exchange, 200, 429, "Your app has exceeded its compute units per second capacity. Retry in a moment."),
  },
  "503": { whole: (exchange) => send(exchange, 503, "no server is available to handle this request", html) },
  "500": { whole: (exchange) => sendError(exchange, 500, -32603, "internal error") },
  "413": { whole: (exchange) => send(exchange, 413, "<html><body>Request Entity Too Large</body></html>", html) },
  "HTML with 200": { whole: (exchange) => send(exchange, 200, "<!doctype html><title>Just a moment...</title>", html) },
  "HTML with 502": { whole: (exchange) => send(exchange, 502, "<html>Bad Gateway</html>", html) },
  "an empty body": { whole: (exchange) => send(exchange, 200, "") },
  null: { whole: (exchange) => send(exchange, 200, "null") },
  "dropped before": { whole: ({ response }) => void response.destroy() },
  "dropped amid": {
    whole: async ({ response, pass }) => {
      const body = await pass();
      response.writeHead(200, { "content-type": "application/json", "content-length": String(body.length + 100) });
      response.write(body.slice(0, body.length >> 1), () => response.destroy());
    },
  },
  "JSON cut short": {
    whole: async (exchange) => {
      const body = await exchange.pass();
      send(exchange, 200, body.slice(0, -1 - (exchange.random.uint32() % Math.min(40, body.length - 1))));
    },
  },
  "another id": {
    whole: async (exchange) => {
      const answers: Answer | Answer[] = JSON.parse(await exchange.pass());
      for (const answer of [answers].flat()) answer.id = 987_654_321;
      send(exchange, 200, JSON.stringify(answers));
    },
  },
  "a batch answered by one error": {
    onlyBatches: true,
    whole: (exchange) =>
      send(
        exchange,
        200,
        JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch limit exceeded" } }),
      ),
  },
  "an error amid a batch": {
    onlyBatches: true,
    whole: async (exchange) => {
      const answers: Answer[] = JSON.parse(await exchange.pass());
      const { id } = answers[pick(answers, exchange.random)]!;
      const error = { code: -32000, message: "request timed out" };
      send(
        exchange,
        200,
        JSON.stringify(answers.map((answer) => (answer.id === id ? { jsonrpc: "2.0", id, error } : answer))),
      );
    },
  },
  "a batch in another order": {
    onlyBatches: true,
    whole: async (exchange) => send(exchange, 200, JSON.stringify(JSON.parse(await exchange.pass()).reverse())),
  },
  "a batch with an answer missing": {
    onlyBatches: true,
    whole: async (exchange) => send(exchange, 200, JSON.stringify(JSON.parse(await exchange.pass()).slice(1))),
  },
  "the URL in an error": {
    whole: (exchange) => {
      const { url, headers } = exchange.request;
      const where = `http://${headers.host}${url} (${headers.authorization ?? "no authorization"})`;
      sendError(exchange, 200, -32000, `upstream error while a ${reply(exchange)} was sent to ${where}`);
    },
  },
  "logs repeated": { alter: (logs) => [...logs, ...logs] },
  "logs unsorted": { alter: (logs, random) => logs.toSorted(() => (random.uint32() % 2) - 0.5) },
  "logs of another contract": {
    alter: (logs) => [...logs, ...logs.slice(0, 1).map((log) => ({ ...log, address: OTHER, logIndex: "0xfff" }))],
  },
  "a log of another block": {
    alter: (logs) => logs.map((log, at) => (at === 0 ? { ...log, blockNumber: "0x0" } : log)),
  },
  "a log that was removed": {
    alter: (logs) => [...logs, ...logs.slice(-1).map((log) => ({ ...log, logIndex: "0xffe", removed: true }))],
  },
  "a log twice, with two values": {
    alter: (logs) => [...logs, ...logs.slice(0, 1).map((log) => ({ ...log, data: `0x${"1".padStart(64, "0")}` }))],
  },
  "logs with odd data": {
    alter: (logs, random) => logs.map((log, at) => (at === pick(logs, random) ? { ...log, data: "0x123" } : log)),
  },
  "logs without topics": {
    alter: (logs, random) => logs.map((log, at) => (at === pick(logs, random) ? { ...log, topics: [] } : log)),
  },
  "logs without a block": { alter: (logs) => logs.map((log) => ({ ...log, blockNumber: null })) },
  "not a list of logs": { alter: (logs) => ({ logs }) },
  "null for logs": { alter: () => null },
  "logs without times": { alter: (logs) => logs.map(({ blockTimestamp: _, ...log }) => log) },
  "times of 0": { alter: (logs) => logs.map((log) => ({ ...log, blockTimestamp: "0x0" })) },
  "times that run backwards": {
    alter: (logs) => logs.map((log, at) => ({ ...log, blockTimestamp: `0x${(1_700_000_000 - at).toString(16)}` })),
  },
  "null for a block": { method: "eth_getBlockByNumber", alter: () => null },
  "a block without time": { method: "eth_getBlockByNumber", alter: (block) => ({ ...block, timestamp: null }) },
  "another block": {
    method: "eth_getBlockByNumber",
    alter: (block, _, { params }) => (isTag(params[0]) ? null : { ...block, number: "0x1" }),
  },
} satisfies Record<string, RequestFault | AnswerFault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** A client that meets many of these slows down for long, as it should. */
export const RATE_LIMITS: ReadonlySet<FaultName> = new Set([
  "429",
  "429 without JSON",
  "429, Retry-After 0",
  "429, Retry-After a date",
  "-32005",
  "compute units",
]);

export interface ProxyOptions {
  seed?: number;
  /** What goes wrong now and then. Default: nothing. */
  faults?: readonly FaultName[];
  /** How much of the requests that a fault fits meets it, from the second on: 0 to 1. Default: 0.3. */
  share?: number;
  /** Faults in a row, at most. Default: 2. */
  inARow?: number;
  /** Faults in all, at most. */
  most?: number;
  /** What a page may be, and what is said otherwise. */
  limit?: { blocks?: number; logs?: number; provider: ProviderName };
  /** Does not answer longer ranges at all. */
  silentAbove?: number;
  chainId?: number;
  /** Blocks that it is behind the node. Says nothing of the last ones: [] for their logs, null for their headers. */
  behind?: number;
  /** Answers [] before this block without a word. */
  emptyBefore?: number;
  /** Refuses logs before this block. */
  prunedBefore?: number;
  /** Refuses the state of all but the last blocks. */
  states?: number;
  /** Answers with the state of this block if a later one is asked for. */
  stoppedAt?: number;
  /** Leaves out logs. */
  omits?(log: SentLog): boolean;
  /** Sends other logs instead. */
  alters?(log: SentLog): SentLog;
  /** Answers [] to a request for logs. */
  hides?(call: Asked): boolean;
  /** Calls in a batch; 0 refuses all. */
  batches?: number;
  /** Refuses state overrides. */
  overrides?: boolean;
  /** Refuses every request so. */
  always?: { status: number; code: number; message: string; headers?: Record<string, string> };
  /** Is told each call before it is carried out. */
  onCall?(call: Asked): void | Promise<void>;
}

interface Filter {
  fromBlock: string;
  toBlock: string;
}

const STATEFUL = new Map([
  ["eth_call", 1],
  ["eth_getCode", 1],
  ["eth_getBalance", 1],
  ["eth_getStorageAt", 2],
]);

/** Faults that the same request meets, at most: a client gives up after 8 attempts. */
const SAME = 3;

export class FaultProxy {
  readonly target: string;
  /** Tests may change them between requests. */
  options: ProxyOptions;
  /** Every call, in the order of arrival, and what it met. */
  readonly asked: (Asked & { fault?: FaultName })[] = [];
  /** HTTP requests, and the bytes that were sent back. */
  requests = 0;
  /** How many faults were met, and how often each. */
  faults = 0;
  readonly met = new Map<FaultName, number>();
  /** How often each request met one. */
  readonly #metBy = new Map<string, number>();
  /** Paths, queries and credentials that were used. */
  readonly urls = new Set<string>();
  #server: Server | undefined;
  readonly #random: Random;
  #inARow = 0;
  #port = 0;

  constructor(target: string, options: ProxyOptions = {}) {
    this.target = target;
    this.options = options;
    this.#random = new Random(options.seed ?? 1, 2);
  }

  async start(): Promise<this> {
    this.#server = createServer((request, response) => {
      void text(request)
        .then((body) => this.#handle(request, response, body))
        .catch(() => response.destroy());
    }).listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((closed) => this.#server?.close(closed));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The host that messages may show. */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** A URL with keys in all places that URLs have. */
  keyed(key: string): string {
    return `http://user-${key}:password-${key}@${this.host}/v3/path-${key}?apikey=query-${key}`;
  }

  /** The block ranges of eth_getLogs, in the order they were asked for; of one contract or all. */
  ranges(address?: string): { from: number; to: number }[] {
    return this.asked.flatMap(({ method, params }) => {
      if (method !== "eth_getLogs") return [];
      const { fromBlock, toBlock, address: of } = params[0] as Filter & { address?: string | string[] };
      const isWanted = address === undefined || [of ?? []].flat().some((one) => one.toLowerCase() === address);
      return isWanted ? [{ from: Number(fromBlock), to: Number(toBlock) }] : [];
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    this.requests++;
    this.urls.add(`${request.url} ${request.headers.authorization ?? ""}`);
    const parsed: Asked | Asked[] = JSON.parse(body);
    const calls = [parsed].flat();
    const isBatch = Array.isArray(parsed);
    const asked: FaultProxy["asked"] = calls.map((call) => ({ ...call }));
    this.asked.push(...asked);
    for (const call of calls) await this.options.onCall?.(call);

    const name = this.#nextFault(calls, isBatch);
    if (name) for (const call of asked) call.fault = name;
    const fault: RequestFault | AnswerFault | undefined = name && FAULTS[name];
    const alter = fault && "alter" in fault ? fault : undefined;
    const exchange: Exchange = {
      request,
      response,
      calls,
      isBatch,
      random: this.#random,
      pass: () => this.#pass(calls, isBatch, alter),
    };
    const { always, silentAbove, batches = Number.POSITIVE_INFINITY } = this.options;
    if (always) return sendError(exchange, always.status, always.code, always.message, always.headers);
    if (silentAbove !== undefined && calls.some((call) => blocksOf(call) > silentAbove)) return;
    if (isBatch && calls.length > batches) {
      const message = batches === 0 ? "batch requests are not allowed" : `batch size exceeds ${batches}`;
      return send(exchange, 200, JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }));
    }
    if (fault && "whole" in fault) return fault.whole(exchange);
    send(exchange, this.#statusOf(calls), await exchange.pass());
  }

  /** The fault that a request meets. */
  #nextFault(calls: readonly Asked[], isBatch: boolean): FaultName | undefined {
    const { faults = [], share = 0.3, inARow = 2, most = Number.POSITIVE_INFINITY } = this.options;
    const fitting = faults.filter((name) => {
      const fault: RequestFault | AnswerFault = FAULTS[name];
      if ("whole" in fault) return isBatch || !fault.onlyBatches;
      return calls.some(({ method }) => method === (fault.method ?? "eth_getLogs"));
    });
    if (fitting.length === 0) return undefined;
    // Each is met early, whatever the share.
    const unmet = fitting.find((name) => !this.met.has(name));
    const isDue = unmet !== undefined || this.#random.uint32() / 2 ** 32 < share;
    const same = JSON.stringify(calls.map(({ method, params }) => [method, params]));
    const before = this.#metBy.get(same) ?? 0;
    const isMet = isDue && this.#inARow < inARow && this.faults < most && before < Math.max(SAME, inARow);
    this.#inARow = isMet ? this.#inARow + 1 : 0;
    if (!isMet) return undefined;
    const name = unmet ?? fitting[this.#random.uint32() % fitting.length]!;
    this.faults++;
    this.#metBy.set(same, before + 1);
    this.met.set(name, (this.met.get(name) ?? 0) + 1);
    return name;
  }

  /** Providers refuse a range with a status of their own, if it is the only call. */
  #statusOf(calls: readonly Asked[]): number {
    const { limit } = this.options;
    const provider: Provider | undefined = limit && PROVIDERS[limit.provider];
    const isRefused = calls.length === 1 && blocksOf(calls[0]!) > (limit?.blocks ?? Number.POSITIVE_INFINITY);
    return (isRefused && provider?.status) || 200;
  }

  async #pass(calls: readonly Asked[], isBatch: boolean, fault: AnswerFault | undefined): Promise<string> {
    const refusals = calls.map((call) => this.#refusal(call));
    const passed = calls.filter((_, index) => !refusals[index]);
    if (this.options.behind || this.options.states !== undefined) {
      const [head, finalized] = await rpcAll(this.target, HEADS);
      this.#head = Number(head);
      this.#finalized = Number((finalized as { number: string }).number);
    }
    const answers = new Map<unknown, Answer>();
    if (passed.length > 0) {
      const body = JSON.stringify(passed.map((call, id) => ({ ...this.#own(call), id })));
      const answered = await fetch(this.target, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      for (const answer of (await answered.json()) as Answer[]) answers.set(passed[answer.id as number], answer);
    }
    const all = calls.map((call, index): Answer => {
      const error = refusals[index];
      if (error) return { jsonrpc: "2.0", id: call.id, error };
      const answer = this.#change(call, { ...answers.get(call)!, id: call.id });
      if (answer.error || !fault || call.method !== (fault.method ?? "eth_getLogs")) return answer;
      return { ...answer, result: fault.alter(answer.result as SentLog[], this.#random, call) };
    });
    return JSON.stringify(isBatch ? all : all[0]);
  }

  /** What this node does not answer. */
  #refusal(call: Asked): Answer["error"] {
    const { limit, prunedBefore = 0, overrides } = this.options;
    if (call.method === "eth_getLogs") {
      const [from, to] = rangeOf(call);
      if (from < prunedBefore) return { code: 4444, message: "pruned history unavailable" };
      if (limit?.blocks !== undefined && to - from + 1 > limit.blocks) {
        const { code, text: say }: Provider = PROVIDERS[limit.provider];
        return { code, message: say({ from, to, limit: limit.blocks }) };
      }
    }
    if (overrides === false && call.method === "eth_call" && call.params.length > 2) {
      return { code: -32602, message: "too many arguments, want at most 2" };
    }
    return undefined;
  }

  /** What this node answers instead of what the node behind it does. */
  #change(call: Asked, answer: Answer): Answer {
    const { chainId, behind = 0, emptyBefore = 0, omits, alters, hides, limit, states } = this.options;
    const { method, params } = call;
    if (method === "eth_chainId" && chainId !== undefined) return { ...answer, result: toHex(chainId) };
    const head = this.#head - behind;
    if (method === "eth_blockNumber" && behind > 0) return { ...answer, result: toHex(head) };
    if (method === "eth_getBlockByNumber" && behind > 0 && answer.result) {
      const { number } = answer.result as { number: string };
      return Number(number) > head ? { ...answer, result: null } : answer;
    }
    const place = STATEFUL.get(method);
    if (place !== undefined && states !== undefined && /^0x/.test(String(params[place]))) {
      const error = { code: -32000, message: "missing trie node: state is not available, path 0x" };
      if (head - Number(params[place]) >= states) return { jsonrpc: "2.0", id: answer.id, error };
    }
    if (method !== "eth_getLogs" || !Array.isArray(answer.result)) return answer;
    const [from, to] = rangeOf(call);
    let logs = answer.result as SentLog[];
    if (behind > 0) logs = logs.filter(({ blockNumber }) => Number(blockNumber) <= head);
    if (from < emptyBefore) logs = logs.filter(({ blockNumber }) => Number(blockNumber) >= emptyBefore);
    if (omits) logs = logs.filter((log) => !omits(log));
    if (alters) logs = logs.map(alters);
    if (hides?.(call)) logs = [];
    if (limit?.logs !== undefined && logs.length > limit.logs) {
      const { code, text: say }: Provider = PROVIDERS[limit.provider];
      const message = say({ from, to, limit: Math.max(1, (to - from + 1) >> 1) });
      return { jsonrpc: "2.0", id: answer.id, error: { code, message } };
    }
    return { ...answer, result: logs };
  }

  /** What the tags of blocks mean to a node that is behind, or whose states are. */
  #own(call: Asked): Asked {
    const { behind = 0, stoppedAt = Number.POSITIVE_INFINITY } = this.options;
    const place = STATEFUL.get(call.method);
    if (place !== undefined && Number(call.params[place]) > stoppedAt) {
      return { ...call, params: call.params.with(place, toHex(stoppedAt)) };
    }
    if (call.method !== "eth_getBlockByNumber" || behind === 0) return call;
    const numbers: Record<string, number> = { latest: this.#head, finalized: this.#finalized, safe: this.#finalized };
    const number = numbers[String(call.params[0])];
    return number === undefined ? call : { ...call, params: [toHex(number - behind), ...call.params.slice(1)] };
  }

  /** The node's head and last final block, where they matter. */
  #head = Number.POSITIVE_INFINITY;
  #finalized = Number.POSITIVE_INFINITY;
}

const HEADS = [
  { method: "eth_blockNumber", params: [] },
  { method: "eth_getBlockByNumber", params: ["finalized", false] },
];

function rangeOf({ params }: Asked): [from: number, to: number] {
  const { fromBlock, toBlock } = params[0] as Filter;
  return [Number(fromBlock), Number(toBlock)];
}

/** Blocks that a call asks for the logs of. */
function blocksOf(call: Asked): number {
  if (call.method !== "eth_getLogs") return 0;
  const [from, to] = rangeOf(call);
  return to - from + 1;
}

/** Starts a proxy that is stopped when the test ends. */
export async function startProxy(target: string, options: ProxyOptions = {}): Promise<FaultProxy> {
  const proxy = await new FaultProxy(target, options).start();
  onTestFinished(() => proxy.stop());
  return proxy;
}
