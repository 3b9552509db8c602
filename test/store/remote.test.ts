/** `soprano keys --remote` against a stand-in for Cloudflare's API. */

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Environment } from "../../builder/store/cloudflare.ts";
import { remoteKeys } from "../../builder/store/remote.ts";
import type { KeyStore } from "../../builder/store/store.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "../../builder/store/stored-keys.ts";
import { API_KEY_PREFIX, apiKeyName } from "../../data-schema/access/api-keys.ts";
import { soprano } from "../commands/soprano.ts";

const NAMESPACE = "0123456789abcdef0123456789abcdef";
const TOKEN = "token-of-an-operator";
const BASE = `/accounts/account/storage/kv/namespaces/${NAMESPACE}`;
/** Names on a page of the list, so that there is more than one. */
const PAGE = 7;

/** What the namespace holds. */
const kv = new Map<string, string>();
let api: Server;
let environment: Environment;
let remote: KeyStore;
let requests: string[] = [];

beforeAll(async () => {
  api = createServer((request, response) => {
    standIn(request).then(([status, body]) => response.writeHead(status).end(body));
  });
  await new Promise<void>((listening) => api.listen(0, "127.0.0.1", listening));
  environment = {
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  };
  remote = remoteKeys(NAMESPACE, environment);
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  api.close();
});

const ok = (result: unknown, info = {}) => JSON.stringify({ success: true, errors: [], result, result_info: info });
const failed = (message: string) => JSON.stringify({ success: false, errors: [{ code: 1, message }], result: null });

/** What Cloudflare's API answers: values as they are, everything else in an envelope. */
async function standIn(request: IncomingMessage): Promise<[status: number, body: string]> {
  const body = await text(request);
  const { pathname, searchParams } = new URL(request.url!, "http://localhost");
  requests.push(`${request.method} ${request.url} ${body}`);
  if (pathname.startsWith("/portal/")) return [200, "<!doctype html><title>Sign in</title>"];
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return [403, failed("Authentication error")];
  if (!pathname.startsWith(`${BASE}/`)) return [404, failed("namespace not found")];
  const [kind, name = ""] = pathname
    .slice(BASE.length + 1)
    .split("/")
    .map(decodeURIComponent);
  if (kind === "keys") {
    const names = [...kv.keys()].filter((found) => found.startsWith(searchParams.get("prefix")!)).sort();
    const start = Number(searchParams.get("cursor") ?? 0);
    const cursor = start + PAGE < names.length ? String(start + PAGE) : "";
    return [
      200,
      ok(
        names.slice(start, start + PAGE).map((found) => ({ name: found })),
        { cursor },
      ),
    ];
  }
  if (kind === "bulk") {
    const { keys } = JSON.parse(body) as { keys: string[] };
    if (keys.length > 100) return [400, failed("too many keys")];
    return [200, ok({ values: Object.fromEntries(keys.map((key) => [key, kv.get(key) ?? null])) })];
  }
  if (request.method === "PUT") {
    kv.set(name, body);
    return [200, ok(null)];
  }
  const value = kv.get(name);
  return value === undefined ? [404, failed("key not found")] : [200, value];
}

it("makes, lists, rotates and revokes keys, and never sends one", async () => {
  const made = await createKey(remote, { name: "alice", plan: "free" });
  const record = JSON.parse(kv.get(await apiKeyName(made.key))!);
  expect(record).toMatchObject({ id: made.id, name: "alice", plan: "free", status: "active" });
  expect(await remote.get(await apiKeyName(made.key))).toBe(JSON.stringify(record));
  expect(await remote.get(`${API_KEY_PREFIX}none`)).toBeUndefined();

  const rotated = await rotateKey(remote, made.id, 0);
  const [old, replacement] = (await listKeys(remote)).records;
  expect(old).toMatchObject({ id: made.id, status: "revoked" });
  expect(replacement).toMatchObject({ id: rotated.id, name: "alice", plan: "free", status: "active" });
  await revokeKey(remote, rotated.id);
  expect(Array.from(kv.values(), (stored) => JSON.parse(stored))).toMatchObject([
    { status: "revoked" },
    { status: "revoked" },
  ]);
  for (const request of requests) {
    expect(request).not.toContain(made.key);
    expect(request).not.toContain(rotated.key);
  }
});

it("lists more keys than Cloudflare lists or reads at once", async () => {
  const names = Array.from({ length: 230 }, (_, i) => `key-${String(i).padStart(3, "0")}`);
  for (const name of names) await createKey(remote, { name });
  const listed = (await listKeys(remote)).records.map(({ name }) => name);
  expect(listed.filter((name) => name.startsWith("key-")).sort()).toEqual(names);
  expect(requests.filter((request) => request.includes("/bulk/get")).length).toBe(3);
});

it("a record that cannot be read stands in nobody's way", async () => {
  const { id } = await createKey(remote, { name: "hand" });
  const broken = ["", "{", "null", "[]", '{"id":"k1"}', JSON.stringify({ id, name: "hand", status: "paused" })];
  const names = broken.map((text, i) => {
    kv.set(`${API_KEY_PREFIX}${i}`, text);
    return `${API_KEY_PREFIX}${i}`;
  });
  const { records, unreadable } = await listKeys(remote);
  expect(unreadable).toEqual(names);
  expect(records.filter((record) => record.id === id)).toMatchObject([{ status: "active" }]);
  await revokeKey(remote, (await rotateKey(remote, id, 0)).id);
  expect((await listKeys(remote)).records.filter(({ name }) => name === "hand")).toMatchObject([
    { status: "revoked" },
    { status: "revoked" },
  ]);
  for (const [i, name] of names.entries()) {
    expect(kv.get(name)).toBe(broken[i]);
    kv.delete(name);
  }
});

describe("is refused in a sentence", () => {
  it.each([
    [
      "a token that may not",
      NAMESPACE,
      { CLOUDFLARE_API_TOKEN: "wrong" },
      /^Cloudflare refused \(403, Authentication error\)/,
    ],
    ["another account", NAMESPACE, { CLOUDFLARE_ACCOUNT_ID: "other" }, /^The account has no KV namespace 0123/],
    [
      "no way to Cloudflare",
      NAMESPACE,
      { CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:1" },
      /^Cloudflare's API can't be/,
    ],
    [
      "a page to sign in at",
      NAMESPACE,
      { CLOUDFLARE_API_BASE_URL: "PORTAL" },
      /^The answer is not from Cloudflare's API/,
    ],
    ["no token", NAMESPACE, { CLOUDFLARE_API_TOKEN: "" }, /^--remote needs .*CLOUDFLARE_API_TOKEN/],
    ["no account", NAMESPACE, { CLOUDFLARE_ACCOUNT_ID: undefined }, /^--remote needs CLOUDFLARE_ACCOUNT_ID/],
    ["the namespace of the example", "0".repeat(32), {}, /^wrangler\.toml has no id .*kv namespace create KEYS/],
  ])("%s", async (_, namespace, changes, sentence) => {
    const given: Environment = { ...environment, ...changes };
    const base = given.CLOUDFLARE_API_BASE_URL === "PORTAL" ? `${environment.CLOUDFLARE_API_BASE_URL}/portal` : null;
    const use = async () => listKeys(remoteKeys(namespace, base ? { ...given, CLOUDFLARE_API_BASE_URL: base } : given));
    const failure = await use().then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure).toMatchObject({ name: "Failure", message: expect.stringMatching(sentence) });
    expect(failure!.message).not.toContain(TOKEN);
    expect(failure!.message).not.toContain("wrong");
  });

  it("by the command line, too", async () => {
    expect(await soprano("keys", "list", "--remote")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^soprano: wrangler\.toml has no id for the namespace KEYS yet: .*\n$/),
    });
    expect(await soprano("keys", "list", "--remote", "--persist", "state")).toMatchObject({ status: 2 });
  });
});
