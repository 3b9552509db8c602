/**
 * A line of all parts into which a family divides a metric. In a link: `supply:*age`, and then `:share`, `:stack` or
 * `:lines`, and `:only=<1d` or `:off=<1d,1d-1w`.
 */

import { FAMILY_FORM, type FAMILY_MODES, REST, SERIES_FORM } from "../../../data-schema/chart-link.ts";
import { type Computation, type Expression, plainComputation, type SeriesRef } from "../../../data-schema/formula.ts";
import {
  type Division,
  KIND_FAMILY,
  kindDivision,
  lotDivision,
  OWN_FAMILY,
  ownDivision,
  PERCENTILE_FAMILY,
  PLAIN,
  percentileDivision,
} from "../../../data-schema/registry.ts";
import { type Asset, type CatalogMetric, type Context, catalogMetric, findAsset } from "../api/catalog.ts";
import { selectorName, seriesName } from "../format/names.ts";
import type { Curve, LineKind, Part } from "./line-kind.ts";

export type Mode = (typeof FAMILY_MODES)[number];

export interface FamilyLine {
  kind: "family";
  /** Null: the chart's own asset. */
  asset: string | null;
  metric: string;
  /** The name of the metric's division. */
  by: string;
  mode: Mode;
  /** The one part that is shown; null for all but those that are off. */
  only: string | null;
  /** Parts that aren't shown, in their order. */
  off: string[];
}

/** Colours of a ramp, and beside it. */
const RAMP = 15;
/** Parts of a family without order that are drawn one by one, in a colour each. */
export const MOST_PARTS = 10;

export const FAMILY_LINE: LineKind<FamilyLine> = {
  parse(text, { catalog, asset: own }) {
    const [, symbol, name = "", rest = ""] = SERIES_FORM.exec(text) ?? [];
    const [, by = "", mode, choice, values = ""] = FAMILY_FORM.exec(rest) ?? [];
    const asset = symbol === undefined ? own : findAsset(catalog, symbol.toUpperCase());
    const metric = catalogMetric(catalog, name);
    const division = metric && findDivision(metric, by, asset);
    if (!division || (symbol !== undefined && !asset)) return undefined;
    const line = familyLine(metric, division, symbol === undefined ? null : asset!.symbol, mode as Mode | undefined);
    // No selector contains a space, so a space is an unencoded plus sign.
    const named = values.replaceAll(" ", "+").split(",");
    const known = entriesOf(division).filter((value) => named.includes(value));
    if (choice === "only") return { ...line, only: known[0] ?? null };
    return choice === "off" ? { ...line, off: known } : line;
  },

  format({ asset, metric, by, mode, only, off }) {
    const choice = only !== null ? `:only=${only}` : off.length > 0 ? `:off=${off.join(",")}` : "";
    return `${asset === null ? "" : `${asset}.`}${metric}:*${by}:${mode}${choice}`;
  },

  within: (line, asset) => (line.asset === asset ? { ...line, asset: null } : line),

  curves(line, context) {
    const picture = pictureOf(line, context);
    if (!picture) return [];
    const { metric, asset, division } = picture;
    const own = line.asset === null ? "" : `${line.asset} `;
    const isShare = line.mode === "share";
    const curve = (name: string, part: Part, of = metric): Curve => {
      const isPart = part.role !== "whole";
      const code = `${own}${of.name} ${of === metric ? part.value : ALL}${isPart && isShare ? " share" : ""}`;
      const shown = isPart && isShare ? { unit: "share" as const, look: PLAIN } : { unit: metric.unit, look: of.look };
      return { name: own + name, code, ...shown, metrics: [of], part };
    };
    const { whole, beside, parts, adds } = division;
    const curves = [...parts, ...beside].map((value) => {
      const part: Part = { role: "part", value, color: colorOf(value, division), isDrawn: true };
      const own = areMetrics(division) ? catalogMetric(context.catalog, value) : undefined;
      return own ? curve(own.title, part, own) : curve(seriesName(metric, value, asset), part);
    });
    if (whole !== null || adds) {
      const name = whole === null ? `${metric.title}, all parts` : seriesName(metric, whole, asset);
      // Beside parts that add up, it would flatten them.
      curves.unshift(curve(name, { role: "whole", value: whole ?? "sum", color: "--muted", isDrawn: !adds }));
    }
    if (whole !== null && adds) {
      curves.push(curve(`${metric.title}, the rest`, { role: "rest", value: REST, color: "--rest", isDrawn: true }));
    }
    return curves;
  },

  computations(line, context) {
    const picture = pictureOf(line, context);
    if (!picture) return [];
    const { parts, beside, whole, adds } = picture.division;
    const symbol = line.asset ?? context.asset?.symbol ?? "";
    const series = (part: string): SeriesRef =>
      areMetrics(picture.division)
        ? { asset: symbol, metric: part, selector: ALL }
        : { asset: symbol, metric: line.metric, selector: part };
    const all = [...parts, ...beside].map(series);
    if (!adds) return [...(whole === null ? [] : [series(whole)]), ...all].map(plainComputation);
    const total = whole === null ? sumOf(all) : plainComputation(series(whole));
    // Its first input is the whole's, which the parts follow.
    const rest: Computation = sumOf([...total.inputs, ...all], "-");
    const drawn = [...all.map(plainComputation), ...(whole === null ? [] : [rest])];
    return [total, ...(line.mode === "share" ? drawn.map((part) => quotient(part, total)) : drawn)];
  },
};

/** A family in the mode that suits it, where nobody has chosen another; parts that don't add up can only be lines. */
export function familyLine(
  metric: CatalogMetric,
  { by, adds }: Division,
  asset: string | null,
  mode?: Mode,
): FamilyLine {
  const suited = adds ? (mode ?? "stack") : "lines";
  return { kind: "family", asset, metric: metric.name, by, mode: suited, only: null, off: [] };
}

/** The divisions of a metric that make a picture of an asset. */
export const divisionsOf = ({ name, selector, lots }: CatalogMetric, asset: Asset | undefined): Division[] =>
  [
    ...(selector?.families ?? []).map(({ division }) => division),
    ...(lots ? (asset?.lots ?? []) : []).flatMap((method) =>
      (selector?.families ?? []).map(({ division }) => division && lotDivision(division, method)),
    ),
    kindsOf(selector, asset),
    ownsOf(selector, asset),
    percentileDivision(name),
  ]
    .flatMap((division) => division ?? [])
    .filter(({ parts }) => parts.length > 0);

/** How an asset's kinds of contracts divide a metric; of an asset without kinds, what would be beside them. */
const kindsOf = (selector: CatalogMetric["selector"], asset: Asset | undefined): Division | null =>
  selector && kindDivision(selector.values, cohortsOf(asset));

const ownsOf = (selector: CatalogMetric["selector"], asset: Asset | undefined): Division | null =>
  selector && ownDivision(selector.values, cohortsOf(asset));

const cohortsOf = (asset: Asset | undefined): string[] => (asset?.cohorts ?? []).map(({ selector }) => selector);

/** A link to the kinds, or to own cohorts, is one for every asset. */
export const findDivision = (metric: CatalogMetric, by: string, asset: Asset | undefined): Division | undefined =>
  by === KIND_FAMILY || by === OWN_FAMILY
    ? ((by === KIND_FAMILY ? kindsOf : ownsOf)(metric.selector, asset) ?? undefined)
    : divisionsOf(metric, asset).find((division) => division.by === by);

/** The selector of all addresses. The registry's name for it would load every metric. */
const ALL = "total";

/** Whether a family's parts are metrics, of which each is drawn of all addresses. */
const areMetrics = ({ by }: Pick<Division, "by">): boolean => by === PERCENTILE_FAMILY;

/** What a part is called in its picture: `Users`, `5 %`. */
export const partName = (value: string, { by }: Pick<Division, "by">, asset: Asset | undefined): string =>
  by === PERCENTILE_FAMILY ? `${Number(value.slice(-2))}\u202f%` : selectorName(value, asset);

/** What can be shown of a division, in order. */
export const entriesOf = ({ parts, beside, adds, whole }: Division): string[] => [
  ...parts,
  ...beside,
  ...(adds && whole !== null ? [REST] : []),
];

/** Whether a division has too many parts without order for a colour each. */
export const isRanked = ({ ordered, parts }: Division): boolean => !ordered && parts.length > MOST_PARTS;

export const isStacked = ({ mode }: FamilyLine): boolean => mode !== "lines";

/** The line after a person has switched one of its parts on or off. */
export function switched(line: FamilyLine, value: string, entries: readonly string[]): FamilyLine {
  if (line.only !== null) return { ...line, only: line.only === value ? null : value };
  const off = entries.filter((entry) => line.off.includes(entry) !== (entry === value));
  return { ...line, off };
}

/** What a family's line names; undefined if the catalog lacks it. */
export function pictureOf(
  { asset: symbol, metric: name, by }: FamilyLine,
  { catalog, asset: own }: Context,
): { metric: CatalogMetric; division: Division; asset: Asset | undefined } | undefined {
  const metric = catalogMetric(catalog, name);
  const asset = symbol === null ? own : findAsset(catalog, symbol);
  const division = metric && findDivision(metric, by, asset);
  return division && (symbol === null || asset) ? { metric, division, asset } : undefined;
}

/** A step of the ramp for parts in order, a hue for others, and quiet colours for what is beside them. */
function colorOf(value: string, division: Division): string | null {
  const { parts, beside, ordered } = division;
  const place = parts.indexOf(value);
  if (place === -1) return `--beside-${beside.indexOf(value) + 1}`;
  if (ordered) return `--ramp-${1 + Math.round((place * (RAMP - 1)) / Math.max(1, parts.length - 1))}`;
  return isRanked(division) ? null : hue(place);
}

/** The colour of a part by its place. */
export const hue = (place: number): string => `--hue-${place + 1}`;

/** The colour of a part as its family is drawn: as a thin line, it has to stand out from the background. */
export const drawnColor = (color: string, line: FamilyLine): string =>
  isStacked(line) ? color : color.replace(/^--(?=ramp|hue|beside|rest)/, "--line-");

const input = (index: number): Expression => ({ kind: "input", index });

/** The first series, with the others added or subtracted. */
function sumOf(inputs: SeriesRef[], operator: "+" | "-" = "+"): Computation {
  const terms = inputs.map((_, index) => input(index));
  const expression = terms.reduce((left, right) => ({ kind: "binary", operator, left, right }));
  return { expression, inputs, reach: 0, looksAhead: false };
}

function quotient(part: Computation, whole: Computation): Computation {
  const inputs = [...part.inputs, ...whole.inputs.filter((one) => !part.inputs.includes(one))];
  const moved = (expression: Expression, from: Computation): Expression => {
    if (expression.kind === "input") return input(inputs.indexOf(from.inputs[expression.index]!));
    if (expression.kind !== "binary") return expression;
    return { ...expression, left: moved(expression.left, from), right: moved(expression.right, from) };
  };
  const [left, right] = [moved(part.expression, part), moved(whole.expression, whole)];
  return { expression: { kind: "binary", operator: "/", left, right }, inputs, reach: 0, looksAhead: false };
}
