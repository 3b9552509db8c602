/** GET /v3/distributions/cost_basis with `around`: by hand, and against the answer that has all buckets. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { bucketSeries, costEdge, DISTRIBUTION_FIELDS } from "../../../data-schema/registry/distributions.ts";
import { tries } from "../../effort.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { tableOfParquet } from "../parquet-wasm.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const FIRST = at("2024-12-30");
const HAND = [0, 1, 2, 3];

/** Days on which each bucket holds something: as many tokens as its place in the list, 10 dollars and 2 addresses. */
const BUCKETS: Record<string, number[]> = {
  "0": [0, 1, 3],
  "k-2": [1],
  "k-1": [1, 2],
  k0: [1, 2],
  k1: [2],
  k3: [1, 2],
  k40: [0, 1, 2],
  k1200: [2, 3],
};
/** The prices at the closes, of which the first comes on the second day: in k0, k1 and k1200. */
const PRICES = [undefined, 1, 1.1, 2e30];

interface Answer {
  buckets: { name: string; from: number | null; to: number | null }[];
  t: string[];
  price?: number[];
  at?: number[];
  supply: number[][];
  realised_cap: number[][];
  num_addresses: number[][];
}

const tokenOf = (
  symbol: string,
  buckets: Record<string, number[]>,
  prices: readonly (number | undefined)[],
): Token => ({
  symbol,
  metrics: ["price"],
  periods: { day: [{ name: "all", from: FIRST, to: FIRST + 100 * DAY }] },
  range: { day: [FIRST, FIRST + (prices.length - 1) * DAY] },
  series: () => prices.flatMap((v, day) => (v === undefined ? [] : [{ t: FIRST + day * DAY, v }])),
  distributions: (name, resolution): Series[] => {
    if (resolution !== "day" || name !== "cost_basis") return [];
    return DISTRIBUTION_FIELDS.flatMap((field) =>
      Object.entries(buckets).map(([bucket, on], place) => ({
        selector: bucketSeries(field, "total", bucket),
        t: Float64Array.from(on, (day) => FIRST + day * DAY),
        v: Float64Array.from(on, () => ({ supply: place + 1, realised_cap: 10, num_addresses: 2 })[field]),
      })),
    );
  },
});

let client: Client;

beforeAll(async () => {
  await Promise.all([putKey(), publish(env.BUCKET, tokenOf("HAND", BUCKETS, PRICES))]);
  client = freshIsolate();
});

const get = (query: string) => client.fetch(`/v3/distributions/cost_basis?${query}`);
async function json(query: string): Promise<Answer> {
  const response = await get(query);
  expect(response.status).toBe(200);
  return response.json<Answer>();
}

const FREE = { name: "0", from: 0, to: 0 };
const EDGES = { k0: [1, 1.0592537251772889], k1: [1.0592537251772889, 1.1220184543019633] } as const;

describe("around the price", () => {
  it("are the buckets beside that of the price, those below and those above them, at one time", async () => {
    // At $1, in k0: k-1 is below it, k1 is empty, k3 and k40 are above the window.
    const {
      buckets,
      price,
      at: place,
      supply,
      realised_cap,
      num_addresses,
    } = await json("a=HAND&around=1&s=2024-12-31&u=2024-12-31");
    expect(buckets).toEqual([
      { name: "below", from: null, to: 0.9440608762859234 },
      { name: "k-1", from: 0.9440608762859234, to: 1 },
      { name: "k0", from: EDGES.k0[0], to: EDGES.k0[1] },
      { name: "above", from: EDGES.k1[1], to: null },
    ]);
    expect([price, place]).toEqual([[1], [2]]);
    expect([supply, realised_cap, num_addresses]).toEqual([[[1 + 2, 3, 4, 6 + 7]], [[20, 10, 10, 20]], [[4, 2, 2, 4]]]);
  });

  it("move with the price, and are all those of any time", async () => {
    const { buckets, t, price, at: place, supply } = await json("a=HAND&around=1");
    expect(t).toHaveLength(HAND.length);
    // The inner edges differ from day to day.
    expect(buckets.map(({ name }) => name)).toEqual(["below", "0", "k-1", "k0", "k1", "k1200", "above"]);
    expect([buckets[0], buckets[1], buckets.at(-1)]).toEqual([
      { name: "below", from: null, to: null },
      FREE,
      { name: "above", from: null, to: null },
    ]);
    expect(price).toEqual([0, 1, 1.1, 2e30]);
    // Before the first price it is 0, in the bucket of what was free.
    expect(place).toEqual([1, 3, 4, 5]);
    expect(supply).toEqual([
      [0, 1, 0, 0, 0, 0, 7],
      [3, 0, 3, 4, 0, 0, 13],
      [3, 0, 0, 4, 5, 0, 6 + 7 + 8],
      [1, 0, 0, 0, 0, 8, 0],
    ]);
  });

  it("has the place of the price only where it has an address, and no bucket of nobody", async () => {
    const { buckets, at: place } = await json("a=HAND&around=100&s=2025-01-02");
    expect(buckets.map(({ name }) => name)).toEqual(["below", "k1200"]);
    expect(place).toEqual([1]);
    await publish(env.BUCKET, tokenOf("APART", { k5: [0, 1], k40: [0] }, [1, 1e-29]));
    expect(await json("a=APART&around=10")).toMatchObject({
      buckets: [
        { name: "k5", from: 1.333521432163324 },
        { name: "above", from: null, to: null },
      ],
      at: [-1, -1],
      supply: [
        [1, 2],
        [0, 1],
      ],
    });
    const none = await json("a=HAND&around=3&s=2026-01-01");
    expect([none.buckets, none.t, none.price, none.at, none.supply]).toEqual([[], [], [], [], []]);
  });

  it("tells in rows on which side of the price a bucket is, with the edges of the time", async () => {
    const lines = (await (await get("a=HAND&around=1&s=2024-12-31&u=2025-01-01&f=csv")).text()).trimEnd().split("\n");
    expect(lines).toEqual([
      "t,bucket,from,to,side,supply,realised_cap,num_addresses",
      "2024-12-31T00:00:00,below,,0.9440608762859234,in,3,20,4",
      "2024-12-31T00:00:00,k-1,0.9440608762859234,1,in,3,10,2",
      "2024-12-31T00:00:00,k0,1,1.0592537251772889,at,4,10,2",
      "2024-12-31T00:00:00,above,1.1220184543019633,,out,13,20,4",
      "2025-01-01T00:00:00,below,,1,in,3,10,2",
      "2025-01-01T00:00:00,k0,1,1.0592537251772889,in,4,10,2",
      "2025-01-01T00:00:00,k1,1.0592537251772889,1.1220184543019633,at,5,10,2",
      "2025-01-01T00:00:00,above,1.1885022274370185,,out,21,30,6",
    ]);
    const parsed = (await (await get("a=HAND&around=1&s=2024-12-31&u=2025-01-01&f=ndjson&time=unix")).text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(parsed[0]).toEqual({
      ...{ t: FIRST + DAY, bucket: "below", from: null, to: 0.9440608762859234, side: "in" },
      ...{ supply: 3, realised_cap: 20, num_addresses: 4 },
    });
    const bytes = async (f: string) =>
      (await get(`a=HAND&around=1&s=2024-12-31&u=2025-01-01&time=unix&f=${f}`)).bytes();
    for (const table of [tableFromIPC(await bytes("arrow")), tableOfParquet(await bytes("parquet"))]) {
      expect(table.toArray().map((row) => ({ ...row.toJSON(), t: Number(row.toJSON().t) }))).toEqual(parsed);
    }
  });

  it("has an entity tag, and a file, of its own", async () => {
    const responses = await Promise.all(["", "&around=1", "&around=2"].map((around) => get(`a=HAND&f=csv${around}`)));
    await Promise.all(responses.map((response) => response.text()));
    expect(new Set(responses.map(({ headers }) => headers.get("ETag"))).size).toBe(3);
    expect(responses[1]!.headers.get("Content-Disposition")).toContain("HAND_cost_basis_total_day_around1.csv");
  });

  it("says what is wrong with a request", async () => {
    for (const around of ["0", "101", "-1", "1.5", "ten", "01"]) {
      expect(await (await get(`a=HAND&around=${around}`)).json()).toMatchObject({
        type: "/problems/invalid-parameter",
        parameter: "around",
        allowed: ["a whole number from 1 to 100"],
      });
    }
    const response = await client.fetch("/v3/distributions/acquired?a=HAND&around=3");
    expect(await response.json()).toMatchObject({
      type: "/problems/inapplicable-parameter",
      parameter: "around",
      detail: "Only cost_basis takes around: the buckets of acquired are times, and no price is among them.",
    });
  });

  it("is what all buckets say, whatever they are and wherever the price is", async () => {
    const bucket = fc.oneof(
      fc.constant("0"),
      fc.integer({ min: -6, max: 6 }).map((k) => `k${k}`),
      fc.constantFrom("k-1200", "k1200"),
    );
    const days = fc.subarray([0, 1, 2], { minLength: 1 });
    const price = fc.option(
      fc.oneof(fc.constantFrom(1, 10 ** (1 / 40), 1e30, 1e-30, 1e-31), fc.double({ min: 0.6, max: 1.6, noNaN: true })),
      { nil: undefined },
    );
    let place = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(bucket, days),
        fc.array(price, { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (held, prices, width) => {
          const symbol = `T${place++}`;
          await publish(env.BUCKET, tokenOf(symbol, held, prices));
          const all = await json(`a=${symbol}`);
          expect(await json(`a=${symbol}&around=${width}`)).toMatchObject(expected(all, prices, width));
        },
      ),
      { numRuns: tries(15) },
    );
  }, 60_000);
});

const numberOf = (name: string) => (name === "0" ? -1_201 : Number(name.slice(1)));

/** "Keeps the 10 buckets below and the 10 above the one that holds the close's price, and that one; all others are two." */
function expected(all: Answer, prices: readonly (number | undefined)[], width: number) {
  const steps = Array.from({ length: 2_401 }, (_, i) => i - 1_200);
  const centerOf = (price: number) => (price === 0 ? -1_201 : (steps.findLast((k) => costEdge(k) <= price) ?? -1_200));
  const price = prices.map((own) => own ?? 0);
  const names = price.map((own) =>
    all.buckets.map(({ name }) => {
      const distance = numberOf(name) - centerOf(own);
      return distance < -width ? "below" : distance > width ? "above" : name;
    }),
  );
  const held = names.map((row, day) => row.filter((_, place) => all.num_addresses[day]![place]! > 0));
  const rank = (name: string) => (name === "below" ? -9e3 : name === "above" ? 9e3 : numberOf(name));
  const shown = [...new Set(held.flat())].sort((a, b) => rank(a) - rank(b));
  const fold = (matrix: number[][]) =>
    matrix.map((row, day) =>
      shown.map((name) => row.reduce((sum, value, place) => (names[day]![place] === name ? sum + value : sum), 0)),
    );
  return {
    buckets: shown.map((name) => ({ name })),
    t: all.t,
    price,
    at: price.map((own, day) => shown.findIndex((name) => rank(name) === centerOf(own) && held[day]!.includes(name))),
    supply: fold(all.supply),
    realised_cap: fold(all.realised_cap),
    num_addresses: fold(all.num_addresses),
  };
}
