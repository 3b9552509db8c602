import { expect, it } from "vitest";
import { activate } from "../../../builder/published/publish/activate.ts";
import type { OwnCohort } from "../../../data-schema/registry/own-cohorts.ts";
import { currentKey, screenerKey } from "../../../data-schema/stored/objects.ts";
import { parseScreener, SCREENER_COLUMNS, screenerFields } from "../../../data-schema/stored/screener.ts";
import { type Manifest, parseCatalogEntry } from "../../../data-schema/stored.ts";
import { runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const DAY = 86_400;
/** Values by day, the last of which is day 399. */
const days = (values: (number | null)[]) =>
  new Map(values.flatMap((value, i) => (value === null ? [] : [[(400 - values.length + i) * DAY, value] as const])));
const T = 399 * DAY;
const column = (isFraction: boolean) => ({ isFraction });

it.each([
  ["differences", false, [10, ...Array(22).fill(5), 4, 4, 4, 4, 4, 4, 3, 2], [2, -1, -2, -8, 1 / 31]],
  ["fractions", true, [10, ...Array(22).fill(5), 4, 4, 4, 4, 4, 4, 3, 2], [2, -1 / 3, -0.5, -0.8, 1 / 31]],
  ["a value that is missing", false, [1, 2, null], [null, null, null, null, null]],
  ["an earlier one that is missing", false, [1, null, 2], [2, null, null, null, 1]],
  ["a change from 0", true, [0, 2], [2, null, null, null, 1]],
  ["the only day", false, [3], [3, null, null, null, 1]],
  ["equal days", false, [3, 3, 3, 4, 3], [3, -1, null, null, 0.8]],
] as const)("%s", (_, isFraction, values, expected) => {
  const found = screenerFields(column(isFraction), days([...values]), T);
  expect(found.map((value) => (value === null ? null : Number(value.toPrecision(6))))).toEqual(
    expected.map((value) => (value === null ? null : Number(value.toPrecision(6)))),
  );
});

it("counts the last 365 days, this one included", () => {
  const values = Array.from({ length: 400 }, (_, i) => (i < 35 ? 0 : 2));
  expect(screenerFields(column(false), days([...values.slice(0, -1), 1]), T)[4]).toBe(Number((1 / 365).toPrecision(8)));
});

it("has eight digits", () => {
  expect(screenerFields(column(false), days([123_456_789_012.345]), T)[0]).toBe(123_456_790_000);
});

it("goes into an object of its own beside 32 own cohorts with long names and large numbers", async () => {
  const store = new MemoryStore();
  const from = `0x${"0".repeat(40)}`;
  const to = `0x${"1".repeat(40)}`;
  const transfers = [{ block: 1, logIndex: 0, timestamp: Date.UTC(2025, 0, 1) / 1000, from, to, value: 10n ** 18n }];
  const token = {
    decimals: 18,
    maxSupply: "1000000",
    asOf: Date.UTC(2025, 1, 1) / 1000,
    transfers,
    prices: [],
    exchanges: {},
    contracts: [],
  };
  const folder = new TokenFolder(token, "TOK");
  try {
    folder.csv("transfers-1.csv", transfers);
    await runBuild(store, folder.asset({ prices: undefined, asOf: "2025-02-01T00:00:00Z" }));
  } finally {
    folder.close();
  }
  const current = () => store.objects.get(currentKey("TOK"))!;
  const small = parseScreener(current().metadata!.screener);
  expect(small).toMatchObject({
    columns: { active_addresses: [0, 0, 0, -1, 0.96774194], price: [null, null, null, null, null] },
  });
  expect(Object.keys((small as { columns: object }).columns)).toEqual(SCREENER_COLUMNS.map(({ name }) => name));

  const manifest = JSON.parse(new TextDecoder().decode(current().bytes)) as Manifest;
  const names = Array.from(
    { length: 32 },
    (_, i): OwnCohort => `@${"cohort-with-a-long-name".padEnd(30, "x")}${String(i).padStart(2, "0")}`,
  );
  const facts = { sha256: "a".repeat(64), addresses: 1_000_000, holders: 999_999 };
  const large: Manifest = {
    ...manifest,
    name: "A token with a name of two hundred letters ".repeat(4),
    cohorts: Object.fromEntries(names.map((name) => [name, facts])),
    labels: {
      exchanges: {
        version: "v".repeat(64),
        sha256: "b".repeat(64),
        addresses: 1_000_000_000_000,
        held: 1_000_000_000_000,
      },
    },
    price: {
      first: 1,
      last: 2,
      gaps: Array.from({ length: 10 }, (_, i): [number, number] => [1_700_000_000 + i, 1_700_000_001 + i]),
      moreGaps: 1_000_000_000_000,
    },
  };
  // Notes about the nights take their place, too.
  const nights = Array.from({ length: 10 }, (_, i): [number, number] => [1_700_000_000 + i, 1_000_000_000_000]);
  const activation = { at: "2026-01-01T00:00:00.000Z", change: 1, nights, knownSince: "2025-01-01T00:00:00.000Z" };
  let isElsewhere = false;
  for (let more = 0; !isElsewhere; more++) {
    const padded = { ...large, name: large.name.padEnd(more * 500, "n") };
    expect(await activate(store, padded, activation, current().etag)).toBe(true);
    const { metadata } = current();
    const bytes = Object.entries(metadata!).reduce(
      (sum, [name, text]) => sum + name.length + Buffer.byteLength(text),
      0,
    );
    expect(bytes).toBeLessThanOrEqual(8_192);
    expect(parseCatalogEntry(metadata!.catalog)).toMatchObject({ build: manifest.build });
    const found = parseScreener(metadata!.screener)!;
    isElsewhere = "object" in found;
    const text =
      "object" in found
        ? new TextDecoder().decode(store.objects.get(screenerKey("TOK", found.object))!.bytes)
        : metadata!.screener;
    expect(parseScreener(text)).toEqual(small);
    expect(more).toBeLessThan(20);
  }
});
