/** GET /v3/holders and GET /v3/holders/<address>. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";
import { HOLDER_COLUMNS, LARGEST_COLUMNS } from "../../../data-schema/stored/holders/holder-columns.ts";
import { HOLDER_GROUPS, HOLDER_ORDERS, HOLDER_SORTS } from "../../../data-schema/stored/holders/holder-objects.ts";
import { currentKey } from "../../../data-schema/stored/objects.ts";
import { alteringBucket, failingBucket, recordingBucket } from "../bindings.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { groupOf, inOrder, type StoredDay, type StoredHolder, type StoredHolders, tokensOf } from "../holders-token.ts";
import { tableOfParquet } from "../parquet-wasm.ts";
import { at, DAY, publish } from "../token.ts";

const FIRST = at("2024-01-01");
const LAST = at("2024-03-31");
const TOKEN = 10n ** 18n;

const addressOf = (n: number) => `0x${(n * 0x1_0000_0001).toString(16).padStart(40, "0")}`;

const publishAs = (symbol: string, holders?: StoredHolders, build?: string) =>
  publish(env.BUCKET, {
    symbol,
    ...(build && { build }),
    metrics: ["price"],
    periods: { day: [{ name: "all", from: FIRST, to: FIRST + 366 * DAY }] },
    range: { day: [FIRST, LAST] },
    series: () => [],
    ...(holders && { holders }),
  });

const emptyHolder: StoredHolder = {
  address: addressOf(1),
  label: 0,
  balance: 0n,
  basis: 0,
  since: 0,
  firstEvent: FIRST + 5,
  lastEvent: FIRST + 3 * DAY,
  realised: -12.5,
  sent: 10,
  receipts: 1,
  sends: 2,
  cohorts: [],
};

/** Few values, so that many are equal. */
const holder = fc.record<Omit<StoredHolder, "address">>({
  label: fc.constantFrom(0, 0, 0, 1, 2, 7, 64 + 7),
  balance: fc.constantFrom(0n, 1n, TOKEN, TOKEN / 3n, 12_345n * TOKEN, 12_345n * TOKEN + 1n, 2n ** 80n),
  basis: fc.constantFrom(0, 0.5, 1, 2.25),
  since: fc.constantFrom(FIRST + 0.5, FIRST + 10.25, FIRST + DAY),
  firstEvent: fc.constantFrom(FIRST, FIRST + 1),
  lastEvent: fc.constantFrom(FIRST + DAY, FIRST + 2 * DAY),
  realised: fc.constantFrom(0, -1.5, 1e9, 2.5e-7),
  sent: fc.constantFrom(0, 0.1, 1e6),
  receipts: fc.nat(3),
  sends: fc.nat(3),
  cohorts: fc.uniqueArray(fc.nat(2)),
});

const COHORTS = ["@team", "@dex", "@old-whales"] as const;

const holdersOf = fc
  .record({
    rows: fc.array(holder, { maxLength: 25 }),
    price: fc.constantFrom(0, 1, 1.5),
    groupRows: fc.integer({ min: 1, max: 6 }),
    hasLists: fc.boolean(),
  })
  .map(
    ({ rows, ...others }): StoredHolders => ({
      ...others,
      cohorts: COHORTS,
      // An address that holds nothing has no cost.
      rows: rows.map((row, n) => ({
        ...row,
        address: addressOf(7 * n),
        ...(row.balance === 0n && { basis: 0, since: 0 }),
      })),
    }),
  );

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** What docs/methodology.md says of an address. */
function shown(row: StoredHolder, { rows, price }: StoredHolders) {
  const supply = rows.reduce((sum, { balance }) => sum + balance, 0n);
  const balance = tokensOf(row.balance);
  const holds = row.balance > 0n;
  const group = groupOf(row);
  return {
    address: row.address,
    balance,
    raw: String(row.balance),
    share: supply === 0n ? null : balance / tokensOf(supply),
    average_price: holds ? row.basis : null,
    cost: balance * row.basis,
    value: balance * price,
    unrealised_profit: holds ? balance * (price - row.basis) : 0,
    realised_profit: row.realised,
    received: row.sent + balance,
    sent: row.sent,
    receipts: row.receipts,
    sends: row.sends,
    first_seen: iso(row.firstEvent),
    last_active: iso(row.lastEvent),
    held_since: holds ? iso(Math.floor(row.since + 0.5)) : null,
    group,
    label: group === "cex" ? EXCHANGE_SELECTORS[(row.label % 64) - 1]! : null,
    cohorts: COHORTS.filter((_, bit) => row.cohorts.includes(bit)).map((name) => name.slice(1)),
  };
}

type Row = Record<string, unknown>;

/** A row as CSV has it. */
const cells = (row: Row) =>
  Object.values(row).map((cell) => (cell === null ? "" : Array.isArray(cell) ? cell.join(" ") : String(cell)));

/** A row of Arrow or Parquet, in the form of JSON. */
const columns: readonly { name: string; type: string }[] = [...HOLDER_COLUMNS, ...LARGEST_COLUMNS];
const fromArrow = (found: Row): Row =>
  Object.fromEntries(
    Object.entries(found).map(([name, value]) => {
      const type = columns.find((column) => column.name === name)?.type;
      if (type === "names") return [name, value === "" ? [] : String(value).split(" ")];
      if (value === null || type === "text" || type === undefined) return [name, value];
      return [name, type === "time" ? iso(Number(value) / 1000) : Number(value)];
    }),
  );

let client: Client;
let builds = 0;

const failures = vi.spyOn(console, "error").mockImplementation(() => {});
afterAll(() => failures.mockRestore());

beforeAll(async () => {
  await putKey();
  client = freshIsolate();
});

/** A new isolate, since one remembers manifests. */
async function publishAnew(symbol: string, holders?: StoredHolders): Promise<void> {
  await publishAs(symbol, holders, (++builds).toString(16).padStart(16, "0"));
  client = freshIsolate();
}

async function answer(path: string): Promise<Response> {
  const response = await client.fetch(`/v3/holders${path}`);
  if (response.status !== 200) expect(await response.text()).toBe("");
  return response;
}
const json = async (path: string) => (await answer(path)).json<{ holders: Row[] } & Row>();
const problem = async (path: string) => (await client.fetch(`/v3/holders${path}`)).json<Row>();

/** Expects the same rows in every format. */
async function expectRows(path: string, rows: readonly Row[]): Promise<void> {
  expect((await json(path)).holders).toEqual(rows);
  const csv = (await (await answer(`${path}&f=csv`)).text()).trimEnd().split("\n");
  expect(csv.slice(1).map((line) => line.split(","))).toEqual(rows.map(cells));
  if (rows.length > 0) expect(csv[0]).toBe(Object.keys(rows[0]!).join(","));
  const lines = new TextDecoder()
    .decode(await (await answer(`${path}&f=ndjson`)).bytes())
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  const arrow = tableFromIPC(await (await answer(`${path}&f=arrow`)).bytes());
  const parquet = tableOfParquet(await (await answer(`${path}&f=parquet`)).bytes());
  for (const table of [arrow, parquet]) {
    expect(table.toArray().map((row) => fromArrow(row.toJSON()))).toEqual(rows);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(csv[0]!.split(","));
  }
}

describe("GET /v3/holders", () => {
  it("gives every page of every order of every group, in every format", async () => {
    const page = fc.record({
      sort: fc.constantFrom(...HOLDER_SORTS),
      order: fc.constantFrom(...HOLDER_ORDERS),
      group: fc.constantFrom(undefined, ...HOLDER_GROUPS),
      limit: fc.integer({ min: 1, max: 12 }),
      offset: fc.nat(26),
    });
    await fc.assert(
      fc.asyncProperty(holdersOf, fc.array(page, { minLength: 1, maxLength: 4 }), async (holders, pages) => {
        await publishAnew("ARIA", holders);
        for (const { sort, order, group, limit, offset } of pages) {
          const rows = inOrder(holders, sort, order, group).slice(offset, offset + limit);
          const query = { a: "aria", sort, order, ...(group && { group }), limit: `${limit}`, offset: `${offset}` };
          await expectRows(
            `?${new URLSearchParams(query)}`,
            rows.map((row) => shown(row, holders)),
          );
        }
      }),
      { numRuns: 15 },
    );
  });

  it("says which build it is of, and takes the 100 largest balances unless it is told otherwise", async () => {
    const rows = Array.from({ length: 130 }, (_, n) => ({ ...emptyHolder, address: addressOf(n), balance: BigInt(n) }));
    const holders = { rows, price: 2, groupRows: 50, hasLists: false };
    await publishAnew("ARIA", holders);
    const { holders: found, ...facts } = await json("?a=ARIA");
    expect(facts).toEqual({
      asset: "ARIA",
      build: builds.toString(16).padStart(16, "0"),
      asOf: "2026-01-01T00:00:00Z",
    });
    expect(found).toEqual(
      rows
        .toReversed()
        .slice(0, 100)
        .map((row) => shown(row, holders)),
    );
  });

  it("reaches the first 10,000 of more addresses", async () => {
    const rows = Array.from({ length: 10_300 }, (_, n) => ({
      ...emptyHolder,
      address: addressOf(n),
      label: n % 5 === 0 ? 1 : 0,
      balance: BigInt((n * 7_919) % 10_300) * TOKEN,
      basis: n % 3,
    }));
    const holders = { rows, price: 1, groupRows: 500, hasLists: true };
    await publishAnew("ARIA", holders);
    for (const [sort, order, offset] of [
      ["balance", "desc", 9_900],
      ["balance", "asc", 9_950],
      ["unrealised_profit", "asc", 0],
      ["first_seen", "desc", 5_000],
    ] as const) {
      const { holders: found } = await json(`?a=ARIA&sort=${sort}&order=${order}&offset=${offset}&limit=50`);
      const expected = inOrder(holders, sort, order).slice(offset, offset + 50);
      expect(found.map(({ address }) => address)).toEqual(expected.map(({ address }) => address));
    }
    const { bucket, take } = recordingBucket(env.BUCKET);
    client = freshIsolate({ bucket });
    await json("?a=ARIA&offset=450&limit=100");
    // The manifest, the index, the order, and three ranges: the addresses lie in all of the 21 row groups, of which eight are read at once.
    expect(take()).toHaveLength(6);
  });

  it("has an entity tag that changes with the question and the build", async () => {
    await publishAnew("ARIA", { rows: [emptyHolder], price: 1, groupRows: 1, hasLists: false });
    const tagOf = async (path: string) => (await answer(path)).headers.get("ETag");
    const asked = ["?a=ARIA", "?a=ARIA&limit=5", "?a=ARIA&order=asc", "?a=ARIA&group=users", "?a=ARIA&f=arrow"];
    const tags = await Promise.all([...asked, `/${addressOf(1)}`, `/${addressOf(1)}?f=arrow`].map(tagOf));
    expect(new Set(tags).size).toBe(tags.length);
    const known = await client.fetch("/v3/holders?a=ARIA", { headers: { "If-None-Match": tags[0]! } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    const before = await tagOf(`/${addressOf(1)}`);
    const again = await client.fetch(`/v3/holders/${addressOf(1)}`, { headers: { "If-None-Match": before! } });
    expect(again.status).toBe(304);
    await publishAnew("ARIA", { rows: [emptyHolder], price: 1, groupRows: 1, hasLists: false });
    expect(await tagOf("?a=ARIA")).not.toBe(tags[0]);
  });

  it("is empty without a complete day, and refused of a build that is older", async () => {
    await publishAnew("NEW");
    expect((await json("?a=NEW")).holders).toEqual([]);
    expect((await json(`/${addressOf(1)}?a=NEW`)).holders).toEqual([]);
    const text = await (await env.BUCKET.get(currentKey("NEW")))!.text();
    const old = { ...JSON.parse(text), symbol: "OLD", checkpoint: { hash: "0".repeat(32), size: 12 } };
    await env.BUCKET.put(currentKey("OLD"), JSON.stringify(old));
    expect(await problem("?a=OLD")).toMatchObject({
      status: 400,
      type: "/problems/unavailable-metric",
      detail: expect.stringContaining("the next build of OLD has them"),
    });
    await env.BUCKET.delete(currentKey("OLD"));
  });

  it("tells damage from absence", async () => {
    const holders = {
      rows: [emptyHolder],
      price: 1,
      groupRows: 1,
      days: [{ day: LAST, supply: 1n, largest: [[addressOf(1), 1n]] }] as StoredDay[],
    };
    const asked = ["?a=ARIA", `/${addressOf(1)}?a=ARIA`, "?a=ARIA&at=2024-03-31"];
    const isCheckpoint = (key: string) => key.startsWith("checkpoints/");
    const isList = (key: string) => /^(holders|packs)\//.test(key);
    const spoil = (bytes: Uint8Array) => bytes.fill(1, 8, 12);
    for (const hasLists of [false, true]) {
      await publishAnew("ARIA", { ...holders, hasLists });
      for (const isObject of [isCheckpoint, isList]) {
        const isRead = (path: string) =>
          isObject === isList
            ? path.includes("at=") || (hasLists && path === asked[0])
            : !path.includes("at=") && !(hasLists && path === asked[0]);
        client = freshIsolate({ bucket: alteringBucket(env.BUCKET, spoil, isObject) });
        for (const path of asked)
          expect([path, (await client.fetch(`/v3/holders${path}`)).status]).toEqual([path, isRead(path) ? 500 : 200]);
        client = freshIsolate({ bucket: failingBucket(env.BUCKET, isObject) });
        for (const path of asked)
          expect([path, (await client.fetch(`/v3/holders${path}`)).status]).toEqual([path, isRead(path) ? 503 : 200]);
      }
    }
    const { objects } = await env.BUCKET.list({ prefix: "checkpoints/ARIA/" });
    await env.BUCKET.delete(objects.map(({ key }) => key));
    client = freshIsolate();
    expect(await problem(`/${addressOf(1)}?a=ARIA`)).toMatchObject({ status: 500, type: "/problems/damaged-data" });
  });
});

describe("GET /v3/holders?at=", () => {
  /** By hand: who holds how many tokens at the close of some days. */
  const days: StoredDay[] = [
    [LAST - 31 * DAY, { 1: 1n, 2: 1n }],
    [LAST - 30 * DAY, { 3: 9n, 1: 5n }],
    [LAST - 7 * DAY, { 1: 40n, 2: 30n }],
    [LAST - DAY, { 2: 80n, 3: 10n }],
    [LAST, { 1: 50n, 2: 50n, 3: 7n }],
  ].map(([day, held]) => ({
    day: day as number,
    supply: 200n * TOKEN,
    largest: Object.entries(held as Record<number, bigint>)
      .map(([n, tokens]) => [addressOf(Number(n)), tokens * TOKEN] as const)
      .toSorted((a, b) => Number(b[1] - a[1])),
  }));
  const row = (n: number, balance: number, ...changes: (number | null)[]) => ({
    address: addressOf(n),
    balance,
    raw: `${BigInt(balance) * TOKEN}`,
    share: balance / 200,
    change_1d: changes[0],
    change_7d: changes[1],
    change_30d: changes[2],
  });

  beforeAll(() => publishAnew("ARIA", { rows: [emptyHolder], price: 1, groupRows: 1, hasLists: false, days }));

  it("has the largest of the day, and how their balances have changed", async () => {
    const rows = [row(1, 50, null, 10, 45), row(2, 50, -30, 20, null), row(3, 7, -3, null, -2)];
    await expectRows("?a=ARIA&at=2024-03-31", rows);
    await expectRows("?a=ARIA&at=2024-03-31T13:00&offset=1&limit=1", rows.slice(1, 2));
    expect((await json("?a=ARIA&at=-0d")).at).toBe("2024-03-31T00:00:00");
    await expectRows("?a=ARIA&at=-30d", [row(3, 9, null, null, null), row(1, 5, 4, null, null)]);
  });

  it("is empty on a day on which nobody held anything", async () => {
    await expectRows("?a=ARIA&at=2024-02-01", []);
  });

  it("refuses a day without data, and says which there are", async () => {
    for (const [day, suggestion] of [
      ["2023-12-31", "2024-01-01"],
      ["2024-04-01", "2024-03-31"],
      ["-5y", "2024-01-01"],
    ]) {
      expect(await problem(`?a=ARIA&at=${day}`)).toMatchObject({
        type: "/problems/invalid-parameter",
        parameter: "at",
        allowed: ["a day from 2024-01-01 to 2024-03-31"],
        suggestion,
      });
    }
  });
});

describe("GET /v3/holders/<address>", () => {
  const of = (n: number, balance: bigint): StoredHolder => ({
    ...emptyHolder,
    address: addressOf(n),
    balance,
    basis: 1,
  });

  it("finds each address of each asset, in two reads, and nobody else", async () => {
    await fc.assert(
      fc.asyncProperty(holdersOf, async (holders) => {
        await publishAnew("ARIA", holders);
        for (const row of holders.rows) {
          const { address, holders: found } = await json(`/${row.address.toUpperCase().replace("X", "x")}?a=ARIA`);
          const built = { asset: "ARIA", build: builds.toString(16).padStart(16, "0"), asOf: "2026-01-01T00:00:00Z" };
          expect([address, found]).toEqual([row.address, [{ ...built, ...shown(row, holders) }]]);
        }
        for (const stranger of [`0x${"0".repeat(39)}1`, `0x${"f".repeat(40)}`, addressOf(8)]) {
          expect(await json(`/${stranger}?a=ARIA`)).toEqual({ address: stranger, holders: [] });
        }
        const { bucket, take } = recordingBucket(env.BUCKET);
        client = freshIsolate({ bucket });
        await json(`/${addressOf(0)}?a=ARIA`);
        expect(take().length - 1).toBeLessThanOrEqual(2);
      }),
      { numRuns: 6 },
    );
  });

  it("has a row an asset, of those that are named or of all, and names those whose builds are older", async () => {
    await publishAnew("ARIA", { rows: [of(1, TOKEN), of(2, TOKEN)], price: 2, groupRows: 1, hasLists: false });
    await publishAnew("DUET", { rows: [of(1, 5n * TOKEN)], price: 1, groupRows: 4, hasLists: true });
    await publishAnew("TRIO", { rows: [of(2, TOKEN)], price: 1, groupRows: 4, hasLists: false });
    const text = await (await env.BUCKET.get(currentKey("NEW")))!.text();
    const old = { ...JSON.parse(text), symbol: "OLD", checkpoint: { hash: "0".repeat(32), size: 12 } };
    await env.BUCKET.put(currentKey("OLD"), JSON.stringify(old), {
      customMetadata: (await env.BUCKET.head(currentKey("NEW")))!.customMetadata!,
    });
    const balances = async (path: string) => {
      const { holders, unavailable } = await json(path);
      return [Object.fromEntries(holders.map(({ asset, balance }) => [asset, balance])), unavailable];
    };
    expect(await balances(`/${addressOf(1)}`)).toEqual([{ ARIA: 1, DUET: 5 }, ["OLD"]]);
    expect(await balances(`/${addressOf(2)}?a=trio,DUET`)).toEqual([{ TRIO: 1 }, undefined]);
    expect(await balances(`/${addressOf(2)}?a=TRIO,ARIA`)).toEqual([{ TRIO: 1, ARIA: 1 }, undefined]);
    expect(await balances(`/${addressOf(3)}`)).toEqual([{}, ["OLD"]]);
    await expectRows(`/${addressOf(1)}?a=ARIA`, (await json(`/${addressOf(1)}?a=ARIA`)).holders);
    expect(await problem(`/${addressOf(1)}?a=ARIA,NOBODY`)).toMatchObject({
      type: "/problems/unsupported-asset",
      detail: "There are no metrics of the asset NOBODY.",
    });
    expect(await problem(`/${addressOf(1)}?a=NOBODY`)).toMatchObject({ status: 404 });
    await env.BUCKET.delete(currentKey("OLD"));
  });
});
