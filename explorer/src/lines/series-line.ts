/** A line of one published series. In a link: `metric`, `metric:selector`, or `ASSET.metric:selector` for another asset. */

import { SERIES_FORM } from "../../../data-schema/chart-link.ts";
import { plainComputation } from "../../../data-schema/formula.ts";
import { type Context, catalogMetric, findAsset, selectorFamilies } from "../api/catalog.ts";
import { seriesName } from "../format/names.ts";
import type { LineKind } from "./line-kind.ts";

export interface SeriesLine {
  kind: "series";
  /** Null: the chart's own asset. */
  asset: string | null;
  metric: string;
  selector: string | null;
}

export const SERIES_LINE: LineKind<SeriesLine> = {
  parse(text, { catalog, asset: own }) {
    const [, symbol, name = "", given] = SERIES_FORM.exec(text) ?? [];
    const asset = symbol === undefined ? own : findAsset(catalog, symbol.toUpperCase());
    const metric = catalogMetric(catalog, name);
    if (!metric || (symbol !== undefined && !asset)) return undefined;
    const line = { kind: "series" as const, asset: symbol === undefined ? null : asset!.symbol, metric: name };
    // The API names the only series of a metric of addresses `total`.
    if (metric.selector === null && (given ?? "total") === "total") return { ...line, selector: null };
    // No selector contains a space, so a space is an unencoded plus sign.
    const selector = given?.replaceAll(" ", "+") ?? metric.selector?.default ?? "";
    const known = selectorFamilies(metric, asset).flatMap(({ values }) => values);
    return known.includes(selector) ? { ...line, selector } : undefined;
  },

  format: ({ asset, metric, selector }) =>
    `${asset === null ? "" : `${asset}.`}${metric}${selector === null ? "" : `:${selector}`}`,

  within: (line, asset) => (line.asset === asset ? { ...line, asset: null } : line),

  curves(line, context) {
    const metric = catalogMetric(context.catalog, line.metric);
    const asset = assetOf(line, context);
    if (!metric || (line.asset !== null && !asset)) return [];
    const own = line.asset === null ? "" : `${line.asset} `;
    return [
      {
        name: own + seriesName(metric, line.selector, asset),
        code: own + (line.selector === null ? line.metric : `${line.metric} ${line.selector}`),
        unit: metric.unit,
        look: metric.look,
        metrics: [metric],
      },
    ];
  },

  computations: ({ asset, metric, selector }, context) => [
    plainComputation({ asset: asset ?? context.asset?.symbol ?? "", metric, selector }),
  ],
};

const assetOf = ({ asset }: SeriesLine, { catalog, asset: own }: Context) =>
  asset === null ? own : findAsset(catalog, asset);
