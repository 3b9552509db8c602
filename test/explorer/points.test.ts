import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, indicesWithin, positive } from "../../explorer/src/align.ts";
import { toCsv } from "../../explorer/src/csv.ts";
import { PointReader } from "../../explorer/src/points.ts";
import { isoTime } from "../../explorer/src/time.ts";

const times = fc
  .array(fc.integer({ min: 0, max: 4_000_000_000 }), { maxLength: 60 })
  .map((t) => t.sort((a, b) => a - b));
const values = fc.double({ noNaN: true, noDefaultInfinity: true }).map((v) => (Object.is(v, -0) ? 0 : v));
const series = times.chain((t) =>
  fc.array(values, { minLength: t.length, maxLength: t.length }).map((v) => ({
    t: Float64Array.from(t),
    v: Float64Array.from(v),
  })),
);

describe("reading CSV", () => {
  it("reads what was written, wherever it is cut", () => {
    fc.assert(
      fc.property(series, fc.array(fc.nat(4000)), ({ t, v }, cuts) => {
        const text = `t,v\n${Array.from(t, (time, i) => `${isoTime(time)},${v[i]}\n`).join("")}`;
        const reader = new PointReader();
        const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        for (const [i, end] of ends.entries()) reader.push(text.slice(ends[i - 1] ?? 0, end));
        expect(reader.points()).toEqual({ t, v });
      }),
    );
  });

  it("reads more points than it has room for at first", () => {
    const reader = new PointReader();
    reader.push("t,v\n");
    for (let i = 0; i < 10_000; i++) reader.push(`${isoTime(i * 3600)},${i / 7}\n`);
    const { t, v } = reader.points();
    expect(t.length).toBe(10_000);
    expect([t[9999], v[9999]]).toEqual([9999 * 3600, 9999 / 7]);
  });
});

describe("one time line", () => {
  it("gives every series back, in order", () => {
    fc.assert(
      fc.property(fc.array(series, { minLength: 1, maxLength: 6 }), (all) => {
        const { t, columns } = align(all);
        for (const [i, { t: own, v }] of all.entries()) {
          const rows = Array.from(columns[i], (value, row) => [t[row], value]).filter(
            ([, value]) => value !== undefined,
          );
          expect(rows).toEqual(Array.from(own, (time, j) => [time, v[j]]));
        }
      }),
    );
  });

  it("ascends, and has a row for each time as often as the series that has it most", () => {
    fc.assert(
      fc.property(fc.array(series, { minLength: 1, maxLength: 4 }), (all) => {
        const { t } = align(all);
        const count = (list: ArrayLike<number>, time: number) =>
          Array.from(list).filter((other) => other === time).length;
        for (let i = 1; i < t.length; i++) expect(t[i]).toBeGreaterThanOrEqual(t[i - 1]);
        for (const time of new Set(Array.from(t))) {
          expect(count(t, time)).toBe(Math.max(...all.map((one) => count(one.t, time))));
        }
      }),
    );
  });

  it("keeps two blocks of one second", () => {
    const a = { t: Float64Array.of(1, 2, 2), v: Float64Array.of(10, 20, 21) };
    const b = { t: Float64Array.of(2, 3), v: Float64Array.of(5, 6) };
    expect(align([a, b])).toEqual({
      t: [1, 2, 2, 3],
      columns: [
        [10, 20, 21, undefined],
        [undefined, 5, undefined, 6],
      ],
    });
  });

  it("has no place on a log scale for what is not above zero", () => {
    expect(positive({ t: [1, 2, 3], columns: [[1, 0, undefined], Float64Array.of(-1, 2, 3)] })).toEqual({
      table: {
        t: [1, 2, 3],
        columns: [
          [1, null, undefined],
          [null, 2, 3],
        ],
      },
      dropped: 2,
    });
  });

  it("finds what lies in an interval", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -1, max: 4_000_000_001 }), fc.nat(1_000_000_000), (t, from, length) => {
        const [first, end] = indicesWithin(t, from, from + length);
        expect(t.slice(first, end)).toEqual(t.filter((time) => time >= from && time <= from + length));
      }),
    );
  });
});

it("CSV has a line for each time, and nothing where there is no point", () => {
  const table = { t: [86_400, 172_800], columns: [[1.5, undefined], Float64Array.of(1e21, 2)] };
  expect(toCsv(table, ["sopr $0-100", 'a "b", c'], 0, 2)).toBe(
    't,sopr $0-100,"a ""b"", c"\n1970-01-02T00:00:00,1.5,1e+21\n1970-01-03T00:00:00,,2\n',
  );
});
