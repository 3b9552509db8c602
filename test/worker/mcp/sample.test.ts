import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Sample } from "../../../worker/mcp/sample.ts";

const chunkOf = (times: readonly number[]) => ({
  t: Float64Array.from(times),
  block: null,
  columns: [Float64Array.from(times, (t) => 2 * t)],
});

it("holds every n-th row from the first, and the last, however the rows arrive", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 30 }), { maxLength: 20 }), fc.integer({ min: 1, max: 9 }), (lengths, most) => {
      const sample = new Sample(most);
      let count = 0;
      for (const length of lengths) sample.add(chunkOf(Array.from({ length }, () => count++)));
      const { every, rows } = sample;
      expect([sample.count, Math.log2(every) % 1]).toEqual([count, 0]);
      const wanted = Array.from({ length: count }, (_, row) => row).filter(
        (row) => row % every === 0 || row === count - 1,
      );
      expect(rows.map(({ t }) => t)).toEqual(wanted);
      expect(rows.map(({ values }) => values)).toEqual(wanted.map((row) => [2 * row]));
      expect(rows.length).toBeLessThanOrEqual(most + 1);
      // No more was thinned out than was needed.
      if (every > 1) expect(Math.ceil(count / (every / 2))).toBeGreaterThan(most);
    }),
  );
});
