/** What requests for assets that there are not cost the operator: a stated number of calls, however many they name. */

import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { failingBucket, recordingBucket } from "../bindings.ts";
import { freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const START = at("2025-03-01");
const token: Omit<Token, "symbol"> = {
  metrics: ["price"],
  periods: { day: [{ name: "all", from: START, to: START + 100 * DAY }] },
  range: { day: [START, START] },
  series: () => [{ t: START, v: 1 }],
};

beforeAll(async () => {
  await Promise.all([putKey(), ...["ONE", "TWO"].map((symbol) => publish(env.BUCKET, { ...token, symbol }))]);
});

const invented = (count: number, of = 0) => Array.from({ length: count }, (_, i) => `X${of}N${i}`);

/** Formulas, each of so many invented assets. */
const formulas = (count: number, assets: number) =>
  Array.from({ length: count }, (_, i) => `${invented(assets, i).join(".price+")}.price`).join(";");
const inFormulas = (x: string) => `/v3/series?a=ONE&x=${encodeURIComponent(x)}`;

/** An object that is not there is asked for twice: a local bucket may be about to replace it. */
const LOOKED_FOR = ["get current", "get current", "list"];

it.each([
  ["20 in a", `/v3/series?m=price&a=${invented(20)}`, ["list"]],
  ["19 in a, beside one that exists", `/v3/series?m=price&a=ONE,${invented(19)}`, ["list"]],
  ["19 in a formula", inFormulas(formulas(1, 19)), ["list"]],
  // Refused before anything is read.
  ["400 in 20 formulas", inFormulas(formulas(20, 20)), []],
  // One is looked for at once: of one that exists, no list is needed.
  ["one of a table", "/v3/series?m=price&a=NOBODY", LOOKED_FOR],
  ["one of a series", "/v1/metrics/sopr?a=NOBODY", LOOKED_FOR],
  ["one of a distribution", "/v3/distributions/cost_basis?a=NOBODY", LOOKED_FOR],
  ["one of files", "/v3/files/NOBODY", LOOKED_FOR],
  ["one of changes", "/v3/assets/NOBODY/changes", LOOKED_FOR],
])("%s", async (_, path, expected) => {
  const { bucket, take } = recordingBucket(env.BUCKET);
  let time = Date.now();
  const client = freshIsolate({ bucket, now: () => time });
  const response = await client.fetch(path);
  expect([response.status, take()]).toEqual([expected.length === 0 ? 400 : 404, expected]);
  // For a while, the isolate knows that there is none.
  time += 29_000;
  expect((await client.fetch(path)).status).toBe(response.status);
  expect(take()).toEqual([]);
  time += 32_000;
  expect((await client.fetch(path)).status).toBe(response.status);
  expect(take()).toEqual(expected);
});

it("those that exist are found where assets can't be listed", async () => {
  const client = freshIsolate({ bucket: failingBucket(env.BUCKET, (key) => key === "current/") });
  expect((await client.fetch("/v3/series?m=price&a=ONE,TWO")).status).toBe(200);
});
