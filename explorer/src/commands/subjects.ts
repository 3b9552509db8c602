/** Commands that show something: metrics, formulas, example charts, cohorts and assets. */

import type { NamedFormula } from "../../../data-schema/registry.ts";
import { catalogMetric, selectorFamilies } from "../api/catalog.ts";
import { assetTitle, selectorName, seriesName, unitTitle } from "../format/names.ts";
import type { Line } from "../lines/lines.ts";
import { ofAsset } from "../lines/of-asset.ts";
import type { FoundFamily } from "../search/families.ts";
import type { Match } from "../search/search.ts";
import type { Page, Session } from "../session.ts";
import { seriesLine, setAsset, setSelector } from "../state/changes.ts";
import { viewsOf } from "../state/views.ts";
import type { Command } from "./command.ts";
import { addLine, showBelow, showLine } from "./line-commands.ts";

export function metricCommand({ metric, selector }: Match, { chart, asset, activePane }: Page): Command {
  const first = chart.panes[activePane]?.lines.find((line) => line.kind === "series");
  const line = seriesLine(metric, selector ?? first?.selector);
  return {
    group: "Metrics",
    title: seriesName(metric, selector, asset),
    detail: unitTitle(metric.unit, asset),
    words: [],
    ...lineCommands(line),
  };
}

export function formulaCommand({ name, title, text }: NamedFormula): Command {
  return { group: "Formulas", title, detail: text, words: [], ...lineCommands({ kind: "formula", text: name }) };
}

export const familyCommand = ({ title, line }: FoundFamily): Command => ({
  group: "Families",
  title,
  detail: "whole family",
  words: [],
  ...lineCommands(line),
});

const lineCommands = (line: Line) => ({
  run: (session: Session) => showLine(session, line),
  add: (session: Session) => addLine(session, line),
  below: (session: Session) => showBelow(session, line),
});

export function viewCommands({ catalog, chart }: Page): Command[] {
  return viewsOf(catalog, chart.asset).map((view) => ({
    group: "Example charts",
    title: view.title,
    detail: "",
    words: [view.words, "view example"],
    run: (session) => session.show(view.chart),
  }));
}

/** Cohorts, exchanges and samples that the chart's series can be shown for. */
export function cohortCommands({ chart, catalog, asset, activePane }: Page): Command[] {
  const lines = chart.panes[activePane]?.lines ?? [];
  const metrics = new Set(
    lines.flatMap((line) => (line.kind === "series" ? (catalogMetric(catalog, line.metric) ?? []) : [])),
  );
  const named = new Map<string, Command>();
  for (const metric of metrics) {
    const { selector } = metric;
    if (selector === null) continue;
    for (const { title, values } of selectorFamilies(metric, asset)) {
      for (const value of values) {
        named.set(value, {
          group: "Cohorts",
          title: selectorName(value, asset),
          detail: title === "Base" ? selector.title : title,
          words: [value.replace("@", ""), `${value} ${selector.title} ${title}`],
          run: (session) => session.change((chart) => setSelector(chart, activePane, value, catalog)),
        });
      }
    }
  }
  return [...named.values()];
}

/** With Shift, the active pane's last series or formula is compared with that of the asset. */
export function assetCommands({ catalog, chart, activePane }: Page): Command[] {
  const last = chart.panes[activePane]?.lines.findLast(({ kind }) => kind !== "family");
  const lineOf = (symbol: string) => (last ? ofAsset(last, symbol) : null);
  return catalog.assets
    .filter(({ symbol }) => symbol !== chart.asset)
    .map(({ symbol, name }) => ({
      group: "Assets",
      title: assetTitle({ symbol, name }),
      detail: "",
      words: ["asset token"],
      run: (session) => session.change((chart) => setAsset(chart, symbol)),
      ...(lineOf(symbol) && { add: (session: Session) => addLine(session, lineOf(symbol)!) }),
    }));
}
