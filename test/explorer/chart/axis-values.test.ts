import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spread } from "../../../explorer/src/chart/overlays/axis-values.ts";

const STEP = 15;

describe("labels at an axis", () => {
  it.each([
    ["stay where none overlap", [20, 60, 40], [20, 60, 40]],
    ["share the room of two at the same place", [50, 50], [42.5, 57.5]],
    ["push others on", [50, 52, 66], [41, 56, 71]],
    ["stay inside at both ends", [0, 3, 100], [7.5, 22.5, 92.5]],
  ])("%s", (_, places, moved) => {
    expect(spread(places, 100)).toEqual(moved);
  });

  const cases = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 8 });

  it("never overlap, lie inside, and keep their order", () => {
    fc.assert(fc.property(cases, isApart));
  });

  function isApart(places: number[]): void {
    const moved = spread(places, 200);
    for (const [i, y] of moved.entries()) {
      expect(y).toBeGreaterThanOrEqual(STEP / 2 - 1e-9);
      expect(y).toBeLessThanOrEqual(200 - STEP / 2 + 1e-9);
      for (const [k, other] of moved.entries()) {
        if (k !== i) expect(Math.abs(y - other)).toBeGreaterThanOrEqual(STEP - 1e-9);
        if (places[i]! < places[k]!) expect(y).toBeLessThan(other);
      }
    }
  }

  it("move as little as any other way, to the square", () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 3 }), isLeast));
  });

  function isLeast(steps: number[]): void {
    // Places on a grid of five pixels, of which all arrangements are tried.
    const places = steps.map((step) => step * 5).sort((a, b) => a - b);
    const cost = (tried: readonly number[]) => tried.reduce((sum, y, i) => sum + (y - places[i]!) ** 2, 0);
    const grid = Array.from({ length: 25 }, (_, i) => 7.5 + 2.5 * i).filter((y) => y <= 60 - 7.5);
    const arrangements = (count: number): number[][] =>
      count === 0
        ? [[]]
        : arrangements(count - 1).flatMap((before) =>
            grid.filter((y) => before.every((other) => y - other >= STEP)).map((y) => [...before, y]),
          );
    const least = Math.min(...arrangements(places.length).map(cost));
    expect(cost(spread(places, 60))).toBeLessThanOrEqual(least + 1e-9);
  }
});
