import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedBefore, cutPacks, takenAlong } from "../../../builder/published/publish/packing.ts";

const MB = 1024 * 1024;
const part = (key: string, size = 1) => ({ key, size });
const keysOf = (packs: { key: string }[][]) => packs.map((parts) => parts.map(({ key }) => key));

describe("packs", () => {
  it("have parts in the order of their keys, closed ones apart", () => {
    const parts = ["c", "a-closed", "b", "d-closed"].map((key) => part(key));
    const packs = cutPacks(parts, (key) => key.endsWith("closed"));
    expect(keysOf(packs)).toEqual([
      ["a-closed", "d-closed"],
      ["b", "c"],
    ]);
    expect(cutPacks([], () => false)).toEqual([]);
  });

  it("have every part once, up to 64 MiB, whatever the order in which they came", () => {
    const parts = fc.uniqueArray(fc.record({ key: fc.string(), size: fc.integer({ min: 1, max: 8 * MB }) }), {
      selector: ({ key }) => key,
      maxLength: 60,
    });
    const isClosed = (key: string) => key.length % 2 === 0;
    fc.assert(
      fc.property(parts, (all) => {
        const packs = cutPacks(all, isClosed);
        expect(keysOf(packs).flat().sort()).toEqual(all.map(({ key }) => key).sort());
        expect(keysOf(cutPacks(all.toReversed(), isClosed))).toEqual(keysOf(packs));
        for (const parts of packs) {
          expect(parts.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(64 * MB);
          expect(new Set(parts.map(({ key }) => isClosed(key))).size).toBe(1);
        }
      }),
    );
  });
});

describe("a part is closed", () => {
  const hash = "0".repeat(32);
  const [newYear, aDayBefore] = [Date.UTC(2025, 0, 1) / 1000, Date.UTC(2024, 11, 31) / 1000];
  const blocks = [
    { name: "2024-03", to: Date.UTC(2024, 5, 17) / 1000 },
    { name: "2024-06-17", to: newYear + 1 },
  ];

  it.each([
    [`series/S/hour/sopr/2024.${hash}.parquet`, newYear, true],
    [`series/S/hour/sopr/2024.${hash}.parquet`, newYear - 1, false],
    [`series/S/hour/sopr/2025.${hash}.parquet`, newYear + 3_600, false],
    [`series/S/day/fifo.cost_basis/2024.${hash}.parquet`, newYear, true],
    [`series/S/day/sopr/all.${hash}.parquet`, newYear, false],
    [`series/S/block/sopr/2024-03.${hash}.parquet`, aDayBefore, true],
    [`series/S/block/sopr/2024-06-17.${hash}.parquet`, aDayBefore, false],
    [`holders/S/2024-12.${hash}.parquet`, newYear, true],
    [`holders/S/2024-12.${hash}.parquet`, aDayBefore, false],
    [`holders/S/lists.${hash}.parquet`, newYear, false],
    [`transfers/S/2024-11.${hash}.parquet`, aDayBefore, true],
    [`checkpoints/S/lots.fifo.${hash}.parquet`, newYear, false],
  ])("%s at %i: %s", (key, asOf, isClosed) => {
    expect(closedBefore(asOf, blocks)(key)).toBe(isClosed);
  });
});

it("parts are taken along out of a pack of which less than a quarter is named", () => {
  const [sparse, quarter] = [
    { hash: "a", size: 100 },
    { hash: "b", size: 100 },
  ];
  const parts = [
    { ...part("one", 12), pack: sparse },
    { ...part("two", 25), pack: quarter },
    { ...part("three", 12), pack: sparse },
  ];
  expect(takenAlong(parts, 1000).map(({ key }) => key)).toEqual(["one", "three"]);
});

it("takes along what lies in packs that are named least, until little else is in all packs", () => {
  const pack = (hash: string) => ({ hash, size: 100 });
  const parts = [
    { ...part("half", 50), pack: pack("a") },
    { ...part("third", 30), pack: pack("b") },
    { ...part("all", 100), pack: pack("c") },
  ];
  const takenOf = (named: number) => takenAlong(parts, named).map(({ key }) => key);
  // 120 bytes that nothing names, and 50 without those beside the third.
  expect(takenOf(300)).toEqual([]);
  expect(takenOf(299)).toEqual(["third"]);
  expect(takenOf(125)).toEqual(["third"]);
  expect(takenOf(124)).toEqual(["third", "half"]);
});

it("leaves at most 1.4 times what is named in packs, whatever they had", () => {
  const packed = fc.record({
    size: fc.integer({ min: 1, max: MB }),
    share: fc.double({ min: 0.01, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(packed, { maxLength: 20 }), (packs) => {
      const parts = packs.map(({ size, share }, i) => ({
        ...part(String(i), Math.max(1, Math.floor(size * share))),
        pack: { hash: String(i), size },
      }));
      const named = parts.reduce((sum, { size }) => sum + size, 0);
      const taken = new Set(takenAlong(parts, named));
      const stored = parts.reduce((sum, one) => sum + (taken.has(one) ? one.size : one.pack.size), 0);
      expect(stored).toBeLessThanOrEqual(1.4 * named);
    }),
  );
});
