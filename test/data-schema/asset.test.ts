import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balanceEdges, balanceEdgesInTokens, balanceUnit } from "../../data-schema/asset.ts";

describe("the unit of the balance cohorts", () => {
  it.each([
    ["21000000", 1, -2],
    ["1250000000", 6, -1],
    // 1.5 → 2, half up, and just below it → 1.
    ["3150000000", 2, 0],
    ["3149999999.999", 1, 0],
    // 9.5 → 10: one digit more.
    ["19950000000", 1, 1],
    ["19949999999", 9, 0],
    ["1", 5, -10],
    ["0.000000000000000001", 5, -28],
  ])("of a maximum supply of %s is %d·10^%d", (maxSupply, digit, exponent) => {
    expect(balanceUnit(maxSupply)).toEqual({ digit, exponent });
  });

  it("gives edges in raw units, raised to the next whole one", () => {
    expect(balanceEdges("1250000000", 18)[0]).toBe(600_000_000_000_000_000n);
    expect(balanceEdges("1250000000", 18)[6]).toBe(600_000_000_000_000_000_000_000n);
    expect(balanceEdges("1250000000", 0)).toEqual([1n, 6n, 60n, 600n, 6_000n, 60_000n, 600_000n]);
    expect(balanceEdges("1", 0)).toEqual([1n, 1n, 1n, 1n, 1n, 1n, 1n]);
  });

  it.each([
    ["6e-1", "0.6", "600000"],
    ["1e0", "1", "1000000"],
    ["9e1", "90", "90000000"],
    ["5e-28", "0.0000000000000000000000000005", "0.0000000000000000000005"],
  ])("of %s gives edges from %s to %s tokens", (unit, first, last) => {
    const edges = balanceEdgesInTokens(unit);
    expect([edges.length, edges[0], edges[6]]).toEqual([7, first, last]);
  });

  it("gives the same edges in tokens and in raw units if tokens are divisible enough", () => {
    const supply = fc.bigInt(1n, 10n ** 30n).map(String);
    fc.assert(
      fc.property(supply, (maxSupply) => {
        const { digit, exponent } = balanceUnit(maxSupply);
        const raw = balanceEdgesInTokens(`${digit}e${exponent}`).map((edge) => {
          const [whole = "", fraction = ""] = edge.split(".");
          return BigInt(whole + fraction.padEnd(30, "0"));
        });
        expect(raw).toEqual(balanceEdges(maxSupply, 30));
      }),
    );
  });

  it("is within half a unit of its last digit of the exact quotient", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 40n), (maxSupply) => {
        const { digit, exponent } = balanceUnit(maxSupply.toString());
        // |digit·10^exponent − maxSupply / (21·10^8)| ≤ ½·10^exponent, all times 42·10^28 to stay whole.
        const scale = 10n ** BigInt(20 + exponent);
        const difference = BigInt(digit) * scale * 42n * 10n ** 8n - 2n * maxSupply * 10n ** 20n;
        const half = scale * 21n * 10n ** 8n;
        // Rounding up to another digit makes the unit larger, and so its half.
        expect(difference <= half && -difference < half).toBe(true);
      }),
    );
  });
});
