/**
 * Raw requests to a running `soprano serve`: nothing comes back but a declared answer, or, to what is no request of a
 * URL, a documented one of the server in front; and no byte of any answer or log line holds a key or an internal path.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { build } from "../../builder/build/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { createKey, revokeKey } from "../../builder/store/api-keys.ts";
import { openLocalState } from "../../builder/store/local.ts";
import { PROJECT } from "../../builder/store/wrangler.ts";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";
import { start } from "../soprano-process.ts";
import type { Attack, Target } from "./attack.ts";
import { Declarations, decoded } from "./declared.ts";
import { exchange, parseAnswers, type RawAnswer } from "./raw-http.ts";
import { bytesOf, type Keys, PAGES, type RawRequest, rawRequest } from "./request-grammar.ts";
import { share } from "./share.ts";

export const requests: Attack = {
  name: "requests",
  unit: "raw requests",
  open: () => Requests.open(),
};

/** Connections at once, each with requests one after the other. */
interface Case {
  connections: { requests: RawRequest[]; cuts: readonly number[] }[];
}

/** What the pages answer with. Source: docs/api.md#responses. */
const PAGE_STATUSES = [200, 204, 304, 307, 308, 404, 405];
/** What the server in front of the Worker, or a page, answers to what is no request. */
const FRONT_STATUSES = [400, 414, 415, 500, 501, ...PAGE_STATUSES];

class Requests implements Target<Case> {
  readonly cases: fc.Arbitrary<Case>;
  readonly #folder: string;
  readonly #server: ChildProcess;
  readonly #port: number;
  readonly #declarations: Declarations;
  /** What no byte of an answer, or of the server's log, may hold. */
  readonly #secrets: { keys: readonly string[]; paths: readonly string[] };
  /** Bodies by strong entity tag: equal tags promise equal bytes. */
  readonly #bodies = new Map<string, Buffer>();
  #log = "";

  private constructor(folder: string, server: ChildProcess, url: URL, declarations: Declarations, keys: Keys) {
    this.#folder = folder;
    this.#server = server;
    this.#port = Number(url.port);
    this.#declarations = declarations;
    const paths = [PROJECT, folder, "node_modules/"];
    this.#secrets = { keys: [keys.good, ...keys.others.filter((key) => key.length > 20)], paths };
    const connection = fc.record({
      requests: fc.array(rawRequest(keys), { minLength: 1, maxLength: 3, size: "-1" }),
      cuts: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(share, { maxLength: 3 })),
    });
    this.cases = fc.record({ connections: fc.array(connection, { minLength: 1, maxLength: 12, size: "max" }) });
    for (const stream of [server.stdout!, server.stderr!]) stream.on("data", (text) => (this.#log += text)).resume();
  }

  static async open(): Promise<Requests> {
    const folder = newFolder();
    const token = await simulate({ out: `${folder}/token`, seed: 9, transfers: 1_000, days: 60, symbol: "HTTP" });
    const persist = `${folder}/state`;
    const state = await openLocalState(persist);
    await build(variant(token.assetPath, "hostile.json", {}), state.objects, {
      threads: 1,
      progress: silentProgress(),
    });
    const { key: good } = await createKey(state.keys, { name: "good", plan: "unlimited" });
    const revoked = await createKey(state.keys, { name: "revoked" });
    await revokeKey(state.keys, revoked.id);
    await state.close();
    const others = [revoked.key, good.toUpperCase(), crypto.randomUUID(), "demo", "", "x".repeat(60)];
    const server = start(["serve", "--port", "0", "--persist", persist], { detached: true });
    const url = new URL(await firstUrl(server));
    const response = await fetch(new URL("/openapi.json", url));
    return new Requests(folder, server, url, new Declarations((await response.json()) as never), { good, others });
  }

  async attempt({ connections }: Case): Promise<number> {
    const counts = await Promise.all(connections.map((connection) => this.#connect(connection)));
    this.#expectNoSecret(Buffer.from(this.#log), "the log", []);
    this.#log = "";
    return counts.reduce((sum, count) => sum + count);
  }

  async #connect({ requests, cuts }: Case["connections"][number]): Promise<number> {
    const pieces = requests.map((request, index) => bytesOf(request, index === requests.length - 1));
    // After an odd one, nothing tells where the next begins.
    const firstOdd = requests.findIndex(({ isOdd }) => isOdd);
    const clear = firstOdd < 0 ? requests.length : firstOdd;
    const bytes = await exchange(this.#port, Buffer.concat(pieces), cuts, firstOdd >= 0);
    // The server in front shows its own stack for a request that is none.
    this.#expectNoSecret(bytes, "an answer", firstOdd >= 0 ? [] : this.#secrets.paths);
    const answers = parseAnswers(
      bytes,
      requests.map(({ method }) => method),
      clear,
    );
    if (answers.length < clear) throw new Error(`${answers.length} answers to ${clear} requests`);
    for (const [index, answer] of answers.entries()) this.#expectAllowed(requests[index], answer, index >= clear);
    return requests.length;
  }

  #expectAllowed(request: RawRequest | undefined, answer: RawAnswer, isOdd: boolean): void {
    const { status, headers } = answer;
    // The Worker resolves dots.
    const path = URL.parse(`http://localhost${request?.target}`)?.pathname ?? "";
    const told = `${request?.method} ${request?.target.slice(0, 200)}: ${status}`;
    const location = headers.get("location");
    if (location?.includes("?")) throw new Error(`${told} redirects with its query, to ${location}`);
    if (isPage(path, status)) return;
    if (headers.has("x-request-id")) {
      try {
        this.#declarations.check(isOdd ? "GET" : request!.method, path, answer);
      } catch (error) {
        if (!isOdd) throw new Error(`${told}: ${(error as Error).message}`);
      }
      if (!isOdd && request!.method !== "HEAD") this.#expectSame(answer, told);
    } else if (!isOdd) throw new Error(`${told} is not the Worker's: ${answer.body.toString("latin1", 0, 200)}`);
    else if (!FRONT_STATUSES.includes(status))
      throw new Error(`${told} is not documented: ${answer.body.toString("latin1", 0, 200)}`);
  }

  /** Two answers with one strong tag have the same bytes. */
  #expectSame(answer: RawAnswer, told: string): void {
    const tag = answer.headers.get("etag");
    if (answer.status !== 200 || tag === undefined) return;
    const body = decoded(answer);
    const before = this.#bodies.get(tag);
    if (before !== undefined && Buffer.compare(before, body) !== 0) throw new Error(`${told}: two answers with ${tag}`);
    this.#bodies.set(tag, body);
  }

  #expectNoSecret(bytes: Buffer, where: string, paths: readonly string[]): void {
    const text = bytes.toString("latin1").toLowerCase();
    for (const secret of [...this.#secrets.keys, ...paths]) {
      const at = text.indexOf(secret.toLowerCase());
      if (at >= 0) throw new Error(`${where} holds ${secret}: … ${text.slice(Math.max(0, at - 300), at + 100)}`);
    }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.kill("SIGINT");
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const isPage = (path: string, status: number) =>
  (PAGES.includes(path) || path.startsWith("/static/")) && PAGE_STATUSES.includes(status);

async function firstUrl(server: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: server.stdout! })) {
    const [url] = line.match(/http:\/\/\S+/) ?? [];
    if (url) return url;
  }
  throw new Error("soprano serve ended before it listened");
}
