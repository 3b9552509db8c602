/**
 * Raw requests to a running `soprano serve`: nothing comes back but a declared answer, or, to what is no request of a
 * URL, a documented one of the server in front; and no byte of any answer or log line holds a key or an internal path.
 */

import fc from "fast-check";
import { PROJECT } from "../../builder/store/places.ts";
import type { Attack, Target } from "./attack.ts";
import { Declarations, decoded } from "./declared.ts";
import { exchange, parseAnswers, type RawAnswer } from "./raw-http.ts";
import { bytesOf, type Keys, PAGES, type RawRequest, rawRequest } from "./request-grammar.ts";
import { type ServedToken, serveToken } from "./served-token.ts";
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
  readonly #served: ServedToken;
  readonly #declarations: Declarations;
  /** What no byte of an answer, or of the server's log, may hold. */
  readonly #secrets: { keys: readonly string[]; paths: readonly string[] };
  /** Bodies by strong entity tag: equal tags promise equal bytes. */
  readonly #bodies = new Map<string, Buffer>();
  #log = "";

  private constructor(served: ServedToken, declarations: Declarations, keys: Keys) {
    this.#served = served;
    this.#declarations = declarations;
    const paths = [PROJECT, served.folder, "node_modules/"];
    this.#secrets = { keys: [keys.good, ...keys.others.filter((key) => key.length > 20)], paths };
    const connection = fc.record({
      requests: fc.array(rawRequest(keys), { minLength: 1, maxLength: 3, size: "-1" }),
      cuts: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(share, { maxLength: 3 })),
    });
    this.cases = fc.record({ connections: fc.array(connection, { minLength: 1, maxLength: 12, size: "max" }) });
    served.onLog((text) => {
      this.#log += text;
    });
  }

  static async open(): Promise<Requests> {
    const served = await serveToken("HTTP");
    const { url, key: good, revoked } = served;
    const others = [revoked, good.toUpperCase(), crypto.randomUUID(), "demo", "", "x".repeat(60)];
    const response = await fetch(new URL("/openapi.json", url));
    return new Requests(served, new Declarations((await response.json()) as never), { good, others });
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
    const bytes = await exchange(this.#served.port, Buffer.concat(pieces), cuts, firstOdd >= 0);
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

  close(): Promise<void> {
    return this.#served.close();
  }
}

const isPage = (path: string, status: number) =>
  (PAGES.includes(path) || path.startsWith("/static/")) && PAGE_STATUSES.includes(status);
