import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Points, TableReader } from "../../../explorer/src/api/points.ts";
import { times, values } from "../points.ts";

/** Tables as the API writes them: at some rows, a series has no point. */
const tables = times.chain((t) => {
  const column = fc.array(fc.option(values, { nil: Number.NaN }), { minLength: t.length, maxLength: t.length });
  return fc.record({
    t: fc.constant(t),
    columns: fc.array(column, { minLength: 1, maxLength: 4 }),
    isBlocks: fc.boolean(),
  });
});

const points = (t: number[], v: number[], isBlocks: boolean): Points => {
  const rows = v.flatMap((value, row) => (Number.isNaN(value) ? [] : [row]));
  const pick = (from: number[]) => Float64Array.from(rows, (row) => from[row]!);
  return { t: pick(t), v: pick(v), block: isBlocks ? pick(t.map((_, row) => 7 * row)) : undefined };
};

describe("the parser", () => {
  it("reads back any table, wherever the text is cut, and leaves out what is missing", () => {
    fc.assert(
      fc.property(tables, fc.array(fc.nat(4000), { maxLength: 5 }), ({ t, columns, isBlocks }, cuts) => {
        const names = columns.map((_, i) => `ARIA:metric_${i}:total`);
        const head = ["t", ...(isBlocks ? ["block"] : []), ...names].join(",");
        const lines = t.map((time, row) => {
          const cells = columns.map((column) => (Number.isNaN(column[row]) ? "" : column[row]));
          return [time, ...(isBlocks ? [7 * row] : []), ...cells].join(",");
        });
        const text = [head, ...lines].map((line) => `${line}\n`).join("");
        const reader = new TableReader();
        const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        for (const [i, end] of ends.entries()) reader.push(text.slice(ends[i - 1] ?? 0, end));
        expect([...reader.series()]).toEqual(names.map((name, i) => [name, points(t, columns[i]!, isBlocks)]));
      }),
    );
  });

  it("grows beyond its initial capacity", () => {
    const reader = new TableReader();
    reader.push("t,a\n");
    for (let i = 0; i < 10_000; i++) reader.push(`${i * 3600},${i / 7}\n`);
    const { t, v } = reader.series().get("a")!;
    expect(t.length).toBe(10_000);
    expect([t[9999], v[9999]]).toEqual([9999 * 3600, 9999 / 7]);
  });
});
