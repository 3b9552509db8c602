/** GET /v3/transfers/largest and GET /v3/assets/<asset>/events. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";
import { EVENT_COLUMNS } from "../../../data-schema/stored/calendar-events.ts";
import { LARGE_TRANSFER_COLUMNS } from "../../../data-schema/stored/large-transfers.ts";
import { alteringBucket, failingBucket } from "../bindings.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { tableOfParquet } from "../parquet-wasm.ts";
import { at, DAY, mark, publish } from "../token.ts";
import type { StoredTransfer } from "../transfers-token.ts";

const FIRST = at("2024-01-01");
const LAST = at("2024-06-30");
const TOKEN = 10n ** 18n;

const [ZOE, YVES] = ["11", "99"].map((byte) => `0x${byte.repeat(20)}`) as [string, string];
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** Two transfers on every third day. */
const TRANSFERS = Array.from({ length: 61 }, (_, n) => FIRST + 3 * n * DAY).flatMap((day, n): StoredTransfer[] =>
  [1, 0].map((second) => ({
    ...{ time: day + 60 * second, block: 2 * n + second, logIndex: n, from: ZOE, to: YVES },
    ...{
      fromLabel: second,
      toLabel: second === 0 ? 3 : 64 + 3,
      price: n / 4,
      raw: TOKEN / 2n + BigInt(second) * TOKEN,
    },
  })),
);
/** What docs/api.md says of a transfer. */
const shown = ({ time, block, logIndex, fromLabel, price, raw }: StoredTransfer) => ({
  t: iso(time),
  block,
  log_index: logIndex,
  hash: null,
  from: ZOE,
  from_group: fromLabel === 0 ? "users" : "sc",
  from_label: null,
  to: YVES,
  to_group: "cex",
  to_label: EXCHANGE_SELECTORS[2],
  tokens: Number(raw) / 1e18,
  raw: String(raw),
  dollars: (Number(raw) / 1e18) * price,
});
const between = (from: string, to: string) =>
  TRANSFERS.filter(({ time }) => time >= at(from) && time < at(to) + DAY).map(shown);

const EVENTS = [
  { t: at("2024-02-01"), title: 'Listing, "spot"', link: "https://example.org/listing?id=1" },
  { t: at("2024-03-01T12:30:00"), title: "Unlock" },
];

let client: Client;
const failures = vi.spyOn(console, "error").mockImplementation(() => {});
afterAll(() => failures.mockRestore());

beforeAll(async () => {
  await putKey();
  const token = {
    metrics: ["price"] as const,
    periods: { day: [{ name: "all", from: FIRST, to: FIRST + 366 * DAY }] },
    range: { day: [FIRST, LAST] as [number, number] },
    series: () => [],
  };
  const holders = { rows: [], price: 1, groupRows: 1, hasLists: false };
  await publish(env.BUCKET, { ...token, symbol: "ARIA", transfers: TRANSFERS, events: EVENTS });
  await publish(env.BUCKET, { ...token, symbol: "QUIET", transfers: [] });
  // A checkpoint and no transfers: the build is older than them.
  await publish(env.BUCKET, { ...token, symbol: "OLDER", holders });
  await publish(env.BUCKET, { ...token, symbol: "DAYLESS", range: {}, periods: { day: [] } });
  await mark(env.BUCKET, "FORMER", "ARIA");
  client = freshIsolate();
});

type Row = Record<string, unknown>;
const transfersPath = (query: string) => `/v3/transfers/largest?${query}`;
const problem = async (path: string) => (await client.fetch(path)).json<Row>();

async function answer(path: string): Promise<Response> {
  const response = await client.fetch(path);
  if (response.status !== 200) expect(await response.text()).toBe("");
  return response;
}
const json = async (path: string) => (await answer(path)).json<Row>();
const transfers = async (query: string) => (await json(transfersPath(query))).transfers;

/** The rows of each format but JSON and CSV. */
async function rowsOf(path: string, columns: readonly { name: string; type: string }[]): Promise<Row[][]> {
  const join = path.includes("?") ? "&" : "?";
  const bytes = async (format: string) => (await answer(`${path}${join}f=${format}`)).bytes();
  const lines = new TextDecoder().decode(await bytes("ndjson")).split("\n");
  const fromArrow = (found: Row): Row =>
    Object.fromEntries(
      columns.map(({ name, type }) => {
        const value = found[name] ?? null;
        if (value === null || type === "text") return [name, value];
        return [name, type === "time" ? iso(Number(value) / 1000) : Number(value)];
      }),
    );
  const arrow = tableFromIPC(await bytes("arrow"));
  const parquet = tableOfParquet(await bytes("parquet"));
  return [
    lines.filter((line) => line !== "").map((line) => JSON.parse(line)),
    ...[arrow, parquet].map((table) => table.toArray().map((row) => fromArrow(row.toJSON()))),
  ];
}

describe("GET /v3/transfers/largest", () => {
  it("has the same rows in every format", async () => {
    const path = transfersPath("a=ARIA&s=2024-02-20&u=2024-03-10");
    const rows = between("2024-02-20", "2024-03-10");
    expect(rows).toHaveLength(14);
    expect(await json(path)).toEqual({
      asset: "ARIA",
      build: "0123456789abcdef",
      asOf: "2026-01-01T00:00:00Z",
      transfers: rows,
    });
    for (const found of await rowsOf(path, LARGE_TRANSFER_COLUMNS)) expect(found).toEqual(rows);
    const csv = await (await answer(`${path}&f=csv`)).text();
    const lines = rows.map(
      (row) =>
        `${Object.values(row)
          .map((cell) => cell ?? "")
          .join(",")}\n`,
    );
    expect(csv).toBe(`${LARGE_TRANSFER_COLUMNS.map(({ name }) => name).join(",")}\n${lines.join("")}`);
    for (const format of ["csv", "arrow", "parquet"]) {
      const empty = await answer(`${transfersPath("a=QUIET")}&f=${format}`);
      expect((await empty.bytes()).length).toBeGreaterThan(0);
    }
  });

  it("is of the last day, unless a range says otherwise", async () => {
    expect(await transfers("a=aria")).toEqual(between("2024-06-30", "2024-06-30"));
    expect(await transfers("a=ARIA&u=2024-01-05")).toEqual([]);
    expect(await transfers("a=ARIA&u=2024-01-04")).toEqual(between("2024-01-04", "2024-01-04"));
    expect(await transfers("a=ARIA&u=2024-01-04T23:00:00")).toEqual(between("2024-01-04", "2024-01-04"));
    expect(await transfers("a=ARIA&s=-3d")).toEqual(between("2024-06-27", "2024-06-30"));
    expect(await transfers("a=ARIA&s=2024-06-27T00:00:01")).toEqual(between("2024-06-28", "2024-06-30"));
    expect(await transfers("a=ARIA&s=-5d&u=-2d")).toEqual(between("2024-06-25", "2024-06-28"));
    expect(await transfers("a=ARIA&s=2020-01-01&u=2024-01-01")).toEqual(between("2024-01-01", "2024-01-01"));
    expect(await transfers("a=ARIA&s=2024-06-30&u=2025-01-01")).toEqual(between("2024-06-30", "2024-06-30"));
    for (const none of ["s=2024-07-01", "u=2023-12-31", "s=2023-01-01&u=2023-02-01", "s=-2d&u=-5d"]) {
      expect(await transfers(`a=ARIA&${none}`)).toEqual([]);
    }
    expect([await transfers("a=QUIET"), await transfers("a=DAYLESS&s=-9d")]).toEqual([[], []]);
  });

  it("has up to 100 days", async () => {
    expect(await transfers("a=ARIA&s=2024-03-23")).toEqual(between("2024-03-23", "2024-06-30"));
    expect(await problem(transfersPath("a=ARIA&s=2024-03-22"))).toMatchObject({
      type: "/problems/invalid-parameter",
      parameter: "s",
      detail: "These are 101 days: an answer has the transfers of up to 100. Ask for fewer at once.",
      suggestion: "2024-03-23",
    });
  });

  it("says what is wrong", async () => {
    const types: [query: string, type: string, parameter?: string][] = [
      ["", "missing-parameter", "a"],
      ["a=OLDER", "unavailable-metric", "a"],
      ["a=NONE", "unsupported-asset", "a"],
      ["a=ARIA&s=yesterday", "invalid-parameter", "s"],
      ["a=ARIA&s=-3", "invalid-parameter", "s"],
      ["a=ARIA&s=2024-02-01&u=2024-01-01", "reversed-range", "s"],
      ["a=ARIA&f=xml", "invalid-parameter", "f"],
      ["a=ARIA&limit=3", "unknown-parameter"],
      ["a=ARIA&a=ARIA", "repeated-parameter", "a"],
    ];
    for (const [query, type, parameter] of types) {
      const found = await problem(transfersPath(query));
      expect(found, query).toMatchObject({ type: `/problems/${type}`, ...(parameter && { parameter }) });
    }
  });

  it("has a tag, and takes a symbol that the asset had before", async () => {
    const response = await answer(transfersPath("a=FORMER"));
    expect(response.headers.get("X-Soprano-Renamed")).toBe("FORMER=ARIA");
    const { headers } = await answer(transfersPath("a=ARIA"));
    expect(headers.get("Link")).toBe('</methodology#13-largest-transfers>; rel="describedby"');
    const known = await client.fetch(transfersPath("a=ARIA"), { headers: { "If-None-Match": headers.get("ETag")! } });
    expect(known.status).toBe(304);
    const other = await answer(transfersPath("a=ARIA&s=-1d"));
    expect(other.headers.get("ETag")).not.toBe(headers.get("ETag"));
  });

  it("answers 503 while the store does, and 500 for a damaged object", async () => {
    const isMonth = (key: string) => /^(transfers|packs)\//.test(key);
    const down = freshIsolate({ bucket: failingBucket(env.BUCKET, isMonth) });
    expect((await down.fetch(transfersPath("a=ARIA"))).status).toBe(503);
    const spoil = (bytes: Uint8Array) => bytes.fill(bytes[20]! ^ 1, 20, 21);
    const damaged = freshIsolate({ bucket: alteringBucket(env.BUCKET, spoil, isMonth) });
    expect((await damaged.fetch(transfersPath("a=ARIA"))).status).toBe(500);
  });
});

describe("GET /v3/assets/<asset>/events", () => {
  it("has the same rows in every format", async () => {
    const path = "/v3/assets/aria/events";
    const rows = EVENTS.map(({ t, title, link = null }) => ({ t: iso(t), title, link }));
    expect(await json(path)).toEqual({
      asset: "ARIA",
      build: "0123456789abcdef",
      asOf: "2026-01-01T00:00:00Z",
      events: rows,
    });
    for (const found of await rowsOf(path, EVENT_COLUMNS)) expect(found).toEqual(rows);
    expect(await (await answer(`${path}?f=csv`)).text()).toBe(
      't,title,link\n2024-02-01T00:00:00,"Listing, ""spot""",https://example.org/listing?id=1\n2024-03-01T12:30:00,Unlock,\n',
    );
    expect((await json("/v3/assets/QUIET/events")).events).toEqual([]);
  });

  it("says what is wrong, and how many there are in /v3/assets", async () => {
    expect(await problem("/v3/assets/NONE/events")).toMatchObject({ type: "/problems/unsupported-asset" });
    expect(await problem("/v3/assets/ARIA/events?a=ARIA")).toMatchObject({ type: "/problems/unknown-parameter" });
    expect((await client.fetch("/v3/assets/ARIA/events", { headers: { "X-Api-Key": "none" } })).status).toBe(401);
    expect(await json("/v3/assets/ARIA")).toMatchObject({ events: 2 });
    expect(await json("/v3/assets/QUIET")).not.toHaveProperty("events");
  });
});
