/** The client against the Worker, on workerd; and the package, as Node and as a Worker load it. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tableFromIPC } from "apache-arrow";
import { build as bundle } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Client, createClient, type V1Metric } from "../../../clients/typescript/src/client.ts";
import { type Faulty, startFaulty } from "../faulty.ts";
import { type Served, serveTokens } from "../served.ts";
import { installClient } from "./package.ts";

let served: Served;
let front: Faulty;
let soprano: Client;

beforeAll(async () => {
  served = await serveTokens();
  front = await startFaulty(served.url);
});
afterAll(async () => {
  await front?.close();
  await served?.close();
});
beforeEach(() => {
  Object.assign(front, { faults: [], asked: [] });
  soprano = createClient({ url: front.url, key: served.key });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The data of an answer that is no error. */
async function dataOf<T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await answer;
  expect(error).toBeUndefined();
  return data!;
}

it("lists the largest transfers of some days, and the calendar", async () => {
  const { transfers } = await dataOf(soprano.largestTransfers({ a: "ARIA", s: "-1d" }));
  const days = Map.groupBy(transfers, ({ t }) => t.slice(0, 10));
  expect(days.size).toBe(2);
  for (const ofDay of days.values()) {
    expect(ofDay.map(({ dollars }) => dollars)).toEqual(ofDay.map(({ dollars }) => dollars).toSorted((a, b) => b - a));
  }
  expect((await dataOf(soprano.events("ARIA"))).events).toEqual([]);
});

it("lists holders, the largest of a day, and finds an address in every asset", async () => {
  const { holders } = await dataOf(soprano.holders({ a: "ARIA", sort: "unrealised_profit", order: "asc", limit: 3 }));
  expect(holders).toHaveLength(3);
  expect(holders[0]!.unrealised_profit).toBeLessThan(holders[2]!.unrealised_profit);
  const { at, holders: largest } = await dataOf(soprano.holders({ a: "ARIA", at: "-1d", limit: 5 }));
  expect([at, largest.length]).toEqual(["2025-12-30T00:00:00", 5]);
  const { address } = holders[0]!;
  const found = await dataOf(soprano.address(address, { a: ["ARIA", "DUET"] }));
  expect(found.holders.find(({ asset }) => asset === "ARIA")).toMatchObject(holders[0]!);
  expect((await dataOf(soprano.address(`0x${"0".repeat(40)}`))).holders).toEqual([]);
});

describe("series", () => {
  it("has the points of version 1, on one time line", async () => {
    const table = await dataOf(
      soprano.series({ a: ["ARIA", "DUET"], m: ["sopr", "supply"], c: ["total", "$100-1k"], s: "-90d" }),
    );
    expect(table.series.map(({ asset, metric, selector }) => `${asset}:${metric}:${selector}`)).toHaveLength(8);
    for (const { asset, metric, selector, v } of table.series) {
      const query = { a: asset, c: selector as "total", s: table.t[0]! };
      const points = await dataOf(soprano.GET(`/v1/metrics/${metric as "sopr"}`, { params: { query } }));
      const cells = table.t.map((t, row) => ({ t, v: v[row] })).filter(({ v }) => v !== null);
      expect(cells).toEqual(points);
    }
  });

  it("has formulas, and rows of them", async () => {
    const query = {
      a: "ARIA",
      m: "mvrv",
      c: "users",
      x: "week=smooth(sopr, 7); price / max(price) - 1",
      s: "-30d",
    } as const;
    const { t, series } = await dataOf(soprano.series(query));
    expect(series.map(({ metric, selector, name, formula }) => [metric ?? name, selector, formula])).toEqual([
      ["mvrv", "users", "market_cap / realised_cap"],
      ["week", undefined, "smooth(sopr, 7)"],
      ["price / max(price) - 1", undefined, "price / max(price) - 1"],
    ]);
    const rows = await collect(await dataOf(soprano.rows(query)));
    expect(rows.map((row) => [row.t, row["ARIA:week"]])).toEqual(t.map((time, row) => [time, series[1]!.v[row]]));
  });

  it("that has not changed is the same data, and is not sent again", async () => {
    const ask = () => dataOf(soprano.series({ a: "ARIA", m: ["supply", "price"], c: "*", r: "month" }));
    const first = await ask();
    expect(first.series).toHaveLength(33);
    expect(await ask()).toEqual(first);
    expect(front.asked.map(({ status }) => status)).toEqual([200, 304]);
  });

  it("takes the server's problems as values", async () => {
    const { data, error } = await soprano.series({ a: "ARIA", m: "sopr", c: "user" as "users" });
    expect([data, error]).toEqual([
      undefined,
      expect.objectContaining({
        type: "/problems/invalid-parameter",
        status: 400,
        parameter: "c",
        allowed: expect.arrayContaining(["users"]),
        suggestion: "users",
      }),
    ]);
    const stream = await createClient({ url: front.url }).rows({ a: "ARIA", m: "sopr" });
    expect([stream.data, stream.error?.type]).toEqual([undefined, "/problems/missing-key"]);
  });
});

describe("streams", () => {
  it("rows are those of the table", async () => {
    const query = { a: "ARIA", m: ["volume", "sopr"], r: "hour", last: 500, time: "unix" } as const;
    const { t, series } = await dataOf(soprano.series(query));
    const rows = await collect(await dataOf(soprano.rows(query)));
    expect(rows).toEqual(
      t.map((t, row) => ({ t, "ARIA:volume:total": series[0]!.v[row], "ARIA:sopr:total": series[1]!.v[row] })),
    );
  });

  it("points are those of GET", async () => {
    const query = { a: "ARIA", t: "$100-1k", r: "block" } as const;
    const points = await collect(await dataOf(soprano.points("num_transfers", query)));
    expect(points.length).toBeGreaterThan(100);
    expect(points).toEqual(await dataOf(soprano.GET("/v1/metrics/num_transfers", { params: { query } })));
  });

  it("bytes are an answer in its format", async () => {
    const query = { a: "ARIA", m: "volume", c: "*" } as const;
    const arrow = await dataOf(soprano.bytes({ ...query, f: "arrow" }));
    const { t, series } = await dataOf(soprano.series(query));
    const table = tableFromIPC(await new Response(arrow).arrayBuffer());
    expect([table.numRows, table.numCols]).toEqual([t.length, 1 + series.length]);
  });

  it("one that breaks off throws", async () => {
    front.faults = ["cut"];
    const rows = await dataOf(soprano.rows({ a: "ARIA", m: "volume", r: "hour" }));
    await expect(collect(rows)).rejects.toThrow("terminated");
    expect(front.asked).toHaveLength(1);
  });
});

it("a file is what the list says", async () => {
  const { files } = await dataOf(soprano.GET("/v3/files/{asset}", { params: { path: { asset: "ARIA" } } }));
  const { path, sha256 } = files.find(({ metric, resolution }) => metric === "sopr" && resolution === "hour")!;
  const bytes = await new Response(await dataOf(soprano.file("ARIA", path))).arrayBuffer();
  expect(createHash("sha256").update(new Uint8Array(bytes)).digest("hex")).toBe(sha256);
});

it("the catalog lists what there is", async () => {
  const { assets } = await dataOf(soprano.GET("/v3/assets"));
  expect(assets.map(({ symbol }) => symbol)).toEqual(["ARIA", "DUET"]);
  const { metrics } = await dataOf(soprano.GET("/v1/metrics"));
  const names: V1Metric[] = metrics.map(({ name }) => name);
  expect(names).toContain("sopr");
  const price = await dataOf(soprano.GET("/v3/metrics/{metric}", { params: { path: { metric: "price" } } }));
  expect(price.selector).toBeNull();
});

describe("the package", () => {
  const program = `import { createClient } from "soprano-client";
export async function ask(url, key) {
  const { data, error } = await createClient({ url, key }).series({ a: "ARIA", m: ["sopr", "price"], last: 3 });
  return JSON.stringify(error ?? data);
}
`;
  let desk: string;
  let expected: string;

  beforeAll(async () => {
    desk = join(served.folder, "desk");
    await installClient(desk);
    writeFileSync(join(desk, "ask.mjs"), program);
    expected = JSON.stringify(await dataOf(soprano.series({ a: "ARIA", m: ["sopr", "price"], last: 3 })));
  });

  it("runs in Node", async () => {
    const code = `import { ask } from "./ask.mjs"; console.log(await ask(process.argv[1], process.argv[2]));`;
    const args = ["--input-type=module", "--eval", code, "--", served.url, served.key];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: desk });
    expect(stdout.trim()).toBe(expected);
  });

  it("runs in a Worker, and tries again there", async () => {
    const contents = `import { ask } from "./ask.mjs";
export default { fetch: async (_, { ORIGIN, KEY }) => new Response(await ask(ORIGIN, KEY)) };`;
    const { outputFiles } = await bundle({
      stdin: { contents, resolveDir: desk },
      bundle: true,
      format: "esm",
      write: false,
      platform: "browser",
    });
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: outputFiles[0]!.text,
        compatibilityDate: "2026-11-01",
        bindings: { ORIGIN: front.url, KEY: served.key },
      }),
    );
    try {
      front.faults = ["drop", { status: 503, headers: { "Retry-After": "1" } }];
      const response = await fetch(await miniflare.ready);
      expect(await response.text()).toBe(expected);
      expect(front.asked.map(({ status }) => status)).toEqual([0, 503, 200]);
    } finally {
      await miniflare.dispose();
    }
  });
});
