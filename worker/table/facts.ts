/** What an answer says of a table beside its rows. */

import type { Manifest } from "../../data-schema/manifest.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import type { Table, TableColumn } from "../read/table.ts";

export interface Facts {
  /** The builds, by asset. */
  builds: Record<string, string>;
  asOf: Record<string, string>;
  resolution: Resolution;
}

/** The facts of a table, in the order in which they are shown. */
export function factsOf({ resolution }: Table, manifests: readonly Manifest[]): Facts {
  const of = (fact: (manifest: Manifest) => string) =>
    Object.fromEntries(manifests.map((manifest) => [manifest.symbol, fact(manifest)]));
  return { builds: of(({ build }) => build), asOf: of(({ asOf }) => asOf), resolution };
}

/** What a column shows. */
export const seriesFacts = ({ manifest, metric, selector }: TableColumn) => ({
  asset: manifest.symbol,
  metric: metric.name,
  selector,
  unit: metric.unit,
});

/** What a column is called; adding a series to a request renames none. */
export function columnName({ manifest, metric, selector }: TableColumn): string {
  return `${manifest.symbol}:${metric.name}:${selector}`;
}
