import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, rowsWithin } from "../../../explorer/src/data/table.ts";
import { series, times } from "../points.ts";

describe("the table", () => {
  it("contains every series, in order", () => {
    fc.assert(
      fc.property(fc.array(series, { minLength: 1, maxLength: 6 }), (all) => {
        const { t, columns } = align(all);
        for (const [i, { t: own, v }] of all.entries()) {
          const rows = Array.from(columns[i]!, (value, row) => [t[row], value]).filter(
            ([, value]) => !Number.isNaN(value),
          );
          expect(rows).toEqual(Array.from(own, (time, j) => [time, v[j]]));
        }
      }),
    );
  });

  it("ascends, and repeats a time as often as the series in which it occurs most", () => {
    fc.assert(
      fc.property(fc.array(series, { minLength: 1, maxLength: 4 }), (all) => {
        const { t } = align(all);
        const count = (list: ArrayLike<number>, time: number) =>
          Array.from(list).filter((other) => other === time).length;
        for (let i = 1; i < t.length; i++) expect(t[i]).toBeGreaterThanOrEqual(t[i - 1]!);
        for (const time of new Set(Array.from(t))) {
          expect(count(t, time)).toBe(Math.max(...all.map((one) => count(one.t, time))));
        }
      }),
    );
  });

  it("joins blocks by number, and keeps two of one second", () => {
    const a = { t: Float64Array.of(1, 2, 2), v: Float64Array.of(10, 20, 21), block: Float64Array.of(5, 6, 7) };
    const b = { t: Float64Array.of(2, 3), v: Float64Array.of(5, 6), block: Float64Array.of(7, 8) };
    const daily = { t: Float64Array.of(2), v: Float64Array.of(4) };
    const none = Number.NaN;
    expect(align([a, b, daily])).toEqual({
      t: Float64Array.of(1, 2, 2, 2, 3),
      block: Float64Array.of(5, none, 6, 7, 8),
      columns: [
        Float64Array.of(10, none, 20, 21, none),
        Float64Array.of(none, none, none, 5, 6),
        Float64Array.of(none, 4, none, none, none),
      ],
    });
  });

  it("finds the rows in an interval", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -1, max: 4_000_000_001 }), fc.nat(1_000_000_000), (t, from, length) => {
        const rows = rowsWithin({ t: Float64Array.from(t) }, { since: from, until: from + length });
        expect(t.slice(rows.from, rows.to)).toEqual(t.filter((time) => time >= from && time <= from + length));
      }),
    );
  });
});
