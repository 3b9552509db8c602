/** GET /v1/metrics and /v1/metrics/<metric>/meta: the metrics and their parameters. */

import {
  metricNames,
  type Selector,
  V1_GROUPS,
  V1_SIGNS,
  type Version,
  v1ResolutionsOf,
} from "../../data-schema/registry.ts";
import { describesSeries } from "../request/parameters/v1-parameters.ts";
import { type Endpoint, route, seriesPath } from "../request/route.ts";

/** The catalog of a version's metrics. */
export function metricCatalog(version: Version) {
  return {
    version,
    groups: Object.entries(V1_GROUPS).map(([name, title]) => ({ name, title })),
    signs: Object.entries(V1_SIGNS).map(([sign, meaning]) => ({ sign, meaning })),
    metrics: metricNames(version).map((name) => metricEntry(route(version, name))),
  };
}

/** One metric's entry in the catalog. */
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
    resolutions: v1ResolutionsOf(metric),
    selector: selector && selectorEntry(selector),
    // JSON leaves out the undefined members.
    parameters: parameters
      .filter(describesSeries)
      .map(({ name, title, description, required, values, forms, default: preset }) => {
        return { name, title, description, required, values, forms, default: preset };
      }),
  };
}

/** What the catalog says of a selector. */
export function selectorEntry({ parameter, title, values, default: preset, families }: Selector) {
  const taken = families.map((family) => ({
    title: family.title,
    values: family.values.filter((value) => values.includes(value)),
  }));
  return { parameter, title, default: preset, values, families: taken.filter((family) => family.values.length > 0) };
}
