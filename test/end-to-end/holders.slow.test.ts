/** Holders of a real build, over HTTP: what a plain replay of its transfers gives. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { type Server, serve } from "../../builder/serve/serve.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { NAMED_EXCHANGES } from "../../data-schema/registry/exchanges.ts";
import {
  HOLDER_GROUPS,
  HOLDER_ORDERS,
  HOLDER_SORTS,
  type HolderSort,
} from "../../data-schema/stored/holders/holder-objects.ts";
import { csvOf, transfersOf } from "../demo/simulate/read-back.ts";
import { newFolder } from "../folders.ts";
import {
  type Account,
  receive,
  replayOrder,
  send,
  stepFunction,
  type Token,
  tokens,
  ZERO_ADDRESS,
} from "../reference/reference.ts";

const DAY = 86_400;
const DAYS = 45;
const AS_OF = Date.UTC(2026, 0, 1) / 1000;
const DECIMALS = 18;
/** Own cohorts are lists of addresses: this one has an exchange's, and a contract's. */
const TEAM = 12;

interface Held extends Account {
  address: string;
  group: "users" | "sc" | "cex";
  label: string | null;
  firstSeen: number;
  lastActive: number;
  realised: number;
  received: number;
  sent: number;
  receipts: number;
  sends: number;
}

type Row = Record<string, number | string | null | string[]>;

const folder = newFolder();
let server: Server;
let key = "";
let team: string[] = [];
let closePrice = 0;
let supply = 0n;
const held = new Map<string, Held>();
/** The balances at the close of each day, by its start. */
const balances = new Map<number, Map<string, bigint>>();

beforeAll(async () => {
  const { assetPath } = await simulate({
    out: folder,
    symbol: "ARIA",
    name: "Aria",
    seed: 5,
    transfers: 44_000,
    days: DAYS,
    addresses: 11_000,
  });
  team = (await csvOf(folder, "exchanges.csv")).slice(0, TEAM).map(([address]) => address!);
  await writeFile(join(folder, "team.csv"), ["address", ...team].join("\n"));
  const asset = {
    ...JSON.parse(await readFile(assetPath, "utf8")),
    resolutions: ["day"],
    cohorts: { team: "team.csv" },
  };
  await writeFile(assetPath, JSON.stringify(asset));
  const state = await openLocalState(join(folder, "state"));
  // The second build resumes from the first one.
  for (const asOf of [AS_OF - 3 * DAY, AS_OF]) {
    await build(assetPath, state.objects, { threads: 1, progress: silentProgress(), asOf });
  }
  ({ key } = await createKey(state.keys, { name: "holders", plan: "unlimited" }));
  await state.close();
  server = await serve({ port: 0, persist: join(folder, "state") });
  await replay(asset.contract);
}, 120_000);

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function replay(contract: string): Promise<void> {
  const exchanges = Object.fromEntries(await csvOf(folder, "exchanges.csv")) as Record<string, string>;
  const contracts = new Set((await csvOf(folder, "contracts.csv")).map(([address]) => address!));
  const prices = (await csvOf(folder, "prices.csv")).map(([time, usd]): [number, number] => [
    Number(time),
    Number(usd),
  ]);
  const transfers = (await transfersOf(folder)).filter(({ token }) => token === contract);
  const events = replayOrder({ transfers, asOf: AS_OF } as unknown as Token);
  const { at, before } = stepFunction(prices);
  const known = (address: string, time: number): Held => {
    const found = held.get(address);
    if (found) return found;
    const name = exchanges[address] ?? null;
    const label = name === null || NAMED_EXCHANGES.some((one) => one === name) ? name : "other";
    const group = label === null ? (contracts.has(address) ? "sc" : "users") : "cex";
    const sums = { realised: 0, received: 0, sent: 0, receipts: 0, sends: 0 };
    const made: Held = { address, group, label, q: 0n, a: 0, h: 0, firstSeen: time, lastActive: time, ...sums };
    held.set(address, made);
    return made;
  };
  const now = new Map<string, bigint>();
  let day = Math.floor(events[0]!.timestamp / DAY) * DAY;
  const closeUntil = (time: number) => {
    for (; day + DAY <= time; day += DAY) balances.set(day, new Map(now));
  };
  for (const { from, to, value, timestamp } of events) {
    if (value === 0n || from === to) continue;
    closeUntil(timestamp);
    const x = tokens(value, DECIMALS);
    const price = at(timestamp);
    if (from === ZERO_ADDRESS) supply += value;
    else {
      const sender = known(from, timestamp);
      sender.realised += x * (price - sender.a);
      sender.sent += x;
      sender.sends++;
      sender.lastActive = timestamp;
      send(sender, value);
      now.set(from, sender.q);
    }
    if (to === ZERO_ADDRESS) supply -= value;
    else {
      const receiver = known(to, timestamp);
      receiver.received += x;
      receiver.receipts++;
      receiver.lastActive = timestamp;
      receive(receiver, value, timestamp, price);
      now.set(to, receiver.q);
    }
  }
  closeUntil(AS_OF);
  closePrice = before(AS_OF);
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** What an address has, as docs/methodology.md#12-holders says. */
function rowOf({ address, q, a, h, ...own }: Held): Row {
  const balance = tokens(q, DECIMALS);
  const holds = q > 0n;
  return {
    address,
    balance,
    raw: String(q),
    share: balance / tokens(supply, DECIMALS),
    average_price: holds ? a : null,
    cost: holds ? balance * a : 0,
    value: balance * closePrice,
    unrealised_profit: holds ? balance * (closePrice - a) : 0,
    realised_profit: own.realised,
    received: own.received,
    sent: own.sent,
    receipts: own.receipts,
    sends: own.sends,
    first_seen: iso(own.firstSeen),
    last_active: iso(own.lastActive),
    held_since: holds ? iso(Math.floor(h + 0.5)) : null,
    group: own.group,
    label: own.label,
    cohorts: team.includes(address) ? ["team"] : [],
  };
}

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(server.url + path, { headers: { "X-Api-Key": key } });
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

/** Signed sums agree to so much of their terms; all else to 1e-9. */
function expectNear(found: Row, expected: Row): void {
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  for (const [name, value] of Object.entries(expected)) {
    const own = found[name]!;
    if (typeof value !== "number" || typeof own !== "number") {
      // A rounded average may fall on the other side of half a second.
      const isTime = name === "held_since" && value !== null;
      if (isTime) expect(Math.abs(Date.parse(`${own}Z`) - Date.parse(`${value}Z`))).toBeLessThanOrEqual(1_000);
      else expect([expected.address, name, own]).toEqual([expected.address, name, value]);
      continue;
    }
    const terms = name.endsWith("_profit")
      ? 1e-11 * (Number(expected.received) + Number(expected.sent)) * closePrice * 10
      : 0;
    expect(Math.abs(own - value), `${expected.address} ${name}: ${own}, not ${value}`).toBeLessThanOrEqual(
      1e-9 * Math.abs(value) + terms,
    );
  }
}

const KEYS: Record<HolderSort, (row: Row) => number> = {
  balance: (row) => Number(row.balance),
  cost: (row) => Number(row.cost),
  unrealised_profit: (row) => Number(row.unrealised_profit),
  realised_profit: (row) => Number(row.realised_profit),
  received: (row) => Number(row.received),
  first_seen: (row) => Date.parse(`${row.first_seen}Z`),
  last_active: (row) => Date.parse(`${row.last_active}Z`),
};

it("has more addresses than the Worker sorts by itself", () => {
  expect(held.size).toBeGreaterThan(10_000);
});

it.each(HOLDER_SORTS)("lists them by %s, in both orders and of each group", async (sort) => {
  const keyOf = KEYS[sort];
  for (const order of HOLDER_ORDERS) {
    for (const group of [undefined, ...HOLDER_GROUPS]) {
      const all = [...held.values()].filter((one) => group === undefined || one.group === group).map(rowOf);
      const sign = order === "desc" ? -1 : 1;
      all.sort((a, b) => sign * (keyOf(a) - keyOf(b)) || (a.address! < b.address! ? -1 : 1));
      for (const offset of [0, 995, 9_990].filter((first) => first < all.length)) {
        const query = new URLSearchParams({ a: "ARIA", sort, order, limit: "10", offset: `${offset}` });
        if (group) query.set("group", group);
        const { holders } = await ask<{ holders: Row[] }>(`/v3/holders?${query}`);
        const expected = all.slice(offset, offset + 10);
        expect(holders.length).toBe(expected.length);
        for (const [place, row] of holders.entries()) {
          expectNear(row, rowOf(held.get(String(row.address))!));
          // Keys that differ by rounding may have changed places.
          const [own, wanted] = [keyOf(row), keyOf(expected[place]!)];
          expect(Math.abs(own - wanted)).toBeLessThanOrEqual(1e-9 * Math.abs(wanted));
          const next = holders[place + 1];
          if (next === undefined) continue;
          expect(sign * (keyOf(row) - keyOf(next))).toBeLessThanOrEqual(0);
          if (keyOf(row) === keyOf(next)) expect(String(row.address) < String(next.address)).toBe(true);
        }
      }
    }
  }
});

it("finds addresses that hold much, little and nothing any more", async () => {
  const all = [...held.values()];
  for (let i = 0; i < all.length; i += 250) {
    const { holders } = await ask<{ holders: Row[] }>(`/v3/holders/${all[i]!.address}`);
    expect(holders.length).toBe(1);
    const { asset, build: _, asOf, ...row } = holders[0]!;
    expect([asset, asOf]).toEqual(["ARIA", "2026-01-01T00:00:00.000Z"]);
    expectNear(row, rowOf(all[i]!));
  }
  for (const { address } of all.filter((one) => team.includes(one.address))) {
    const { holders } = await ask<{ holders: Row[] }>(`/v3/holders/${address}?a=ARIA`);
    expect(holders[0]!.cohorts).toEqual(["team"]);
  }
  expect(await ask(`/v3/holders/${ZERO_ADDRESS}`)).toEqual({ address: ZERO_ADDRESS, holders: [] });
});

it("has the largest of each day, exactly", async () => {
  const largestOf = (day: number) =>
    [...(balances.get(day) ?? [])]
      .filter(([, raw]) => raw > 0n)
      .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))
      .slice(0, 1_000);
  const days = [...balances.keys()];
  for (const day of [0, 1, 8, 29, 30, 31, days.length - 4, days.length - 1].map((place) => days[place]!)) {
    const { holders } = await ask<{ holders: Row[] }>(`/v3/holders?a=ARIA&at=${iso(day)}&limit=1000`);
    expect(holders.map(({ address, raw }) => [address, raw])).toEqual(
      largestOf(day).map(([address, raw]) => [address, String(raw)]),
    );
    for (const before of [1, 7, 30]) {
      const then = new Map(largestOf(day - before * DAY));
      for (const { address, raw, [`change_${before}d`]: change } of holders) {
        const known = then.get(String(address));
        const difference = known === undefined ? null : BigInt(String(raw)) - known;
        expect(change).toBe(
          difference === null ? null : difference < 0n ? -tokens(-difference, DECIMALS) : tokens(difference, DECIMALS),
        );
      }
    }
  }
});
