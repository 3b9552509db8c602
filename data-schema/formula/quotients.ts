/** Ratios as what they are quotients of: `smooth` adds up numerators and denominators, since the mean of ratios misleads. */

import { FormulaError } from "./formula-error.ts";
import { at, chosenSelector, type FormulaMetric, type GivenSelector, type Names, nameMeaning } from "./names.ts";
import { parse, type Tree } from "./parse.ts";
import { selectorText } from "./tokens.ts";

/** The ratios whose parts are published: each as a quotient, for a selector. */
const PARTS: Readonly<Record<string, (selector: string) => string>> = {
  sopr: (c) => `volume_dollar:${c} / moved_coins_cost_basis:${c}`,
  moved_coins_realised_price: (c) => `moved_coins_cost_basis:${c} / volume:${c}`,
  realised_price: (c) => `realised_cap:${c} / supply:${c}`,
  mean_age: (c) => `coin_days_held:${c} / supply:${c}`,
  dormancy: (c) => `coin_days_destroyed:${c} / (${SENT[c] ?? `outflow_cohort:${c}`})`,
};

/** What is sent and burned, where that is no series by itself. */
const SENT: Readonly<Record<string, string>> = {
  total: "volume:total + burned",
  users: "outflow_cohort:sth + outflow_cohort:lth",
};

/** A fraction of two trees, with what their names have been given. */
interface Quotient {
  left: Tree;
  right: Tree;
  given: GivenSelector;
  /** Runs a step for a side: what is wrong within a name's meaning is shown at the name. */
  at<T>(step: () => T): T;
}

/**
 * What a tree is a quotient of: itself, or what its name stands for.
 *
 * @throws {FormulaError} it is none, or not of what adds up
 */
export function readQuotient<M extends FormulaMetric>(tree: Tree, given: GivenSelector, names: Names<M>): Quotient {
  if (tree.kind === "binary" && tree.operator === "/") {
    const { left, right } = tree;
    if (![left, right].every((side) => addsUp(side, names))) throw notSmooth(tree);
    return { left, right, given, at: (step) => step() };
  }
  if (tree.kind !== "name") throw notSmooth(tree);
  const { token } = tree;
  const { metric, formula } = nameMeaning(token, names);
  const here = { asset: token.asset ?? given.asset, selector: token.selector ?? given.selector };
  const part = metric && PARTS[metric.name]?.(selectorText(chosenSelector(metric, here.selector, token) ?? ""));
  const text = formula?.text ?? part;
  if (text === undefined) throw notSmooth(tree);
  return at(token, () => {
    // The parts of a metric name its selector.
    const quotient = readQuotient(parse(text), formula ? here : { ...here, selector: null }, names);
    return { ...quotient, at: (step) => at(token, step) };
  });
}

/** Whether a side is made of metrics that add up, by + and − alone. A name that stands for nothing is an error of its own. */
function addsUp<M extends FormulaMetric>(side: Tree, names: Names<M>): boolean {
  if (side.kind === "negate") return addsUp(side.of, names);
  if (side.kind === "binary") {
    return (side.operator === "+" || side.operator === "-") && addsUp(side.left, names) && addsUp(side.right, names);
  }
  if (side.kind !== "name") return false;
  const { metric, formula } = nameMeaning(side.token, names);
  return metric ? areSummable(metric) : formula === undefined;
}

/** Whether a metric's values may be added up over buckets. */
export const areSummable = (metric: FormulaMetric | undefined): boolean =>
  metric?.dense === true && !metric.countsAnew && metric.kind !== "price";

function notSmooth(tree: Tree): FormulaError {
  const ratios = Object.keys(PARTS).join(", ");
  return new FormulaError(
    `smooth takes ${ratios}, and quotients of sums or differences of metrics that add up. All others are ratios of sums by week and month.`,
    tree,
  );
}
