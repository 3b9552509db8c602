/** Corrected prices: what the file says, how two copies merge, and what becomes of the prices. */

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  type Correction,
  correctPrices,
  formatCorrections,
  heldCorrections,
  mergeCorrections,
  parseCorrections,
} from "../../../builder/input/prices/corrections.ts";
import { csv, Folder, HEADER, row } from "../folder.ts";

const TIME = Date.UTC(2026, 2, 1, 14) / 1000;
const HEAD = "timestamp,price_usd,reason,recorded";

const correction = fc.record({
  time: fc.integer({ min: TIME, max: TIME + 12 }),
  usd: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }).map(Math.abs)),
  reason: fc.string({ minLength: 1, maxLength: 20 }).map((text) => `x${text.replaceAll(/[\r\n]/g, " ")}`),
  recorded: fc.integer({ min: 1_700_000_000, max: 1_700_000_005 }),
});
const corrections = fc.uniqueArray(correction, { selector: ({ time }) => time, maxLength: 12 });
const inOrder = (list: readonly Correction[]) => [...list].sort((a, b) => a.time - b.time);

describe("the file", () => {
  it("has what was written to it", () => {
    fc.assert(
      fc.property(corrections, (list) => {
        expect(parseCorrections("c.csv", formatCorrections(list))).toEqual(inOrder(list));
      }),
    );
  });

  it("may be written by hand", () => {
    const text = `\uFEFF${HEAD}\r\n2026-03-01T14:00Z,1.02,a thin pool,2026-03-02\r\n1772377200,,"no, ""wrong""",1772409600\r\n`;
    expect(parseCorrections("c.csv", text)).toEqual([
      { time: TIME, usd: 1.02, reason: "a thin pool", recorded: Date.UTC(2026, 2, 2) / 1000 },
      { time: TIME + 3600, usd: null, reason: 'no, "wrong"', recorded: 1_772_409_600 },
    ]);
  });

  test.each([
    ["time,price", `c.csv: the header is not ${HEAD}; correct it, or remove the file and set the prices again.`],
    [`${HEAD}\n1,2,x`, `c.csv, row 1: it has not the four cells ${HEAD}; correct or remove it.`],
    [
      `${HEAD}\n1,-2,x,1`,
      'c.csv, row 1, column price_usd: "-2" is negative; expected US dollars per token, a number from 0 to 1e100.',
    ],
    [
      `${HEAD}\nyesterday,2,x,1`,
      'c.csv, row 1, column timestamp: "yesterday" is not valid; expected Unix seconds or ISO 8601.',
    ],
    [
      `${HEAD}\n1,2,,1`,
      "c.csv, row 1, column reason: the cell is empty; expected a reason, one line of at most 200 characters.",
    ],
    [`${HEAD}\n1,2,x,1\n1970-01-01T00:00:01Z,3,y,1`, "c.csv has two rows for 1970-01-01T00:00:01Z; remove one."],
    [
      [HEAD, ...Array.from({ length: 101 }, (_, i) => `${i},1,x,1`)].join("\n"),
      "c.csv corrects more than 100 prices: drop some, or name prices of your own in ASSET.json.",
    ],
  ])("is refused: %j", (text, sentence) => {
    expect(() => parseCorrections("c.csv", text)).toThrow(sentence);
  });
});

it("copies merge to the same, in whatever order, and what was said last holds", () => {
  fc.assert(
    fc.property(corrections, corrections, corrections, (a, b, c) => {
      // On one machine nothing is said twice at once.
      const [x, y, z] = [a, b, c].map((list, n) => list.map((one) => ({ ...one, recorded: 3 * one.recorded + n }))) as [
        Correction[],
        Correction[],
        Correction[],
      ];
      const merged = mergeCorrections(mergeCorrections(x, y), z);
      expect(mergeCorrections(z, mergeCorrections(y, x))).toEqual(merged);
      for (const one of merged) {
        const said = [...x, ...y, ...z].filter(({ time }) => time === one.time);
        expect(one.recorded).toBe(Math.max(...said.map(({ recorded }) => recorded)));
      }
    }),
  );
});

it("prices are those of a map that the corrections are set in", () => {
  const prices = fc.uniqueArray(
    fc.tuple(fc.integer({ min: TIME - 3, max: TIME + 15 }), fc.double({ min: 0, max: 9, noNaN: true })),
    { selector: ([time]) => time },
  );
  fc.assert(
    fc.property(prices, corrections, (source, list) => {
      const sorted = source.toSorted(([a], [b]) => a - b);
      const columns = {
        timestamp: Float64Array.from(sorted, ([time]) => time),
        usd: Float64Array.from(sorted, ([, usd]) => usd),
      };
      const held = heldCorrections(inOrder(list));
      const map = new Map([...sorted, ...held.map(({ time, usd }) => [time, usd] as const)]);
      const expected = [...map].sort(([a], [b]) => a - b);
      const { prices: found, origin } = correctPrices(columns, held);
      expect(Array.from(found.timestamp, (time, i) => [time, found.usd[i]])).toEqual(expected);
      const corrected = new Set(held.map(({ time }) => time));
      expect([...origin].map((at) => sorted[at]?.[0])).toEqual(
        expected.map(([time]) => (corrected.has(time) ? undefined : time)),
      );
    }),
  );
});

describe("of an asset", () => {
  const rows = ["2026-03-01T13:00:00Z,1", "2026-03-01T14:00:00Z,2000", "2026-03-01T15:00:00Z,1.1"];
  const folder = (...lines: string[]) =>
    new Folder()
      .write("transfers.csv", csv(HEADER, row({ time: TIME })))
      .write("p.csv", csv("timestamp,price_usd", ...rows))
      .write("TST.corrections.csv", csv(HEAD, ...lines));
  const notices = async (of: Folder) =>
    (await of.read({ prices: "p.csv" })).report.notices.filter((text) => /price of/.test(text));

  test("a price takes the place of that of its time, and others are added", async () => {
    const { prices, report } = await folder(
      "2026-03-01T14:30:00Z,1.05,added,2026-03-02",
      "2026-03-01T14:00:00Z,1.02,a decimal point,2026-03-02",
      "2026-03-01T15:00:00Z,,dropped,2026-03-02",
    ).read({ prices: "p.csv" });
    expect(Array.from(prices.timestamp, (time) => time - TIME)).toEqual([-3600, 0, 1800, 3600]);
    expect([...prices.usd]).toEqual([1, 1.02, 1.05, 1.1]);
    expect(report.files.map(({ role, file, rows }) => [role, file, rows])).toContainEqual([
      "corrections",
      "TST.corrections.csv",
      3,
    ]);
  });

  test("a leap that is corrected is no notice any more; one that a correction makes is", async () => {
    expect(await notices(folder())).toEqual([
      expect.stringContaining("p.csv, row 2: the price of 2026-03-01T14:00:00Z"),
    ]);
    expect(await notices(folder("2026-03-01T14:00:00Z,1.02,x,2026-03-02"))).toEqual([]);
    expect(await notices(folder("2026-03-01T14:00:00Z,5000,x,2026-03-02"))).toEqual([
      expect.stringContaining("A corrected price: the price of 2026-03-01T14:00:00Z, 5000"),
    ]);
  });

  test("without prices of a source, they are all there are", async () => {
    const { prices } = await folder("2026-03-01T14:00:00Z,1.02,x,2026-03-02").read();
    expect([...prices.usd]).toEqual([1.02]);
  });
});
