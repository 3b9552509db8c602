/** `soprano probe`, against the real Worker, and against one whose answers were changed on their way. */

import { rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { originOf, type ProbePatience, probe, type Result } from "../../builder/probe/probe.ts";
import { newFolder } from "../folders.ts";
import { type RunningServer, serve, soprano, sopranoIn } from "./soprano.ts";

const folder = newFolder();
const persist = join(folder, "state");
const IMPATIENT: ProbePatience = {
  firstAnswer: { attempts: 2, firstMs: 1, longestMs: 1 },
  requestMs: 3000,
  totalMs: 60_000,
};
let worker: RunningServer;
let key = "";

interface Changeable {
  path: string;
  asked: IncomingHttpHeaders;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

let address = 0;

/** Runs `use` with the address of a server that passes everything on to the Worker, and changes its answers. */
async function between<T>(change: (answer: Changeable) => unknown, use: (url: string) => Promise<T>): Promise<T> {
  // The Worker counts each of them alone.
  const client = `192.0.2.${++address}`;
  const server: Server = createServer(({ url: path = "", headers: asked }, response) => {
    const headers = { ...asked, "cf-connecting-ip": client };
    const { hostname, port } = new URL(worker.url);
    const forwarded = request({ hostname, port, path, headers }, async (answered) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answered) chunks.push(chunk as Buffer);
      const { statusCode: status = 0, headers } = answered;
      const answer: Changeable = { path, asked, status, headers, body: Buffer.concat(chunks) };
      if ((await change(answer)) === "silence") return;
      delete answer.headers["transfer-encoding"];
      delete answer.headers["content-length"];
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    forwarded.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The results of a probe, up to that of the check `last`. */
async function resultsAt(url: string, last = "limits", given = key): Promise<Result[]> {
  const results: Result[] = [];
  for await (const result of probe(originOf(url), given || undefined, IMPATIENT)) {
    results.push(result);
    if (result.name === last) break;
  }
  return results;
}

beforeAll(async () => {
  const token = ["--out", join(folder, "token"), "--transfers", "2000", "--days", "60", "--symbol", "PRB"];
  expect(await soprano("simulate", ...token)).toMatchObject({ status: 0 });
  expect(await soprano("build", join(folder, "token", "asset.json"), "--persist", persist)).toMatchObject({
    status: 0,
  });
  key = (await soprano("keys", "create", "--name", "probe", "--persist", persist)).stdout.trim();
  worker = await serve(persist);
});

afterAll(async () => {
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const NAMES = ["health", "explorer", "caching", "compression", "keys", "redirects", "series", "https", "limits"];

describe("the Worker as it is", () => {
  it("passes every check, a line each", async () => {
    const { status, stdout, stderr } = await between(
      () => {},
      (url) => sopranoIn({ SOPRANO_KEY: key }, "probe", url),
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(/ +/).slice(0, 2))).toEqual(NAMES.map((name) => ["ok", name]));
    expect(lines[0]).toMatch(/version \S+, 1 asset, the oldest as of [\d,]+ hours? ago$/);
    expect(lines[6]).toMatch(/series +60 points, and 304 when they are known; "standard";q=600;w=60$/);
    expect(stdout).not.toContain(key);
  });

  it("skips what needs a key if there is none", async () => {
    const results = await between(
      () => {},
      (url) => resultsAt(url, "limits", ""),
    );
    expect(results.filter(({ outcome }) => outcome !== "ok")).toEqual([
      { name: "series", outcome: "skipped", detail: "needs a key: give --key, or set SOPRANO_KEY" },
    ]);
  });
});

/** The check that fails, what changes the answer, and what the check says. */
const WRONG: [check: string, what: string, change: (answer: Changeable) => unknown, detail: RegExp][] = [
  ["health", "is an error", at("/health", { status: 503 }), /^\/health answered 503 instead of 200\.$/],
  ["health", "is a page", at("/health", { body: "<html>" }), /^\/health is not JSON, /],
  ["health", "is another's", at("/health", { body: "{}" }), /^\/health is not that of Soprano/],
  ["explorer", "is missing", at("/", { status: 404 }), /^\/ answered 404 instead of 200/],
  ["explorer", "loads anything", at("/", { headers: { "content-security-policy": undefined } }), /without Content-Sec/],
  ["explorer", "has no settings", at("/explorer.json", { body: "null" }), /^\/explorer\.json is not that of Soprano/],
  ["caching", "is off", at("/openapi.json", { headers: { "cache-control": "no-store" } }), /Cache-Control: no-store/],
  ["caching", "knows no tags", at("/v1/assets", { status: 200 }), /answered 200 instead of 304/],
  ["caching", "never ends", at("/v1/assets", "silence"), /no complete answer within 3 seconds/],
  [
    "compression",
    "is missing",
    at("/openapi.json", { body: "{}", headers: { "content-encoding": undefined } }),
    /^\/openapi\.json answered 200 without Content-Encoding\.$/,
  ],
  ["keys", "are not needed", whereUnkeyed({ status: 200 }), /answered 200 instead of 401/],
  [
    "keys",
    "are asked for without a challenge",
    whereUnkeyed({ headers: { "www-authenticate": undefined } }),
    /without WWW/,
  ],
  [
    "redirects",
    "repeat a query",
    (answer) => {
      if (!answer.path.startsWith("/docs/?")) return;
      answer.status = 307;
      answer.headers.location = answer.path.replace("/docs/", "/docs");
    },
    /^\/docs\/ redirects with its query, which may hold a key\.$/,
  ],
  [
    "series",
    "has texts for values",
    at("/v1/metrics/supply?a=PRB", { body: '[{"t":"2025","v":"1"}]' }),
    /other than \{t, v\}/,
  ],
  [
    "series",
    "is refused",
    at("/v1/metrics/supply?a=PRB", { status: 429 }),
    /answered 429 instead of 200: .* 60 seconds/,
  ],
  [
    "limits",
    "are missing",
    (answer) => {
      if (answer.status === 429) answer.status = 401;
    },
    /^360 requests without a key got no 429: /,
  ],
];

type Other = Partial<Pick<Changeable, "status">> & { headers?: IncomingHttpHeaders; body?: string };

function changed(answer: Changeable, { status, headers = {}, body }: Other): void {
  answer.status = status ?? answer.status;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) delete answer.headers[name];
    else answer.headers[name] = value as string;
  }
  if (body === undefined) return;
  answer.body = Buffer.from(body);
  delete answer.headers["content-encoding"];
}

function at(path: string, other: Other | "silence") {
  return (answer: Changeable) => {
    if (answer.path !== path) return undefined;
    if (other === "silence") return other;
    return changed(answer, other);
  };
}

function whereUnkeyed(other: Other) {
  return (answer: Changeable) => {
    if (answer.status === 401) changed(answer, other);
  };
}

describe("a Worker that does it wrong", () => {
  it.each(WRONG)("%s: %s", async (check, _, change, detail) => {
    const result = (await between(change, (url) => resultsAt(url, check))).at(-1);
    expect(result).toEqual({ name: check, outcome: "failed", detail: expect.stringMatching(detail) });
  });

  it("ends the command with 1", async () => {
    const { status, stdout, stderr } = await between(at("/", { status: 404 }), (url) =>
      soprano("probe", url, "--key", key),
    );
    expect([status, stderr]).toEqual([1, "soprano: 1 of 9 checks failed: see above.\n"]);
    expect(stdout).toMatch(/^FAILED +explorer +\/ answered 404 instead of 200\.$/m);
  });

  it("can't make it print the key", async () => {
    const repeat = (answer: Changeable) => {
      const given = String(answer.asked["x-api-key"] ?? "").toUpperCase();
      const headers = { "cache-control": `max-age=${given}`, "ratelimit-policy": given, location: `/${given}` };
      if (given !== "") changed(answer, { headers });
    };
    const { stdout, stderr } = await between(repeat, (url) => soprano("probe", url, "--key", key));
    expect(stdout).toMatch(/^FAILED +series .*max-age=…/m);
    expect((stdout + stderr).toLowerCase()).not.toContain(key);
  });

  it("that is not there is named in one sentence", async () => {
    const gone = await between(
      () => {},
      async (url) => url,
    );
    await expect(resultsAt(gone)).rejects.toThrow(`${gone} can't be reached (ECONNREFUSED): check the address`);
  });
});

describe("a wrong address or key is refused without repeating it:", () => {
  const SECRET = "5ecre7";
  it.each([
    [[`https://metrics.example.com/?api_key=${SECRET}`], /must be that of a Worker and nothing more/],
    [[`https://${SECRET}@metrics.example.com`], /must be that of a Worker and nothing more/],
    [[SECRET], /must be that of a Worker and nothing more/],
    [["http://metrics.example.com", "--key", "00000000-0000-4000-8000-000000000000"], /must begin with https/],
    [["https://metrics.example.com", "--key", SECRET], /The key is not one of Soprano/],
  ])("%j", async (args, sentence) => {
    const { status, stdout, stderr } = await soprano("probe", ...args);
    expect([status, stdout, stderr]).toEqual([1, "", expect.stringMatching(sentence)]);
    expect(stderr).not.toContain(SECRET);
  });
});
