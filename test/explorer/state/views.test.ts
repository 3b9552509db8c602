import { expect, it } from "vitest";
import { type Catalog, findMetric } from "../../../explorer/src/api/catalog.ts";
import { viewsOf } from "../../../explorer/src/state/views.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";
import { catalog as small } from "../catalog.ts";

const { metrics, groups, signs } = tableMetricCatalog();
const catalog = { metrics, groups, signs, assets: small.assets } as unknown as Catalog;

it("example charts show every series that they name", () => {
  const views = viewsOf(catalog, "ARIA");
  expect(views).toHaveLength(6);
  const selectors = (title: string) =>
    views
      .find((view) => view.title === title)!
      .chart.panes[0]!.lines.map((line) => line.kind === "series" && line.selector);
  const family = (title: string) =>
    findMetric(catalog, "supply")!.selector!.families.find((family) => family.title === title)!.values;
  expect(selectors("Supply in profit, under 1 year")).toEqual(family("By holding age").slice(0, 6));
  expect(selectors("Holders of $100+")).toEqual(family("By value in USD").slice(1));
});
