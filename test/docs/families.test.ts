/** docs/families.md lists the families that there are, and links that work. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAMILY_MODES } from "../../data-schema/chart-link.ts";
import type { Catalog } from "../../explorer/src/api/catalog.ts";
import { divisionsOf, FAMILY_LINE } from "../../explorer/src/lines/family-line.ts";
import { tableMetricCatalog } from "../../worker/catalog/table-metrics.ts";

const page = readFileSync(new URL("../../docs/families.md", import.meta.url), "utf8");
const { metrics, groups, signs } = tableMetricCatalog();
const assets = ["ARIA", "DUET"].map((symbol) => ({ symbol, name: symbol, ranges: {} }));
const catalog = { metrics, groups, signs, terms: [], assets } as unknown as Catalog;
/** An asset with a kind of contracts. */
const withKinds = { ...catalog.assets[0]!, cohorts: [{ selector: "@dex" }] };
/** One with lots. */
const context = { catalog, asset: { ...catalog.assets[0]!, lots: ["fifo" as const, "hifo" as const] } };

describe("the page about families", () => {
  it.each([...page.matchAll(/`([\w.]+:\*[^`]*)`/g)].map(([, text]) => text!))("%s is a family", (text) => {
    const line = FAMILY_LINE.parse(text, context)!;
    expect(line).toBeDefined();
    for (const mode of FAMILY_MODES) if (text.includes(`:${mode}`)) expect(line.mode).toBe(mode);
    expect(text.includes(":off=")).toBe(line.off.length > 0);
    expect(text.includes(":only=")).toBe(line.only !== null);
  });

  it("names every way in which a metric is divided", () => {
    const ways = new Set(catalog.metrics.flatMap((metric) => divisionsOf(metric, withKinds).map(({ by }) => by)));
    const [, table = ""] = page.split("## What is in a picture");
    const named = [...table.matchAll(/^\| (by [^|]*) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/by (\w+)/g)]);
    expect(new Set(named.map(([, by]) => by))).toEqual(ways);
  });

  it("names the metrics that have no published whole", () => {
    const without = catalog.metrics.filter((metric) =>
      divisionsOf(metric, context.asset).some(({ adds, whole }) => adds && whole === null),
    );
    expect(without.map(({ name }) => name)).toEqual([
      ...["inflow_cohort", "inflow_cohort_dollar", "outflow_cohort", "outflow_cohort_dollar"],
    ]);
    expect(page).toContain("`inflow_cohort` and `outflow_cohort`");
  });
});
