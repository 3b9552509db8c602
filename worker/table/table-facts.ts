/** What an answer says of a table beside its rows. */

import type { MetricUnit, Resolution } from "../../data-schema/registry.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import type { Output, Table } from "../read/table-parts.ts";

export interface TableFacts {
  /** The builds, by asset. */
  builds: Record<string, string>;
  asOf: Record<string, string>;
  resolution: Resolution;
}

/** The facts of a table, in the order in which they are shown. */
export function tableFacts({ resolution }: Table, manifests: readonly Manifest[]): TableFacts {
  const of = (fact: (manifest: Manifest) => string) =>
    Object.fromEntries(manifests.map((manifest) => [manifest.symbol, fact(manifest)]));
  return { builds: of(({ build }) => build), asOf: of(({ asOf }) => asOf), resolution };
}

/** What an output shows: a series of a metric, or of a named formula, or a formula of the request. */
export function seriesFacts(output: Output) {
  if (output.formula === null) {
    const { manifest, metric, selector } = output.series;
    return { asset: manifest.symbol, metric: metric.name, selector, unit: metric.unit };
  }
  const { asset, name, text, unit, measure } = output;
  if (measure === null) return { asset, name, unit, formula: text };
  return { asset, metric: measure.name, selector: measure.selector, unit, formula: text };
}

export const outputUnit = (output: Output): MetricUnit =>
  output.formula === null ? output.series.metric.unit : output.unit;
