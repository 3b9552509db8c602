/**
 * Lines in links to charts: a series, `supply:users`, or `DUET.supply:users` of another asset; a family,
 * `supply:*age:share`; a formula, `=mvrv`. Their forms are those of explorer/src/lines; a test compares them.
 */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import { FAMILY_FORM, REST, SERIES_FORM } from "../../data-schema/chart-link.ts";
import {
  ALL_OWN,
  type Division,
  divisionOf,
  familyTitle,
  isOwnCohort,
  KIND_NAMES,
  kindCohort,
  kindDivision,
  LOT_METHODS,
  lotCohortsOf,
  lotDivision,
  lotName,
  type Metric,
  NAMED_FORMULAS,
  OWN_FAMILY,
  ownDivision,
  percentileDivision,
  SELECTOR_NAMES,
  SINGLE_SERIES,
  selectorIn,
} from "../../data-schema/registry.ts";
import { type ChartFormula, isChosen, readChartFormula } from "./linked-formula.ts";
import { checkSelector, drawnMetric, UnreadableLine } from "./metric.ts";

export interface Line extends ChartFormula {
  kind: "series" | "family" | "formula";
  /** The text of the line in links: a series with its selector. */
  text: string;
  /** The title in words, without the selector of a series. */
  title: string;
  /** The title with the selector, of a series other than the metric's default. */
  fullTitle: string;
}

/**
 * Reads a line.
 *
 * @throws {UnreadableLine} the explorer could not draw it
 */
export function readLine(text: string): Line {
  if (text.startsWith("=")) return formulaLine(text.slice(1).trim());
  const [, symbol, name = "", rest] = SERIES_FORM.exec(text) ?? [];
  const asset = symbol?.toUpperCase();
  if (asset !== undefined && !SYMBOL_PATTERN.test(asset)) throw new UnreadableLine("A symbol has another form.");
  const metric = drawnMetric(name);
  const { selectors, ...line } = rest?.startsWith("*") ? familyLine(metric, rest) : seriesLine(metric, rest);
  const qualified = asset === undefined ? line.text : `${asset}.${line.text}`;
  const chosen = selectors.filter(isChosen).map((selector) => ({ asset: asset ?? "", selector }));
  return { ...line, text: qualified, metrics: [metric], assets: asset === undefined ? [] : [asset], chosen };
}

type OwnLine = Pick<Line, "kind" | "text" | "title" | "fullTitle"> & { selectors: readonly string[] };

function seriesLine(metric: Metric, given: string | undefined): OwnLine {
  const selector = selectorIn(metric);
  // Answers name a single series, too.
  const value = given ?? selector?.default ?? SINGLE_SERIES;
  if (selector !== null || value !== SINGLE_SERIES) checkSelector(metric, value);
  const { name, title } = metric;
  const text = selector === null && value === SINGLE_SERIES ? name : `${name}:${value}`;
  const isDefault = value === (selector?.default ?? SINGLE_SERIES);
  const fullTitle = isDefault ? title : `${title}, ${selectorName(value)}`;
  return { kind: "series", text, title, fullTitle, selectors: [value] };
}

/** Without the edges of balance cohorts, which are an asset's own. */
const selectorName = (value: string): string =>
  lotName(value) ?? SELECTOR_NAMES[value] ?? value.replace(/^balance_cohort_/, "Balance ");

function familyLine(metric: Metric, text: string): OwnLine {
  const [, by = "", , , values] = FAMILY_FORM.exec(text) ?? [];
  const divisions = divisionsOf(metric);
  const division = divisions.find((one) => one.by === by);
  if (division === undefined) {
    const allowed = divisions.map((one) => `${metric.name}:*${one.by}`);
    throw new UnreadableLine(`${metric.name} has no such family.`, allowed, `${metric.name}:*${by}`);
  }
  const parts = [...division.parts, ...division.beside, REST];
  // Which own cohorts there are, the asset's operator says.
  const isPart = (value: string) => parts.includes(value) || (by === OWN_FAMILY && isOwnCohort(value));
  const stranger = values?.split(",").find((value) => !isPart(value));
  if (stranger !== undefined) throw new UnreadableLine("The family has no such part.", parts, stranger);
  const title = familyTitle(metric.title, by);
  // A family of own cohorts has those that there are.
  const selectors = division.parts.filter((part) => !isOwnCohort(part));
  return { kind: "family", text: `${metric.name}:${text}`, title, fullTitle: title, selectors };
}

/** The families of a metric that make a picture. */
function divisionsOf(metric: Metric): Division[] {
  const selector = selectorIn(metric);
  if (selector === null) return [];
  const own = selector.families.map((family) => divisionOf(metric, selector, family));
  const all = [
    ...own,
    // Nor by which methods its asset has lots.
    ...(lotCohortsOf(metric.name).length > 1
      ? LOT_METHODS.flatMap((method) => own.map((division) => division && lotDivision(division, method)))
      : []),
    // A link does not say which of them its asset has.
    kindDivision(selector.values, KIND_NAMES.map(kindCohort)),
    ownDivision(selector.values, [ALL_OWN]),
    percentileDivision(metric.name),
  ];
  return all.filter((division) => division !== null).filter(({ parts }) => parts.length > 0);
}

function formulaLine(text: string): Line {
  const title = NAMED_FORMULAS.find(({ name }) => name === text.toLowerCase())?.title ?? text;
  return { kind: "formula", text: `=${text}`, title, fullTitle: title, ...readChartFormula(text) };
}
