import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Budget, Lease } from "../../../worker/budget.ts";
import { body } from "../../../worker/format/body.ts";
import type { Rows } from "../../../worker/format/rows-and-pieces.ts";
import { type RowForm, rowText } from "../../../worker/format/table-rows.ts";
import { SERIES_FORMS } from "../../../worker/table/v1-body.ts";

/** In two chunks, of which the reader may know that the second is the last. */
async function* rows(points: { t: number; v: number }[], cut: number, knowsEnd: boolean): AsyncGenerator<Rows> {
  const parts = [points.slice(0, cut), points.slice(cut)];
  for (const [index, part] of parts.entries()) {
    const t = Float64Array.from(part, (point) => point.t);
    yield { t, block: null, columns: [Float64Array.from(part, ({ v }) => v)], isLast: knowsEnd && index === 1 };
  }
}

async function written(
  points: { t: number; v: number }[],
  cut: number,
  form: RowForm,
  knowsEnd: boolean,
): Promise<string> {
  const lease = new Lease(new Budget(), Date.now);
  const { content } = await body(rowText(rows(points, cut, knowsEnd), form, lease), null, {
    entry: { id: "" },
    lease,
    waitUntil: () => {},
  });
  return new Response(content).text();
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

const series = fc
  .array(
    fc.record({
      // Close together or far apart, on midnight or not: each part of a time changes alone and with others.
      step: fc.constantFrom(0, 1, 59, 60, 3600, 86_399, 86_400, 31 * 86_400, 366 * 86_400),
      v: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let t = Date.UTC(2019, 11, 31, 23, 58) / 1000 + 120 * (steps.length % 2);
    return steps.map(({ step, v }) => {
      t += step;
      return { t, v };
    });
  });

it("writes JSON as JSON.stringify does", async () => {
  await fc.assert(
    fc.asyncProperty(series, fc.nat(40), fc.boolean(), async (points, cut, knowsEnd) => {
      const text = await written(points, cut, SERIES_FORMS.json, knowsEnd);
      expect(text).toBe(JSON.stringify(points.map(({ t, v }) => ({ t: iso(t), v }))));
    }),
  );
});

it("writes CSV, one line a point", async () => {
  await fc.assert(
    fc.asyncProperty(series, fc.nat(40), fc.boolean(), async (points, cut, knowsEnd) => {
      const text = await written(points, cut, SERIES_FORMS.csv, knowsEnd);
      expect(text).toBe(`t,v\n${points.map(({ t, v }) => `${iso(t)},${v}\n`).join("")}`);
    }),
  );
});
