/** `soprano keys usage` against a stand-in for Analytics Engine's SQL API, by its documentation. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { formatUsage, readUsage, type Usage, unusualUsage, usageOf, usageSql } from "../../builder/store/key-usage.ts";
import { readWranglerToml } from "../../builder/store/wrangler.ts";
import { USAGE_DATASET } from "../../data-schema/access/usage.ts";
import { sopranoIn } from "../commands/soprano.ts";

const TOKEN = "token-of-an-operator";
const NOW = Date.parse("2026-11-22T15:04:05Z");

/** Data points as the dataset has them: the time, the index, how many each stands for, and its doubles. */
const POINTS = [
  { timestamp: "2026-11-15 23:59:59", index1: "5d0c2f1a", interval: 1, doubles: [1, 10, 100] },
  { timestamp: "2026-11-16 00:00:00", index1: "5d0c2f1a", interval: 1, doubles: [1, 1095, 55_384] },
  { timestamp: "2026-11-16 12:00:00", index1: "5d0c2f1a", interval: 10, doubles: [1, 3, 70] },
  { timestamp: "2026-11-22 09:00:00", index1: "0b7e4c1e", interval: 1, doubles: [1, 0, 0] },
];

let api: Server;
let environment: Record<string, string>;
let asked: string[] = [];
let isDeployed = true;

beforeAll(async () => {
  api = createServer(async (request, response) => {
    const sql = await text(request);
    asked.push(`${request.method} ${request.url} ${sql}`);
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`;
    const isThere = request.url === "/accounts/account/analytics_engine/sql" && isDeployed;
    const [status, body] = !isAllowed
      ? [403, { success: false, errors: [{ code: 10000, message: "Authentication error" }] }]
      : isThere
        ? [200, { meta: [], data: sums(sql), rows: 0 }]
        : [404, { errors: [] }];
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => api.listen(0, "127.0.0.1", listening));
  environment = {
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  };
});
beforeEach(() => {
  asked = [];
  isDeployed = true;
});
afterAll(() => {
  api.close();
});

/** What the engine answers: it reads the time and the key from the query, and adds up by its intervals. */
function sums(sql: string): Usage[] {
  const [, since = ""] = /toDateTime\('([^']+)'\)/.exec(sql) ?? [];
  const [, key] = /index1 = '([^']+)'/.exec(sql) ?? [];
  const found = new Map<string, Usage>();
  for (const { timestamp, index1, interval, doubles } of POINTS) {
    if (timestamp < since || (key !== undefined && index1 !== key)) continue;
    const day = timestamp.slice(0, 10);
    const sum = found.get(day + index1) ?? { day, key: index1, requests: 0, points: 0, bytes: 0 };
    sum.requests += interval * doubles[0]!;
    sum.points += interval * doubles[1]!;
    sum.bytes += interval * doubles[2]!;
    found.set(day + index1, sum);
  }
  return [...found.values()];
}

it("adds up the data points of whole days, each as many times as it stands for", async () => {
  expect(await readUsage(7, null, environment, NOW)).toEqual([
    { day: "2026-11-16", key: "5d0c2f1a", requests: 11, points: 1125, bytes: 56_084 },
    { day: "2026-11-22", key: "0b7e4c1e", requests: 1, points: 0, bytes: 0 },
  ]);
  expect(await readUsage(1, null, environment, NOW)).toHaveLength(1);
  expect(await readUsage(7, "0b7e4c1e", environment, NOW)).toHaveLength(1);
  expect(asked[0]).toMatch(/^POST \/accounts\/account\/analytics_engine\/sql SELECT /);
});

it("asks in the engine's SQL, and lets no id out of its quotes", () => {
  expect(usageSql(Date.parse("2026-11-16T00:00:00Z"), "5d0c2f1a")).toBe(
    "SELECT formatDateTime(timestamp, '%Y-%m-%d') AS day, index1 AS key, SUM(_sample_interval * double1) AS requests, SUM(_sample_interval * double2) AS points, SUM(_sample_interval * double3) AS bytes " +
      "FROM soprano_usage WHERE timestamp >= toDateTime('2026-11-16 00:00:00') AND index1 = '5d0c2f1a' GROUP BY day, key ORDER BY day, key FORMAT JSON",
  );
  for (const id of ["", "a'", "a b", "a' OR 1=1 --", "ä"]) expect(() => usageSql(0, id)).toThrow("not the id of a key");
});

it("is a table with the names of the keys", () => {
  const usage = [
    { day: "2026-11-16", key: "5d0c2f1a", requests: 1100, points: 1_125_000, bytes: 56_084.4 },
    { day: "2026-11-22", key: "0b7e4c1e", requests: 1, points: 0, bytes: 0 },
  ];
  const record = { id: "5d0c2f1a", name: "Alice, research", status: "active", created: "2026-01-01" } as const;
  expect(formatUsage(usage, [record])).toBe(
    [
      "day         id        requests     points   bytes  name",
      "2026-11-16  5d0c2f1a     1,100  1,125,000  56,084  Alice, research",
      "2026-11-22  0b7e4c1e         1          0       0",
    ].join("\n"),
  );
});

it("is refused in a sentence that has no token", async () => {
  const failure = (changes: Record<string, string>) =>
    readUsage(7, null, { ...environment, ...changes }, NOW).then(
      () => "",
      ({ message }: Error) => message,
    );
  expect(await failure({ CLOUDFLARE_API_TOKEN: "wrong" })).toBe(
    "Cloudflare refused (403, Authentication error): check that CLOUDFLARE_API_TOKEN may read Account Analytics, and that the deployed Worker has answered requests with a key.",
  );
  expect(await failure({ CLOUDFLARE_API_TOKEN: "" })).toMatch(/^soprano keys usage needs CLOUDFLARE_ACCOUNT_ID and/);
  expect(await failure({ CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:1" })).toMatch(
    /^Cloudflare's API can't be reached/,
  );
  isDeployed = false;
  expect(await failure({})).toMatch(/^The account has counted nothing yet/);
});

it("is JSON on the command line, for at most 90 days", async () => {
  const { status, stdout } = await sopranoIn(environment, "keys", "usage", "--days", "90", "--json");
  expect([status, JSON.parse(stdout)]).toEqual([0, expect.any(Array)]);
  expect(await sopranoIn(environment, "keys", "usage", "--days", "91")).toMatchObject({ status: 2 });
  expect(await sopranoIn(environment, "keys", "usage", "--key", "a'b")).toMatchObject({
    status: 1,
    stderr: "soprano: It is not the id of a key, as `soprano keys list --remote` shows it.\n",
  });
});

it("asks for the dataset that wrangler.toml names", async () => {
  const { analytics_engine_datasets } = await readWranglerToml();
  expect(analytics_engine_datasets).toEqual([{ binding: "USAGE", dataset: USAGE_DATASET }]);
});

const used = (key: string, ...requests: number[]): Usage[] =>
  requests.map((n, index) => ({ day: `2026-11-${10 + index}`, key, requests: n, points: 0, bytes: 0 }));

it("tells of a key that used over ten times its usual, and of no other", () => {
  const records = [{ id: "aa", name: "Alice", status: "active" as const, created: "2026-01-01" }];
  // The usual day of 80, 120, 100 is 100.
  expect(unusualUsage(used("aa", 80, 120, 100, 1001), records)).toEqual([
    "Key aa (Alice) made 1,001 requests on 2026-11-13, over ten times its usual 100 a day.",
  ]);
  expect(unusualUsage(used("bb", 80, 120, 100, 1000), records)).toEqual([]);
  // Too few days, and too few requests, say nothing.
  expect(unusualUsage([...used("cc", 1, 1, 10_000), ...used("dd", 1, 1, 1, 99)], records)).toEqual([]);
  expect(unusualUsage([...used("ee", 5, 5, 5, 200), ...used("ff", 200, 200, 200, 200)], [])).toHaveLength(1);
});

it("finds a key by the first digits of its id, if they are one's", () => {
  const all = [...used("5d0c2f1a", 1, 2), ...used("5d99aaaa", 3), ...used("0b7e4c1e", 4)];
  expect(usageOf(all, "5D0").map(({ requests }) => requests)).toEqual([1, 2]);
  expect(usageOf(all, "ff")).toEqual([]);
  expect(() => usageOf(all, "5d")).toThrow("2 keys have ids that begin with 5d: 5d0c2f1a, 5d99aaaa. Name one of them.");
});
