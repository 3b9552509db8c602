import { describe, expect, it } from "vitest";
import { fromBigInt } from "../../builder/engine/amounts.ts";
import {
  agePart,
  BalanceCohorts,
  balancePart,
  EVEN,
  holdingAge,
  LOSS,
  NO_AGE,
  PROFIT,
  packStanding,
  sideOf,
  sidePart,
  valuePart,
  valueRange,
} from "../../builder/engine/classify.ts";

const DAY = 86_400;

describe("break-even band", () => {
  it.each([
    [1, 1, EVEN],
    [1 + 0.9e-9, 1, EVEN],
    [1 + 1.1e-9, 1, PROFIT],
    [1, 1 + 0.9e-9, EVEN],
    [1, 1 + 1.1e-9, LOSS],
    [0, 0, EVEN],
    [1e-300, 0, PROFIT],
    [0, 1e-300, LOSS],
  ])("a price of %d is on side %#: against %d", (price, basis, side) => {
    expect(sideOf(price, basis)).toBe(side);
  });
});

describe("value ranges", () => {
  it.each([
    [0, 0],
    [99.999, 0],
    [100, 1],
    [999.99, 1],
    [1_000, 2],
    [10_000, 3],
    [100_000, 4],
    [1_000_000, 5],
    [9_999_999.99, 5],
    [10_000_000, 6],
    [1e300, 6],
  ])("of $%d is number %d", (usd, range) => {
    expect(valueRange(usd)).toBe(range);
  });
});

describe("holding ages", () => {
  it.each([
    [0, 0],
    [DAY - 1, 0],
    [DAY, 1],
    [7 * DAY - 1, 1],
    [7 * DAY, 2],
    [30 * DAY, 3],
    [90 * DAY, 4],
    [180 * DAY, 5],
    [365 * DAY, 6],
    [730 * DAY, 7],
    [1095 * DAY, 8],
    [1825 * DAY, 9],
    [2555 * DAY, 10],
    [3650 * DAY - 1, 10],
    [3650 * DAY, NO_AGE],
  ])("of %d seconds is number %d", (age, cohort) => {
    expect(holdingAge(2_000_000_000, 2_000_000_000 - age)).toBe(cohort);
  });

  it("round the purchase time to the nearest second, half up", () => {
    expect(holdingAge(DAY + 10, 10.49)).toBe(1);
    expect(holdingAge(DAY + 10, 10.5)).toBe(0);
  });
});

describe("balance cohorts", () => {
  const words = (value: bigint) => {
    const array = new Uint32Array(3);
    fromBigInt(value, array, 0, 3);
    return array;
  };
  const unit = 6n * 10n ** 17n;
  const cohorts = new BalanceCohorts(
    Array.from({ length: 7 }, (_, n) => unit * 10n ** BigInt(n)),
    3,
  );

  it("begin exactly at their edges", () => {
    for (let n = 0n; n < 7n; n++) {
      const edge = unit * 10n ** n;
      expect(cohorts.cohort(words(edge - 1n), 0)).toBe(Number(n));
      expect(cohorts.cohort(words(edge), 0)).toBe(Number(n) + 1);
    }
  });

  it("leave out edges that no balance of so many words reaches", () => {
    expect(new BalanceCohorts([1n, 2n ** 96n], 3).cohort(words(2n ** 96n - 1n), 0)).toBe(1);
  });
});

describe("a standing", () => {
  it("gives back what was packed, as places among the subdivisions", () => {
    const standing = packStanding(6, 7, 10, LOSS);
    expect([valuePart(standing), balancePart(standing), agePart(standing), sidePart(standing)]).toEqual([
      6,
      7 + 7,
      7 + 8 + 10,
      LOSS,
    ]);
    expect(agePart(packStanding(0, 0, NO_AGE, EVEN))).toBe(-1);
  });
});
