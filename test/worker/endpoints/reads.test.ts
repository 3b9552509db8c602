/** What each route reads of R2 and KV at most, also for requests that end in an error. Source: docs/operating.md#what-a-request-reads. */

import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { DISTRIBUTION_FIELDS } from "../../../data-schema/registry/distributions.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { TOOLS } from "../../../worker/mcp/tools.ts";
import { ROUTES } from "../../../worker/service.ts";
import { countingKeys, failingBucket, readingBucket, recordingBucket } from "../bindings.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, mark, publish } from "../token.ts";

const START = at("2025-03-01");
const SPAN = { name: "all", from: START, to: START + 100 * DAY };
let file = "";

const HOLDER = `0x${"0".repeat(39)}1`;
/** A user, and a contract that holds nothing any more. */
const ROWS = [10n ** 18n, 0n].map((balance, n) => ({
  ...{ address: `0x${"0".repeat(39)}${n + 1}`, label: n, balance, basis: 1 - n, since: START, sent: 2.5, cohorts: [] },
  ...{ firstEvent: START, lastEvent: START + DAY, realised: -1.5, receipts: 1, sends: 2 },
}));

beforeAll(async () => {
  await putKey();
  await env.BUCKET.put("damage", new Uint8Array(10_000));
  await mark(env.BUCKET, "GONE", null);
  await mark(env.BUCKET, "FORMER", "ONE");
  const publishToken = (symbol: string): Promise<Manifest> =>
    publish(env.BUCKET, {
      symbol,
      metrics: ["price", "sopr"],
      periods: { day: [SPAN] },
      range: { day: [START, START] },
      series: () => [{ t: START, v: 1 }],
      holders: {
        rows: ROWS,
        price: 1,
        days: [{ day: START, supply: 1n, largest: [[HOLDER, 1n]] }],
        groupRows: 1,
        // Which only assets of more than 10,000 addresses have.
        hasLists: symbol === "TWO",
      },
      transfers: [
        { time: START, block: 1, logIndex: 0, from: HOLDER, to: HOLDER, fromLabel: 0, toLabel: 1, price: 1, raw: 1n },
      ],
      distributions: () =>
        DISTRIBUTION_FIELDS.toSorted().map((field) => {
          return { selector: `${field}:total:0`, t: Float64Array.of(START), v: Float64Array.of(1) };
        }),
    });
  const { resolutions } = await publishToken("ONE");
  await publishToken("TWO");
  const { sopr } = resolutions.day!.periods[0]!.metrics;
  file = `day/sopr/all.${(sopr as { hash: string }).hash.slice(0, 32)}.parquet`;
});

/** What a store may be like. */
const STORES = {
  whole: () => env.BUCKET,
  damaged: () =>
    readingBucket(
      env.BUCKET,
      (_, options) => env.BUCKET.get("damage", options),
      () => true,
    ),
  down: () => failingBucket(env.BUCKET, () => true),
};

const INVENTED = Array.from({ length: 6 }, (_, i) => `X${i}.sopr`);
const ZEROS = `day/sopr/all.${"0".repeat(32)}.parquet`;

type Counts = readonly [kv: number, r2: number, troubled: number];

/** By what is asked: reads of KV, calls of R2, and those of R2 where the store is damaged or does not answer. */
const ASKED: Record<string, Counts> = {
  "/v1/metrics/sopr?a=ONE": [1, 2, 4],
  "/v1/metrics/sopr?a=NOBODY": [1, 3, 3],
  "/v1/metrics/none?a=ONE": [0, 0, 0],
  "/v3/series?a=ONE&m=sopr": [1, 2, 4],
  "/v3/series?a=ONE,TWO&m=sopr,price": [1, 7, 9],
  "/v3/series?a=NOBODY&m=sopr": [1, 3, 3],
  "/v3/series?a=ONE,NOBODY&m=sopr": [1, 1, 8],
  "/v3/series?a=ONE&m=none": [1, 0, 0],
  "/v3/series?a=ONE&m=sopr&build=0123456789abcdef": [1, 2, 4],
  "/v3/series?a=ONE&m=sopr&known=first": [1, 2, 4],
  "/v3/screener": [1, 1, 1],
  "/v3/holders?a=ONE": [1, 3, 4],
  "/v3/holders?a=TWO": [1, 4, 4],
  "/v3/holders?a=ONE&at=2025-03-01": [1, 2, 4],
  "/v3/holders?a=NOBODY": [1, 3, 3],
  [`/v3/holders/${HOLDER}?a=ONE`]: [1, 3, 4],
  [`/v3/holders/${HOLDER}?a=NOBODY`]: [1, 3, 3],
  [`/v3/holders/${HOLDER}?a=ONE,NOBODY`]: [1, 1, 8],
  [`/v3/holders/${HOLDER}`]: [1, 7, 9],
  "/v3/holders/none": [1, 0, 0],
  "/v3/transfers/largest?a=ONE": [1, 2, 4],
  "/v3/transfers/largest?a=ONE&s=2025-01-01&u=2025-03-31": [1, 2, 4],
  "/v3/transfers/largest?a=NOBODY": [1, 3, 3],
  "/v3/assets/ONE/events": [1, 1, 4],
  "/v3/assets/NOBODY/events": [1, 3, 3],
  "/v3/distributions/cost_basis?a=ONE": [1, 5, 4],
  "/v3/distributions/cost_basis?a=ONE&around=10": [1, 6, 4],
  "/v3/distributions/cost_basis?a=NOBODY": [1, 3, 3],
  "/v3/files/ONE": [1, 1, 4],
  "/v3/files/NOBODY": [1, 3, 3],
  "/v3/files/ONE/FILE": [1, 2, 11],
  [`/v3/files/ONE/${ZEROS}`]: [1, 4, 11],
  [`/v3/files/NOBODY/${ZEROS}`]: [1, 3, 9],
  "/v3/duckdb.sql?a=ONE": [1, 1, 4],
  "/v3/duckdb.sql?a=NOBODY": [1, 3, 3],
  "/udf/config": [1, 0, 0],
  "/udf/time": [1, 0, 0],
  "/udf/symbols?symbol=ONE:sopr": [1, 1, 4],
  "/udf/symbols?symbol=NOBODY:sopr": [1, 3, 3],
  "/udf/search?query=sopr": [1, 1, 1],
  "/udf/history?symbol=ONE:sopr": [1, 2, 4],
  "/udf/history?symbol=ONE:sopr&from=99999999998&to=99999999999": [1, 2, 4],
  "/udf/history?symbol=NOBODY:sopr": [1, 3, 3],
  "/v1/assets": [1, 3, 3],
  "/v3/assets": [1, 3, 3],
  "/v3/status": [1, 3, 3],
  "/health": [0, 3, 3],
  "/health?maxAge=30h": [0, 3, 3],
  "/v3/assets/ONE": [1, 2, 4],
  "/v3/assets/NOBODY": [1, 3, 3],
  "/v3/assets/GONE": [1, 3, 3],
  "/v3/assets/FORMER": [1, 4, 3],
  "/v3/series?a=GONE&m=sopr": [1, 3, 3],
  "/v3/series?a=FORMER&m=sopr": [1, 5, 3],
  "/v3/assets/ONE/builds": [1, 3, 4],
  "/v3/assets/NOBODY/builds": [1, 3, 3],
  "/v3/assets/ONE/changes": [1, 3, 4],
  "/v3/assets/NOBODY/changes": [1, 3, 3],
  "/v3/metrics": [1, 0, 0],
  "/v3/metrics/sopr": [1, 0, 0],
  "/v3/distributions": [1, 0, 0],
  "/v1/metrics": [1, 0, 0],
  "/v1/metrics/sopr/meta": [1, 0, 0],
  "/openapi.json": [1, 0, 0],
  "/llms.txt": [1, 0, 0],
  "/explorer.json": [1, 0, 0],
  "/problems/unknown-key": [1, 0, 0],
  "/problems/none": [0, 0, 0],
  "/": [0, 0, 0],
  "/boards/none": [0, 0, 0],
  "/holders/none": [0, 0, 0],
  "/docs/": [0, 0, 0],
  "/none": [0, 0, 0],
  // Tools of /mcp, with their arguments.
  "list_assets {}": [1, 3, 3],
  'find_metrics {"query":"sopr"}': [1, 0, 0],
  'describe_metric {"metric":"sopr"}': [1, 0, 0],
  'read_series {"assets":["ONE"],"metrics":["sopr"]}': [1, 2, 4],
  'read_series {"assets":["NOBODY"],"metrics":["sopr"]}': [1, 3, 3],
  'read_distribution {"asset":"ONE","distribution":"cost_basis"}': [1, 5, 4],
  'read_distribution {"asset":"ONE","distribution":"cost_basis","around":10}': [1, 6, 4],
  'read_distribution {"asset":"NOBODY","distribution":"cost_basis"}': [1, 3, 3],
  'read_holders {"asset":"ONE"}': [1, 3, 4],
  'read_holders {"asset":"NOBODY"}': [1, 3, 3],
  [`read_address {"address":"${HOLDER}"}`]: [1, 7, 9],
  'read_largest_transfers {"asset":"ONE"}': [1, 2, 4],
  'read_largest_transfers {"asset":"NOBODY"}': [1, 3, 3],
  'read_events {"asset":"ONE"}': [1, 1, 4],
  'read_events {"asset":"NOBODY"}': [1, 3, 3],
  "screen_assets {}": [1, 1, 1],
  'chart_link {"asset":"ONE","series":["sopr","TWO.sopr"]}': [1, 2, 4],
  'chart_link {"asset":"NOBODY","series":["sopr"]}': [1, 3, 3],
  [`chart_link {"asset":"ONE","series":${JSON.stringify(INVENTED)}}`]: [1, 2, 4],
};

/** The request that asks for it. */
function requestOf(asked: string): [path: string, init: RequestInit] {
  const own = { "X-Api-Key": KEY };
  if (asked.startsWith("/")) return [asked.replace("FILE", file), { headers: own }];
  const [name = ""] = asked.split(" ");
  const params = { name, arguments: JSON.parse(asked.slice(name.length)) };
  const headers = { ...own, "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return ["/mcp", { method: "POST", headers, body }];
}

/** What a request of an isolate that knows nothing reads. */
async function readsOf(asked: string, store: R2Bucket): Promise<[kv: number, r2: number]> {
  const { bucket, take } = recordingBucket(store);
  const { keys, reads } = countingKeys(env.KEYS);
  const client = freshIsolate({ bucket, keys });
  const response = await client.fetch(...requestOf(asked));
  await response.bytes().catch(() => {});
  await client.settled();
  return [reads(), take().length];
}

const logged = vi.spyOn(console, "log").mockImplementation(() => {});
const failures = vi.spyOn(console, "error").mockImplementation(() => {});
const routes = new Set<string>();
const tools = new Set<string>();
afterAll(() => {
  logged.mockRestore();
  failures.mockRestore();
});

it.each(Object.entries(ASKED))("%s", async (asked, [kv, r2, troubled]) => {
  expect(await readsOf(asked, STORES.whole())).toEqual([kv, r2]);
  for (const store of [STORES.damaged, STORES.down]) {
    const reads = await readsOf(asked, store());
    expect(reads[0]).toBe(kv);
    expect(reads[1]).toBeLessThanOrEqual(troubled);
  }
  for (const [line] of logged.mock.calls.splice(0)) {
    const { route, tool } = JSON.parse(line);
    routes.add(route || "/");
    if (tool !== undefined) tools.add(tool);
  }
});

it("these are all routes and tools", () => {
  expect([...routes].toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  expect([...tools].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
});
