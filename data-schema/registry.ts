/**
 * The definitions of what is served: metrics and their selectors, cohorts, resolutions, distributions, samples, named
 * formulas, and the words by which people look for them.
 */

export * from "./registry/cohorts.ts";
export * from "./registry/contract-kinds.ts";
export * from "./registry/distributions.ts";
export * from "./registry/divisions.ts";
export * from "./registry/exchanges.ts";
export * from "./registry/lots.ts";
export * from "./registry/metrics.ts";
export * from "./registry/named-formulas.ts";
export * from "./registry/natural-looks.ts";
export * from "./registry/own-cohorts.ts";
export * from "./registry/resolutions.ts";
export * from "./registry/row-group-sizes.ts";
export * from "./registry/samples.ts";
export * from "./registry/selector-names.ts";
export * from "./registry/terms.ts";
