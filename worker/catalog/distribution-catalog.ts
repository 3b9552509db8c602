/** GET /v3/distributions: the distributions and their parameters. */

import {
  DISTRIBUTION_DESCRIPTIONS,
  DISTRIBUTION_FIELDS,
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  DISTRIBUTIONS,
  metricByName,
} from "../../data-schema/registry.ts";
import { distributionParameters, selectorsOfDistributions } from "../request/distribution-query.ts";
import { describesTable } from "./table-metrics.ts";

/** The path of a distribution. */
export const distributionPath = (name: string): string => `/v3/distributions/${name}`;

/** The catalog of distributions. */
export function distributionCatalog() {
  return {
    version: "v3",
    parameters: distributionParameters()
      .filter(describesTable)
      .map(({ name, title, description, required, values, forms, default: preset }) => {
        return { name, title, description, required, values, forms, default: preset };
      }),
    distributions: DISTRIBUTION_NAMES.map((name) => ({
      name,
      path: distributionPath(name),
      title: DISTRIBUTIONS[name].title,
      description: DISTRIBUTION_DESCRIPTIONS[name],
      key: DISTRIBUTIONS[name].key,
      selectors: selectorsOfDistributions(name),
      resolutions: DISTRIBUTION_RESOLUTIONS,
      fields: DISTRIBUTION_FIELDS.map((field) => ({ name: field, unit: metricByName(field).unit })),
    })),
  };
}
