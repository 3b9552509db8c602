import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_CHAIN, MAX_DECIMALS, MAX_NAME } from "../../../data-schema/asset.ts";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";
import { RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { MAX_NIGHTS } from "../../../data-schema/stored/changes.ts";
import {
  catalogEntry,
  listedSeries,
  MAX_LABELS_VERSION,
  MAX_PRICE_GAPS,
  ManifestError,
  parseCatalogEntry,
  parseManifest,
} from "../../../data-schema/stored.ts";

const manifest = {
  schema: 1,
  symbol: "HUM",
  name: "Humanscape",
  chain: "ethereum",
  contract: "0x174afe7a032b5a33a3270a9f6c30746e25708532",
  decimals: 18,
  maxSupply: "1250000000",
  balanceUnit: "6e-1",
  asOf: "2022-12-28T00:00:00.000Z",
  build: "0123456789abcdef",
  created: "2026-01-01T00:00:00.000Z",
  engine: "1",
  inputs: [{ role: "transfers", file: "transfers.csv", sha256: "00", bytes: 10, rows: 1 }],
  counts: { transfers: 1, mints: 1, burns: 0, holders: 2 },
  resolutions: {
    day: {
      first: 0,
      last: 86_400,
      periods: [
        {
          name: "all",
          from: 0,
          to: 172_800,
          metrics: {
            volume: { rows: 1, hash: "0".repeat(32), size: 700, footer: 500, footerHash: "1".repeat(32) },
            sopr: { rows: 0 },
          },
        },
      ],
    },
    block: { first: null, last: null, periods: [] },
  },
};

describe("parseManifest", () => {
  it("reads what a build wrote", () => {
    expect(parseManifest(JSON.stringify(manifest))).toEqual(manifest);
  });

  it("reads the whole digest of an object, with its times, and the half that version 1 has", () => {
    const read = (entry: object) => {
      const [day] = manifest.resolutions.day.periods;
      const volume = { ...day!.metrics.volume, ...entry };
      const periods = [{ ...day, metrics: { volume } }];
      const resolutions = { ...manifest.resolutions, day: { ...manifest.resolutions.day, periods } };
      return [...listedSeries(parseManifest(JSON.stringify({ ...manifest, resolutions })))][0]!;
    };
    const whole = read({ hash: "0".repeat(32) + "2".repeat(32), first: 0, last: 86_400 });
    expect(whole.entry).toMatchObject({ first: 0, last: 86_400 });
    // The name has half of it, whichever version lists it.
    expect(whole.key).toBe(`series/HUM/day/volume/all.${"0".repeat(32)}.parquet`);
    expect(read({}).key).toBe(whole.key);
    for (const hash of ["0".repeat(31), "0".repeat(33), "0".repeat(63), "0".repeat(65), "G".repeat(64)]) {
      expect(() => read({ hash })).toThrow("resolutions.day.periods.0.metrics.volume");
    }
  });

  it("reads where a part lies, and refuses a place outside the packs", () => {
    const read = (at: unknown, packs: object[] | null = [{ hash: "3".repeat(32), size: 1_000 }]) => {
      const [day] = manifest.resolutions.day.periods;
      const periods = [{ ...day, metrics: { volume: { ...day!.metrics.volume, at } } }];
      const resolutions = { ...manifest.resolutions, day: { ...manifest.resolutions.day, periods } };
      return [...listedSeries(parseManifest(JSON.stringify({ ...manifest, resolutions, ...(packs && { packs }) })))][0]!
        .pack;
    };
    const key = `packs/HUM/${"3".repeat(32)}.pack`;
    expect(read([0, 300])).toEqual({ key, hash: "3".repeat(32), size: 1_000, offset: 300 });
    const outside = new ManifestError(
      `the manifest places series/HUM/day/volume/all.${"0".repeat(32)}.parquet outside its packs`,
    );
    for (const at of [
      [0, 301],
      [0, 2 ** 60],
      [1, 0],
    ]) {
      expect(() => read(at), String(at)).toThrow(outside);
    }
    for (const at of [[0, -1], [0, 0.5], [0], [0, 0, 0]]) {
      expect(() => read(at), String(at)).toThrow("resolutions.day.periods.0.metrics.volume");
    }
    expect(() => read([0, 0], [])).toThrow("packs");
    expect(() => read([0, 0], null)).toThrow(outside);
  });

  it("reads when there is a price, also from the catalog entry, and does without it", () => {
    const price = { first: 3_600, last: 7_200, gaps: [[3_600, 5_000]] };
    const read = parseManifest(JSON.stringify({ ...manifest, price }));
    expect(read.price).toEqual(price);
    expect(parseCatalogEntry(JSON.stringify(catalogEntry(read)))?.price).toEqual(price);
    expect(catalogEntry(parseManifest(JSON.stringify(manifest)))).not.toHaveProperty("price");
  });

  it("reads what was checked, also from the catalog entry, and does without it", () => {
    const checked = { block: 21_000_000, holders: 12_345, of: 12_345 };
    const read = parseManifest(JSON.stringify({ ...manifest, checked }));
    expect(read.checked).toEqual(checked);
    expect(parseCatalogEntry(JSON.stringify(catalogEntry(read)))?.checked).toEqual(checked);
    expect(catalogEntry(parseManifest(JSON.stringify(manifest)))).not.toHaveProperty("checked");
  });

  it("reads weeks and months, which begin on Mondays and first days of months", () => {
    const day = 86_400;
    const buckets = (first: number, end: number) => ({
      first,
      last: first,
      periods: [{ name: "all", from: first, to: end, metrics: { price: { rows: 0 } } }],
    });
    const read = (week: object) => {
      const resolutions = { ...manifest.resolutions, week, month: buckets(0, 31 * day) };
      return parseManifest(JSON.stringify({ ...manifest, schema: 2, resolutions }));
    };
    // 1970 begins on a Thursday.
    const manifest2 = read(buckets(-3 * day, 4 * day));
    expect(catalogEntry(manifest2).ranges).toEqual({
      day: [0, day],
      week: [-3 * day, -3 * day],
      month: [0, 0],
    });
    expect(parseCatalogEntry(JSON.stringify(catalogEntry(manifest2)))).toEqual(catalogEntry(manifest2));
    expect(() => read(buckets(0, 7 * day))).toThrow("the manifest's field resolutions.week");
  });

  it.each([
    ["text that is not JSON", "{", "the manifest is not JSON"],
    ["null", "null", "the manifest has schema version undefined, this reader knows 1 and 2"],
    [
      "another schema version",
      JSON.stringify({ ...manifest, schema: 3 }),
      "the manifest has schema version 3, this reader knows 1 and 2",
    ],
    [
      "an unknown field",
      JSON.stringify({ ...manifest, extra: true }),
      "the manifest's field extra is missing, unknown or malformed",
    ],
    [
      "a field that is missing",
      JSON.stringify({ ...manifest, build: undefined }),
      "the manifest's field build is missing, unknown or malformed",
    ],
    [
      "a period that ends before the last day",
      JSON.stringify(manifest).replace('"to":172800', '"to":86400'),
      "the manifest's field resolutions.day is missing, unknown or malformed",
    ],
    [
      "a first day without a last",
      JSON.stringify(manifest).replace('"last":86400', '"last":null'),
      "the manifest's field resolutions.day is missing, unknown or malformed",
    ],
    [
      "a day that begins at another time",
      JSON.stringify(manifest).replace('"first":0', '"first":5'),
      "the manifest's field resolutions.day.first is missing, unknown or malformed",
    ],
    [
      "a footer longer than its object",
      JSON.stringify(manifest).replace('"footer":500', '"footer":693'),
      "the manifest's field resolutions.day.periods.0.metrics.volume is missing, unknown or malformed",
    ],
    [
      "a metric that does not exist",
      JSON.stringify(manifest).replace("sopr", "sopranino"),
      "the manifest's field resolutions.day.periods.0.metrics.sopranino is missing, unknown or malformed",
    ],
  ])("refuses %s", (_, text, message) => {
    expect(() => parseManifest(text)).toThrow(new ManifestError(message));
  });
});

describe("the catalog's entry fits R2's custom metadata", () => {
  const amount = fc.maxSafeNat();
  const time = fc.oneof(fc.nat(253_402_300_800), fc.constant(253_402_300_800));
  const share = fc.constantFrom(0, 0.123457, 1);
  const coverage = { addresses: amount, held: amount, holders: amount, supplyShare: share, volumeShare: share };
  const sha256 = fc.constant("f".repeat(64));
  /** A line as long as ASSET.json allows, in characters that take one to six bytes of a header. */
  const line = (units: number) =>
    fc.constantFrom("x", "é", "名", '"', "\\", "=").map((character) => character.repeat(units));
  const pairs = (most: number, second: fc.Arbitrary<number>) =>
    fc.array(fc.tuple(time, second), { minLength: most, maxLength: most });
  const longest = fc.record({
    symbol: fc.constant("ABCDEFGHIJKLMNOPQRST"),
    name: line(MAX_NAME),
    chain: line(MAX_CHAIN),
    decimals: fc.constant(MAX_DECIMALS),
    balanceUnit: fc.constant("9e-150"),
    checked: fc.record({ block: amount, holders: amount, of: amount }),
    price: fc.record({
      first: time,
      last: time,
      gaps: pairs(MAX_PRICE_GAPS, time),
      moreGaps: amount.filter((more) => more > 0),
    }),
    predecessors: fc.constant(
      Array.from({ length: 3 }, () => ({
        contract: `0x${"f".repeat(40)}`,
        ratio: `${"9".repeat(8)}.${"9".repeat(8)}:${"9".repeat(8)}.${"9".repeat(8)}`,
        by: "snapshot" as const,
        until: Number.MAX_SAFE_INTEGER,
      })),
    ),
    labels: fc.record({
      exchanges: fc.record({ version: line(MAX_LABELS_VERSION), sha256, ...coverage }),
      contracts: fc.record({ sha256, ...coverage }),
    }),
    deposits: fc.record({
      asOf: fc.constant("2026-01-01T00:00:00.000Z"),
      exchanges: fc.record(
        Object.fromEntries(EXCHANGE_SELECTORS.slice(1).map((name) => [name, fc.integer({ min: 1, max: 99_999_999 })])),
      ),
      inflowShare: fc.constant(0.123456),
    }),
  });
  const activations = fc.record({
    at: fc.constant("2026-01-01T00:00:00.000Z"),
    change: amount,
    nights: pairs(MAX_NIGHTS, amount),
  });
  /** Times of 12 digits for every resolution, of which a manifest can't have more. */
  const end = 253_399_622_400;
  const ranges = Object.fromEntries(RESOLUTIONS.map((resolution) => [resolution, [end, end]]));

  it("with a third to spare, however long its texts and lists are", () => {
    fc.assert(
      fc.property(longest, activations, (members, activation) => {
        const longestManifest = parseManifest(JSON.stringify({ ...manifest, schema: 2, ...members }));
        const entry = catalogEntry(longestManifest, activation);
        const { deposits, ...others } = members;
        expect(entry).toMatchObject({ ...others, activation });
        const { exchanges, others: rest = 0 } = entry.deposits!;
        const sum = (counts: object) => Object.values(counts).reduce((sum, count) => sum + count, 0);
        expect(sum(exchanges) + rest).toBe(sum(deposits.exchanges));
        expect(Math.min(...Object.values(exchanges))).toBeGreaterThanOrEqual(
          Math.max(
            ...Object.entries(deposits.exchanges).map(([name, count]) => (name in exchanges ? 0 : Number(count))),
          ),
        );
        const text = JSON.stringify({ ...entry, ranges });
        // Over R2's S3 API a UTF-16 unit beyond ASCII, or a "=", takes six bytes; the SHA-256 of the object is there too.
        const bytes = text.replace(/[^ -<>-~]/g, "123456").length + "catalog".length + "sha256".length + 64;
        expect(bytes).toBeLessThan((8_192 * 2) / 3);
      }),
    );
  });
});
