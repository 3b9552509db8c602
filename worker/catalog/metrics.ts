/** GET /v1/metrics and /v1/metrics/<metric>/meta: which metrics there are, and what they take. */

import { GROUPS, metricNames, resolutionsOf, type Selector, SIGNS, type Version } from "../../data-schema/metrics.ts";
import { isNoKey } from "../parameters.ts";
import { type Endpoint, route, seriesPath } from "../route.ts";

/** The catalog of a version's metrics. */
export function metricCatalog(version: Version) {
  return {
    version,
    groups: Object.entries(GROUPS).map(([name, title]) => ({ name, title })),
    signs: Object.entries(SIGNS).map(([sign, meaning]) => ({ sign, meaning })),
    metrics: metricNames(version).map((name) => metricEntry(route(version, name))),
  };
}

/** What the catalog says of one metric. */
export function metricEntry(endpoint: Endpoint) {
  const { metric, selector, parameters } = endpoint;
  const { name, title, group, unit, description, formula, kind, shape } = metric;
  return {
    name,
    path: seriesPath(endpoint),
    title,
    group,
    unit,
    description,
    formula,
    kind,
    dense: shape === "sum",
    resolutions: resolutionsOf(metric),
    selector: selector && selectorEntry(selector),
    parameters: parameters
      .filter(isNoKey)
      .map(({ name, title, description, required, values, forms, default: preset }) => ({
        name,
        title,
        description,
        required,
        ...(values ? { values } : {}),
        ...(forms ? { forms } : {}),
        ...(preset === undefined ? {} : { default: preset }),
      })),
  };
}

function selectorEntry({ parameter, title, values, default: preset, families }: Selector) {
  const taken = families.map((family) => ({
    title: family.title,
    values: family.values.filter((value) => values.includes(value)),
  }));
  return { parameter, title, default: preset, values, families: taken.filter((family) => family.values.length > 0) };
}
