import { describe, expect, it } from "vitest";
import { clustersOf, halfwayText, type ServedAround, sharesOf } from "../../../explorer/src/data/clusters.ts";

const served = (changes: Partial<ServedAround> = {}): ServedAround => ({
  buckets: [
    { name: "below", from: null, to: 0.9 },
    { name: "k-1", from: 0.9, to: 1 },
    { name: "k0", from: 1, to: 1.1 },
    { name: "k2", from: 1.2, to: 1.3 },
    { name: "above", from: 1.3, to: null },
  ],
  t: [0],
  price: [1.05],
  at: [2],
  supply: [[40, 10, 20, 0, 30]],
  num_addresses: [[4, 1, 2, 0, 3]],
  ...changes,
});

describe("clusters", () => {
  it("are those that somebody is in, the dearest first, in, at or out of the money", () => {
    expect(
      clustersOf(served()).map(({ side, tokens, addresses, isOuter }) => [side, tokens, addresses, isOuter]),
    ).toEqual([
      ["out", 30, 3, true],
      ["at", 20, 2, false],
      ["in", 10, 1, false],
      ["in", 40, 4, true],
    ]);
  });

  it("have their side where nobody is at the price, and where all was free", () => {
    const nobody = served({ at: [-1], supply: [[40, 10, 0, 5, 30]], num_addresses: [[4, 1, 0, 1, 3]] });
    expect(clustersOf(nobody).map(({ side }) => side)).toEqual(["out", "out", "in", "in"]);
    const free = { buckets: [{ name: "0", from: 0, to: 0 }], at: [-1], supply: [[1]], num_addresses: [[1]] };
    expect(clustersOf(served(free)).map(({ side }) => side)).toEqual(["in"]);
  });

  it("share the supply, of which there may be none", () => {
    expect(sharesOf(clustersOf(served()))).toEqual({ in: 0.5, at: 0.2, out: 0.3 });
    expect(sharesOf([])).toEqual({ in: 0, at: 0, out: 0 });
  });

  it("are as far from the price of half the supply as a sentence says", () => {
    expect(halfwayText(2, 2.5)).toBe(
      "The price would have to rise by 25\u202f%, to $2.5, for half of the supply to be in profit.",
    );
    expect(halfwayText(2, 1)).toBe(
      "The price could fall by 50\u202f%, to $1, and half of the supply would still be in profit.",
    );
    expect(halfwayText(2, 0)).toBe("Half of the supply was free: it is in profit at any price.");
    expect(halfwayText(0, 1)).toBe("There is no price yet.");
  });
});
