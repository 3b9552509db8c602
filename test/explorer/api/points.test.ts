import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PointReader } from "../../../explorer/src/api/points.ts";
import { isoTime } from "../../../explorer/src/format/time.ts";
import { series } from "../points.ts";

describe("the parser", () => {
  it("reads back any series, wherever the text is cut", () => {
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

  it("grows beyond its initial capacity", () => {
    const reader = new PointReader();
    reader.push("t,v\n");
    for (let i = 0; i < 10_000; i++) reader.push(`${isoTime(i * 3600)},${i / 7}\n`);
    const { t, v } = reader.points();
    expect(t.length).toBe(10_000);
    expect([t[9999], v[9999]]).toEqual([9999 * 3600, 9999 / 7]);
  });
});
