/** Long tables: merged from runs of each column, streamed at the client's pace, within the isolate's budget. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import { beforeAll, expect, it, vi } from "vitest";
import { joinBytes } from "../../../data-schema/text/bytes.ts";
import { BUDGET_BYTES } from "../../../worker/budget.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { countingBucket, failingBucket } from "../bindings.ts";
import { freshIsolate, putKey } from "../client.ts";
import { tableOfParquet } from "../parquet-wasm.ts";
import { at, type Point, publish } from "../token.ts";

const FROM = at("2022-01-01");
const HALF = at("2022-02-01");
const SELECTORS = ["total", "users"];
const POINTS = 530_000;

/** Two series that share no block: more rows than columnar JSON may have, and more than are merged at once. */
const points: Point[][] = SELECTORS.map((_, series) =>
  Array.from({ length: POINTS }, (_, index) => ({
    t: FROM + 10 * index + 5 * series,
    v: 1 + ((index * 7919) % 4096),
    block: 2 * index + series,
  })),
);

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "LONG",
    metrics: ["sopr"],
    periods: {
      day: [],
      block: [
        { name: "2022-01", from: FROM, to: HALF },
        { name: "2022-02", from: HALF, to: at("2022-04-01") },
      ],
    },
    series: (_, __, selector) => points[SELECTORS.indexOf(selector)] ?? [],
  });
});

const PATH = "/v3/series?a=LONG&m=sopr&r=block&c=total,users&time=unix";

it("arrives whole as CSV, and holds no more than the budget has", async () => {
  const isolate = new Isolate();
  const response = await freshIsolate({ isolate }).fetch(`${PATH}&f=csv`);
  const decoder = new TextDecoder();
  let rest = "";
  let rows = -1;
  let most = 0;
  for await (const chunk of response.body!) {
    most = Math.max(most, isolate.budget.bytes);
    const lines = (rest + decoder.decode(chunk as Uint8Array)).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (rows >= 0) {
        const { t, v, block } = points[rows % 2]![rows >> 1]!;
        const expected = rows % 2 === 0 ? `${t},${block},${v},` : `${t},${block},,${v}`;
        if (line !== expected) expect(line).toBe(expected);
      }
      rows++;
    }
  }
  expect([rows, rest]).toEqual([2 * POINTS, ""]);
  expect(most).toBeLessThan(BUDGET_BYTES / 2);
  expect(isolate.budget.bytes).toBe(0);
});

it("arrives whole as Arrow, again and again", async () => {
  const isolate = new Isolate();
  const client = freshIsolate({ isolate });
  for (const name of ["first", "second"]) {
    const answer = tableFromIPC(await (await client.fetch(`${PATH}&f=arrow`)).bytes());
    const [block, total, users] = ["block", "LONG:sopr:total", "LONG:sopr:users"].map((name) => answer.getChild(name)!);
    expect([answer.numRows, total!.nullCount, users!.nullCount], name).toEqual([2 * POINTS, POINTS, POINTS]);
    for (let row = 0; row < 2 * POINTS; row += 997) {
      const { v } = points[row % 2]![row >> 1]!;
      const expected = row % 2 === 0 ? [row, v, null] : [row, null, v];
      expect([Number(block!.get(row)), total!.get(row), users!.get(row)]).toEqual(expected);
    }
  }
  expect(isolate.budget.bytes).toBe(0);
});

it("arrives whole as Parquet, in row groups of blocks, and holds no more than the budget has", async () => {
  const isolate = new Isolate();
  const response = await freshIsolate({ isolate }).fetch(`${PATH}&f=parquet`);
  const pieces: Uint8Array[] = [];
  let most = 0;
  for await (const piece of response.body!) {
    most = Math.max(most, isolate.budget.bytes);
    // What has been sent is freed.
    pieces.push((piece as Uint8Array).slice());
  }
  const file = joinBytes(pieces);
  const { row_groups } = parquetMetadata(file);
  const sizes = row_groups.map(({ num_rows }) => Number(num_rows));
  expect(sizes.reduce((sum, rows) => sum + rows, 0)).toBe(2 * POINTS);
  // Less than a chunk more than the builder's.
  expect(sizes.slice(0, -1).filter((rows) => rows < 16_384 || rows >= 2 * 16_384)).toEqual([]);
  const answer = tableOfParquet(file);
  const [block, total, users] = ["block", "LONG:sopr:total", "LONG:sopr:users"].map((name) => answer.getChild(name)!);
  for (let row = 0; row < 2 * POINTS; row += 997) {
    const { v } = points[row % 2]![row >> 1]!;
    const expected = row % 2 === 0 ? [row, v, null] : [row, null, v];
    expect([Number(block!.get(row)), total!.get(row), users!.get(row)]).toEqual(expected);
  }
  expect(most).toBeLessThan(BUDGET_BYTES / 2);
  expect(isolate.budget.bytes).toBe(0);
});

it("is refused as columnar JSON if it has too many rows", async () => {
  const isolate = new Isolate();
  const response = await freshIsolate({ isolate }).fetch(PATH);
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { type: "/problems/too-many-rows", parameter: "f", allowed: ["csv", "ndjson", "arrow", "parquet"] },
  ]);
  expect(isolate.budget.bytes).toBe(0);
});

it("is read several times as columnar JSON if it has too many cells to be held", async () => {
  const isolate = new Isolate();
  const until = 300_000;
  const response = await freshIsolate({ isolate }).fetch(`${PATH}&ub=${2 * until - 1}`);
  const { t, block, series } = await response.json<{
    t: number[];
    block: number[];
    series: { v: (number | null)[] }[];
  }>();
  expect([t.length, block.length, series.map(({ v }) => v.length)]).toEqual([
    2 * until,
    2 * until,
    [2 * until, 2 * until],
  ]);
  const isRight = (row: number) => {
    const point = points[row % 2]![row >> 1]!;
    const values = row % 2 === 0 ? [point.v, null] : [null, point.v];
    return (
      t[row] === point.t && block[row] === row && series[0]!.v[row] === values[0] && series[1]!.v[row] === values[1]
    );
  };
  expect(t.findIndex((_, row) => !isRight(row))).toBe(-1);
  expect(isolate.budget.bytes).toBe(0);
});

it("is read no further than the client's pace requires, and not at all when the client goes away", async () => {
  const { bucket, take } = countingBucket(env.BUCKET);
  const isolate = new Isolate();
  const client = freshIsolate({ bucket, isolate });
  const response = await client.fetch(`${PATH}&f=ndjson`);
  const reader = response.body!.getReader();
  await reader.read();
  await scheduler.wait(300);
  // Two footers, and for each of the columns a run and those that are prefetched: of more than twenty.
  expect(take().length).toBeLessThanOrEqual(10);
  await reader.cancel();
  await client.settled();
  take();
  await scheduler.wait(200);
  expect([take(), isolate.budget.bytes]).toEqual([[], 0]);
});

it("breaks the connection if a later read fails", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const bucket = failingBucket(env.BUCKET, (key) => key.includes("/2022-02."));
  // The object is small, so that nothing of it is read before its month begins.
  const response = await freshIsolate({ bucket }).fetch(`${PATH}&f=csv`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("The data store cannot be read at the moment.");
  log.mockRestore();
});
