import { expect, it } from "vitest";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { viewsOf } from "../../../explorer/src/state/views.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";
import { catalog as small } from "../catalog.ts";

const { metrics, groups, signs } = tableMetricCatalog();
const catalog = { metrics, groups, signs, assets: small.assets, formulas: small.formulas } as unknown as Catalog;

it("example charts show every series and family that they name", () => {
  const views = viewsOf(catalog, "ARIA");
  expect(views).toHaveLength(16);
  const line = (title: string) => views.find((view) => view.title === title)!.chart.panes[0]!.lines[0];
  expect(line("Supply by age")).toMatchObject({ kind: "family", metric: "supply", by: "age", mode: "share" });
  expect(line("Supply by wealth")).toMatchObject({ kind: "family", metric: "supply", by: "value", mode: "share" });
  const heat = (title: string) => views.find((view) => view.title === title)!.chart.panes[0]!.heat;
  expect([heat("Cost basis and price"), heat("Supply by month of purchase")]).toEqual(["cost_basis", "acquired"]);
  expect(line("MVRV z-score and price")).toEqual({ kind: "formula", text: "mvrv_zscore" });
  const study = (title: string) => views.find((view) => view.title === title)!.chart.panes[0]!.study;
  expect(study("This drawdown and earlier ones")).toEqual({ kind: "cycles", since: "high" });
  expect(line("Exchange netflow")).toEqual({ kind: "formula", text: "netflow" });
});
