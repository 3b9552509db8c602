/** The limits of a week whose ratio is of sums that no series shows. Rule 10 on published series: verify.slow.test.ts. */

import { expect, it } from "vitest";
import type { SeriesByMetric } from "../../../../builder/published/verify/rules/series-columns.ts";
import { compareWithDays } from "../../../../builder/published/verify/rules/weeks-from-days.ts";
import type { MetricName } from "../../../../data-schema/registry/metrics.ts";

const MONDAY = 4 * 86_400;

/** Series of `total` from Monday on; undefined for a day without a point. */
function series(values: Partial<Record<MetricName, (number | undefined)[]>>): SeriesByMetric {
  return new Map(
    Object.entries(values).map(([metric, list]) => {
      const points = list.flatMap((v, day) => (v === undefined ? [] : [{ t: MONDAY + day * 86_400, v }]));
      const run = {
        selector: "total",
        t: Float64Array.from(points, ({ t }) => t),
        v: Float64Array.from(points, ({ v }) => v),
      };
      return [metric as MetricName, new Map([["total", run]])];
    }),
  );
}

it.each<[string, (number | undefined)[], number, string[]]>([
  ["between those of its days", [2, undefined, 4], 3, []],
  ["of one day, but for rounding", [1.1], 1.1 * (1 + Number.EPSILON), []],
  ["above those of its days", [2, 4], 5, [": 5 instead of 1.9"]],
  ["below those of its days", [2, 4], 1, [": 1 instead of 1.9"]],
  // The coins of the second day cost nothing: they have a profit, and only the numerator counts them.
  ["above those of its days, with coins that cost nothing", [2, undefined], 9, []],
  ["below those of its days, with coins that cost nothing", [2, undefined], 1, [": 1 instead of 1.9"]],
  ["of costs that rounding left below zero", [-5, 2], 40, []],
  ["of a price of 0 and such a cost", [-0, 2], 40, []],
])("sopr_profit %s", (_, days, week, problems) => {
  const profits = days.length === 2 && days[1] === undefined ? [1, 1] : days.map((ratio) => ratio && 1);
  const told = compareWithDays(
    "week",
    series({ sopr_profit: [week] }),
    series({ sopr_profit: days, realised_profit: profits }),
    { first: MONDAY, last: MONDAY },
  );
  expect(told.problems).toEqual(problems.map((text) => expect.stringContaining(text)));
  expect(told.checks).toBe(1);
});
