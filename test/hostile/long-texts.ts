/**
 * Long texts in every header, parameter, part of a path and field of a body, at a running `soprano serve`: ten times the
 * length takes at most twenty times the CPU.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { Attack, Target } from "./attack.ts";
import { longText, PATTERNS, type Pattern, tooSlow } from "./long-text.ts";
import { exchange } from "./raw-http.ts";
import { type ServedToken, serveToken } from "./served-token.ts";

export const longTexts: Attack = {
  name: "long-texts",
  unit: "long texts",
  lacks: () => (existsSync("/proc/self/stat") ? undefined : "/proc, which tells the CPU time of a process."),
  open: async () => (await LongTexts.open()) as Target,
};

/** A request with a text somewhere. */
interface Ask {
  method: string;
  target: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Where a text stands in a request. */
interface Place {
  name: string;
  /** Characters of the longer text: what the server in front lets through. */
  length: number;
  ask: (text: string) => Ask;
}

/** The server in front refuses URLs of 64 kB, in which a character may take three. */
const IN_URL = 20_000;
/** The server in front takes 128 kB of them all. */
const IN_HEADERS = 100_000;
/** Longer bodies are refused, and JSON escapes quotes. */
const IN_BODY = 30_000;

/** All patterns together, at full length: less is no reason to look at each. */
const SUSPICIOUS_MS = 1_000;

/**
 * Headers that are read together, each with what it needs before the text to be read at all. Apart are those of which one
 * ends what is done with the others.
 */
const HEADERS: readonly (readonly (readonly [name: string, before: string])[])[] = [
  [
    ["Range", "bytes="],
    ["Accept-Encoding", ""],
    ["Accept", ""],
    ["CF-Ray", ""],
  ],
  [
    ["If-None-Match", ""],
    ["Range", ""],
    ["Cookie", ""],
    ["User-Agent", ""],
  ],
  [
    ["If-Match", ""],
    ["Accept-Encoding", "gzip;"],
    ["Referer", ""],
    ["Access-Control-Request-Headers", ""],
  ],
  [["If-Range", ""]],
  [["Authorization", ""]],
  [["Authorization", "Bearer "]],
  [["X-Api-Key", ""]],
  [["Content-Type", ""]],
  [["Content-Type", "application/json;"]],
  [["Origin", ""]],
  [["Origin", "https://"]],
  [["CF-Connecting-IP", ""]],
  [["Mcp-Protocol-Version", ""]],
  [
    ["Mcp-Method", ""],
    ["Mcp-Name", ""],
  ],
];

interface OpenApi {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string; example?: unknown }[] }>>;
}

interface ListedTool {
  name: string;
  inputSchema: { properties: Record<string, { type: string }> };
}

class LongTexts implements Target<Place> {
  readonly cases: fc.Arbitrary<Place>;
  readonly #served: ServedToken;

  private constructor(served: ServedToken, places: readonly Place[]) {
    this.#served = served;
    this.cases = fc.constantFrom(...places);
  }

  static async open(): Promise<LongTexts> {
    const served = await serveToken("LONG");
    served.onLog(() => {});
    const { paths } = (await (await fetch(`${served.url}/openapi.json`)).json()) as OpenApi;
    const listed = await fetch(`${served.url}/mcp`, {
      method: "POST",
      headers: { ...MCP_HEADERS, "X-Api-Key": served.key },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const data = /^data: (.*)$/m.exec(await listed.text())![1]!;
    const { tools } = (JSON.parse(data) as { result: { tools: ListedTool[] } }).result;
    return new LongTexts(served, [...placesOfPaths(paths), ...placesOfMessages(tools)]);
  }

  async attempt(place: Place): Promise<number> {
    if ((await this.#cpuOf(place, PATTERNS, place.length)) > SUSPICIOUS_MS) {
      for (const pattern of PATTERNS) {
        const problem = await tooSlow(place.length, (length) => this.#cpuOf(place, [pattern], length));
        if (problem !== undefined) throw new Error(`${place.name}, ${JSON.stringify(pattern)}: ${problem}`);
      }
    }
    return PATTERNS.length;
  }

  /** Milliseconds of CPU that the server takes for requests with texts of these patterns. */
  async #cpuOf({ ask }: Place, patterns: readonly Pattern[], length: number): Promise<number> {
    const { pid, port, key } = this.#served;
    const requests = patterns.map((pattern) => bytesOf(ask(longText(pattern, length)), key));
    const before = cpuOf(pid);
    for (const request of requests) await exchange(port, request, [], true);
    return cpuOf(pid) - before;
  }

  close(): Promise<void> {
    return this.#served.close();
  }
}

/** Every header, parameter and part of every path that the OpenAPI document has, and of the pages beside it. */
function placesOfPaths(paths: OpenApi["paths"]): Place[] {
  const ofDocument = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method === "get" || method === "post")
      .map(([method, { parameters = [] }]) => ({ path, method: method.toUpperCase(), parameters })),
  );
  const pages = ["/", "/boards/{name}", "/none"].map((path) => ({
    path,
    method: "GET",
    parameters: ["a", "y", "y2", "s", "z", "note"].map((name) => ({ name, in: "query", example: "" })),
  }));
  return [...ofDocument, ...pages].flatMap(({ path, method, parameters }): Place[] => {
    const told = `${method} ${path}`;
    const examples = parameters.filter((one) => one.in === "query" && ["a", "m"].includes(one.name));
    const target = (changed: Record<string, string>, more: Record<string, string> = {}) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => changed[name] ?? PARTS[name] ?? "none");
      const query = { ...Object.fromEntries(examples.map(({ name }) => [name, PARTS[name] ?? ""])), ...more };
      return `${filled}?${new URLSearchParams(query)}`;
    };
    const plain = { method, headers: method === "POST" ? MCP_HEADERS : {}, body: method === "POST" ? "{}" : "" };
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(
      ([, name]): Place => ({
        name: `${told}, ${name}`,
        length: IN_URL,
        ask: (text) => ({ ...plain, target: target({ [name!]: encodeURIComponent(text) }) }),
      }),
    );
    const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
    const inQuery = [...names, "none"].map(
      (name): Place => ({
        name: `${told}, parameter ${name}`,
        length: IN_URL,
        ask: (text) => ({ ...plain, target: target({}, { [name]: text }) }),
      }),
    );
    const inHeaders = HEADERS.map((group): Place => {
      const length = Math.floor(IN_HEADERS / group.length);
      const sent = (text: string) => Object.fromEntries(group.map(([name, before]) => [name, before + text]));
      return {
        name: `${told}, headers ${group.map(([name, before]) => `${name}: ${before}`).join(", ")}`,
        length,
        ask: (text) => ({ ...plain, target: target({}), headers: { ...plain.headers, ...sent(text) } }),
      };
    });
    const asName: Place = {
      name: `${told}, name of a parameter`,
      length: IN_URL,
      ask: (text) => ({ ...plain, target: target({}, { [text]: "1" }) }),
    };
    return [...inPath, ...inQuery, asName, ...inHeaders];
  });
}

/** What the other parts of a request are. */
const PARTS: Record<string, string> = {
  a: "LONG",
  asset: "LONG",
  address: `0x${"0".repeat(40)}`,
  m: "sopr",
  metric: "sopr",
  resolution: "day",
  file: `all.${"0".repeat(32)}.parquet`,
  version: "v1",
};

const MCP_HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

/** Every argument of every tool, each as what it is and as a list of short texts; and the rest of a message. */
function placesOfMessages(tools: readonly ListedTool[]): Place[] {
  const place = (name: string, body: (text: string) => unknown): Place => ({
    name: `POST /mcp, ${name}`,
    length: IN_BODY,
    ask: (text) => ({ method: "POST", target: "/mcp", headers: MCP_HEADERS, body: JSON.stringify(body(text)) }),
  });
  const message = (method: unknown, params: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });
  const call = (name: unknown, given: unknown) => message("tools/call", { name, arguments: given });
  return [
    place("method", (text) => message(text, {})),
    place("id", (text) => message("tools/list", {}, text)),
    place("cursor", (text) => message("tools/list", { cursor: text })),
    place("tool", (text) => call(text, {})),
    place("body", (text) => text),
    place("batch", (text) => Array.from(text.slice(0, text.length / 50), () => message("ping", {}))),
    place("nested", (text) => nested(text.length / 4)),
    ...tools.flatMap(({ name, inputSchema: { properties } }) =>
      Object.entries(properties).flatMap(([argument, { type }]) => {
        const filled = (value: unknown) => call(name, { ...REQUIRED[name], [argument]: value });
        const one = place(`${name}, ${argument}`, (text) => filled(type === "array" ? [text] : text));
        const entries = (text: string) => text.match(/.{1,5}/gsu) ?? [];
        return type === "array"
          ? [one, place(`${name}, entries of ${argument}`, (text) => filled(entries(text)))]
          : one;
      }),
    ),
    ...tools.map(({ name }) => place(`${name}, name of an argument`, (text) => call(name, { [text]: 1 }))),
  ];
}

/** So many lists inside each other. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** What a tool needs to read its other arguments. */
const REQUIRED: Record<string, Record<string, unknown>> = {
  read_series: { assets: ["LONG"], metrics: ["sopr"] },
  read_distribution: { asset: "LONG", distribution: "cost_basis" },
  read_holders: { asset: "LONG" },
  read_address: { address: `0x${"0".repeat(40)}` },
  read_largest_transfers: { asset: "LONG" },
  read_events: { asset: "LONG" },
  chart_link: { asset: "LONG", series: ["sopr"] },
};

let addresses = 0;

/** The bytes of a request that is the last of its connection. */
function bytesOf({ method, target, headers, body }: Ask, key: string): Buffer {
  const own = Object.keys(headers).map((name) => name.toLowerCase());
  const lines = Object.entries({
    Host: "127.0.0.1",
    Connection: "close",
    // Each is of another address: what one may send in a minute is not the matter here.
    "CF-Connecting-IP": `192.0.2.${++addresses}`,
    ...(!own.some((name) => name === "authorization" || name === "x-api-key") && { "X-Api-Key": key }),
    ...(method === "POST" && { "Content-Length": String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([
    Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n"), "latin1"),
    Buffer.from(body),
  ]);
}

/** Linux counts hundredths of a second. */
const TICK_MS = 10;

/** Milliseconds of CPU that the processes of a group have taken. */
function cpuOf(group: number): number {
  const ticks = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        // After the name, which is in brackets: state, parent, group, …, user and system time at the places 11 and 12.
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(fields[2]) === group ? Number(fields[11]) + Number(fields[12]) : 0;
      } catch {
        // It has ended meanwhile.
        return 0;
      }
    });
  return TICK_MS * ticks.reduce((sum, one) => sum + one, 0);
}
