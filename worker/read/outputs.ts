/** Query and manifests → the series that are read, and what an answer shows of them: themselves, or formulas of them. */

import {
  FORMULA_NAMES,
  type FormulaMeasure,
  metricOf,
  type RegistryFormula,
  readFormula,
  selectorText,
} from "../../data-schema/formula.ts";
import {
  ALL_OWN,
  isLotSelector,
  isOwn,
  type MetricName,
  type MetricUnit,
  methodOf,
  metricByName,
  type Resolution,
  SINGLE_SERIES,
} from "../../data-schema/registry.ts";
import { isOlderThan, lotMethodsOf, type Manifest } from "../../data-schema/stored.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";
import { placeInFormulas, type WantedFormula } from "../request/parameters/formula-parameter.ts";
import type { TableQuery } from "../request/table-query.ts";
import { type AsKnown, pastOf, type TableRange } from "./as-known.ts";
import { axisOf } from "./axis/axis-of.ts";
import { noLots } from "./no-lots.ts";
import type { FormulaOutput, Output, SeriesOutput, TableColumn } from "./table-parts.ts";

/** What an output's column is called; adding a series to a request renames none. */
export function columnName(output: Output): string {
  if (output.formula !== null) return `${output.asset}:${output.name}`;
  const { manifest, metric, selector } = output.series;
  return `${manifest.symbol}:${metric.name}:${selector}`;
}

/** The places of what an output needs. */
export const placesNeeded = (output: Output): readonly number[] =>
  output.formula === null ? [output.column] : output.columns;

/** The output with the new places of its columns. */
export function movedTo(output: Output, places: ReadonlyMap<number, number>): Output {
  const at = (column: number) => places.get(column)!;
  return output.formula === null
    ? { ...output, column: at(output.column) }
    : { ...output, columns: output.columns.map(at) };
}

/** The columns of a table, each once. */
class Columns {
  readonly all: TableColumn[] = [];
  readonly #resolution: Resolution;
  readonly #known: readonly AsKnown[] | null;
  readonly #places = new Map<string, number>();

  constructor(resolution: Resolution, known: readonly AsKnown[] | null) {
    this.#resolution = resolution;
    this.#known = known;
  }

  /** The place of a series. */
  placeOf(manifest: Manifest, metric: TableColumn["metric"], selector: string): number {
    const key = `${manifest.symbol} ${metric.name} ${selector}`;
    const place = this.#places.get(key);
    if (place !== undefined) return place;
    const resolution = this.#resolution;
    const known = this.#known?.find((one) => one.manifest === manifest);
    const past = known ? pastOf(known, resolution, metric.name, selector) : null;
    const { first, last } = past?.published.at(-1) ?? rangeOf(manifest, resolution);
    const isThere = known !== undefined || !isOlderThan(manifest, selector);
    const isDense = axisOf({ resolution }).hasZeros && metric.shape === "sum" && isThere;
    this.#places.set(key, this.all.length);
    return this.all.push({ manifest, metric, selector, first, last, isDense, past }) - 1;
  }
}

/**
 * What a query shows, in its order, and what is read for that.
 *
 * @param manifests of its assets, then of those that only formulas name
 * @param known the same as they were known: what there was not yet has no points
 * @throws {Problem} 400 a resolution, a metric or an own cohort that an asset is published without
 */
export function outputsOf(
  query: TableQuery,
  manifests: readonly Manifest[],
  known: readonly AsKnown[] | null,
): { columns: TableColumn[]; outputs: Output[] } {
  const { resolution, measures, formulas } = query;
  const columns = new Columns(resolution, known);
  const knownOf = (manifest: Manifest) => known?.find((one) => one.manifest === manifest) ?? null;
  // Formulas may name an asset by a symbol that it had before.
  const byName = new Map([...query.symbols, ...query.others].map((name, index) => [name, manifests[index]!]));
  if (known === null) for (const manifest of manifests) rangeOf(manifest, resolution);

  const ofSeries = (manifest: Manifest, measure: FormulaMeasure, selector: string): SeriesOutput => {
    const column = columns.placeOf(manifest, metricOf(measure), selector);
    return { formula: null, column, series: columns.all[column]! };
  };
  const ofFormula = (
    manifest: Manifest,
    name: string,
    text: string,
    formula: RegistryFormula,
    parameter: "m" | "x",
  ) => {
    const places = formula.inputs.map(({ asset, metric, selector }) => {
      const own = asset === "" ? manifest : byName.get(asset)!;
      if (known === null) checkMetric(own, resolution, metric as MetricName, parameter);
      const inX = parameter === "m" ? null : formulas;
      const [only] = theOwn([selector ?? SINGLE_SERIES], own, inX, knownOf(own));
      return columns.placeOf(own, metricByName(metric as MetricName), only!);
    });
    const isOfEach = formula.inputs.some((input) => input.asset === "");
    const { symbol: asset } = isOfEach ? manifest : byName.get(formula.inputs[0]!.asset)!;
    const unit: MetricUnit = formula.unit === "share" ? "ratio" : formula.unit;
    return { formula, columns: places, asset, name, text, unit, measure: null } satisfies FormulaOutput;
  };
  const ofNamed = (
    manifest: Manifest,
    { name, formula, selectors }: FormulaMeasure,
    selector: string,
  ): FormulaOutput => {
    const call = selectors.length === 1 ? name : `${name}:${selectorText(selector)}`;
    const read = readFormula(call, FORMULA_NAMES);
    const output = ofFormula(manifest, `${name}:${selector}`, formula!.text, read, "m");
    return { ...output, measure: { name, selector } };
  };

  const outputs = manifests.slice(0, query.symbols.length).flatMap((manifest, index): Output[] => [
    ...measures.flatMap(({ measure, selectors }) => {
      if (!measure.formula && known === null) checkMetric(manifest, resolution, measure.name as MetricName, "m");
      const make = measure.formula ? ofNamed : ofSeries;
      return theOwn(selectors, manifest, null, knownOf(manifest)).map((selector) => make(manifest, measure, selector));
    }),
    ...formulas
      .filter((formula) => index === 0 || isOfEachAsset(formula))
      .map(({ name, text, formula }) => ofFormula(manifest, name, text, formula, "x")),
  ]);
  if (outputs.length === 0) throw noOwnCohorts(manifests);
  refuseRepeatedColumns(outputs);
  return { columns: columns.all, outputs };
}

/** @throws {Problem} 400 a formula is called what another column is, in which case nobody could tell them apart */
function refuseRepeatedColumns(outputs: readonly Output[]): void {
  const names = outputs.map(columnName);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated === undefined) return;
  throw new Problem(
    "invalid-parameter",
    `Two columns would be called ${repeated}. Give the formula a name of its own, as in mine=supply:users.`,
    { parameter: "x" },
  );
}

/** Whether a formula is computed for each asset: some of its series are of none that it names. */
const isOfEachAsset = ({ formula }: WantedFormula) => formula.inputs.some(({ asset }) => asset === "");

/**
 * The selectors, with the own cohorts that `ALL_OWN` stands for.
 *
 * @param inX the formulas of x if they name the selectors, and not c
 * @param known tells which own cohorts and methods of lots there have been at other times; null without
 * @throws {Problem} 400 the asset has no such own cohort, or no lots by such a method
 */
function theOwn(
  selectors: readonly string[],
  manifest: Manifest,
  inX: readonly WantedFormula[] | null,
  known: AsKnown | null,
): readonly string[] {
  const { symbol, cohorts = {} } = manifest;
  const own = Object.keys(cohorts).sort();
  const allowed = known?.cohorts.toSorted() ?? own;
  const methods = known?.lots ?? lotMethodsOf(manifest);
  const lacking = selectors.filter(isLotSelector).find((selector) => !methods.includes(methodOf(selector)));
  if (lacking !== undefined) {
    throw noLots(symbol, lacking, methods, inX ? "x" : "c", placeInFormulas(inX ?? [], "selector", lacking));
  }
  for (const selector of selectors) {
    if (!isOwn(selector) || selector === ALL_OWN || allowed.some((one) => one === selector)) continue;
    const parameter = inX === null ? "c" : "x";
    const place = placeInFormulas(inX ?? [], "selector", selector);
    if (allowed.length === 0) throw noOwnCohorts([manifest], parameter, place);
    throw new Problem("invalid-parameter", `${symbol} has no own cohort "${selector}".${place}`, {
      parameter,
      allowed,
      suggestion: nearest(selector, allowed),
    });
  }
  return selectors.flatMap((selector) => (selector === ALL_OWN ? own : [selector]));
}

function noOwnCohorts(manifests: readonly Manifest[], parameter: "c" | "x" = "c", place = ""): Problem {
  const symbols = manifests.map(({ symbol }) => symbol).join(", ");
  const detail = `${symbols} ${manifests.length === 1 ? "has" : "have"} no own cohorts.${place}`;
  return new Problem("invalid-parameter", detail, { parameter });
}

/** @throws {Problem} 400 the asset is published without the resolution */
function rangeOf(manifest: Manifest, resolution: Resolution): TableRange {
  if (manifest.resolutions[resolution] === undefined) {
    throw new Problem(
      "unavailable-resolution",
      `The build ${manifest.build} of ${manifest.symbol} has no resolution ${resolution}.`,
      {
        parameter: "r",
        allowed: Object.keys(manifest.resolutions),
      },
    );
  }
  return axisOf({ resolution }).rangeOf(manifest, resolution);
}

/** @throws {Problem} 400 no period lists the metric: the build is older than it */
function checkMetric(
  { symbol, build, resolutions }: Manifest,
  resolution: Resolution,
  name: MetricName,
  parameter: "m" | "x",
): void {
  const periods = resolutions[resolution]?.periods ?? [];
  if (periods.length === 0 || periods.some(({ metrics }) => metrics[name])) return;
  throw new Problem("unavailable-metric", `The build ${build} of ${symbol} is older than the metric ${name}.`, {
    parameter,
    allowed: Object.keys(periods[0]!.metrics),
  });
}
