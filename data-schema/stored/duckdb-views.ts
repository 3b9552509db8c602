/** The published Parquet files as views of DuckDB: a script of SQL. Source: docs/using.md#duckdb. */

import { RESOLUTIONS, type Resolution } from "../registry/resolutions.ts";
import { isoTimeWithoutZone } from "../text.ts";
import type { ManifestSeries } from "./manifest/listed-objects.ts";
import type { Manifest, TableOf } from "./manifest/manifest.ts";

/** Where the files are, and what their paths say of them. */
export interface ViewLayout {
  /** The path or address of a file, as DuckDB is to read it. */
  place: (file: ManifestSeries<TableOf>) => string;
  /** Expressions of SQL, over the column `filename`, for the asset of a file, and for its metric or own cohort. */
  asset: string;
  of: string;
}

/**
 * Lists the files of a resolution: those of metrics, which have selectors in their column `cohort`; those of own cohorts,
 * which have metrics there; or those of lots, which have both.
 */
export type FilesOf = (resolution: Resolution, of: "metrics" | "own" | "lots") => Iterable<ManifestSeries<TableOf>>;

/** The part of a file's path that is so many from its end, 1 for its name: an expression of SQL. */
export const pathPart = (fromEnd: number): string => `split_part(filename, '/', -${fromEnd})`;

/** A text as SQL writes it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * The comments that a script of views begins with: which builds it is of, and what a row is.
 *
 * @param use what to do before it is read: a line
 */
export const duckdbHead = (manifests: readonly Manifest[], use: string): string =>
  `${manifests.map(({ symbol, build, asOf }) => `-- ${symbol}: build ${build}, as of ${asOf}`).join("\n")}
-- ${use}
-- A row of a view is a point. Metrics that are sums have no row where they are 0.
`;

/**
 * The statements that make a view of each resolution of which there are files, `series_day` and so on, with a row a
 * point; and `series_ranges`, from which to which bucket each asset is published, and by which build. They come in pieces:
 * twenty assets may have a hundred thousand files. DuckDB opens only those that a condition on `asset` and `metric`
 * leaves, because these come from their paths.
 */
export function* duckdbViews(manifests: readonly Manifest[], filesOf: FilesOf, layout: ViewLayout): Generator<string> {
  for (const resolution of RESOLUTIONS) yield* viewOf(resolution, filesOf, layout);
  yield rangesOf(manifests);
}

function* viewOf(resolution: Resolution, filesOf: FilesOf, { place, asset, of }: ViewLayout): Generator<string> {
  const block = resolution === "block" ? ", block" : "";
  // A time of the session's zone would move the start of days: these are UTC. It needs no extension.
  const rows = (metric: string, selector: string) =>
    `SELECT ${asset} AS asset, ${metric} AS metric, ${selector} AS selector, make_timestamp(epoch_us(t)) AS t${block}, v`;
  let before = `CREATE OR REPLACE VIEW series_${resolution} AS\n`;
  let isEmpty = true;
  for (const [kind, select] of [
    ["metrics", rows(of, "cohort")],
    ["own", rows("cohort", of)],
    ["lots", rows("split_part(cohort, ':', 1)", "split_part(cohort, ':', 2)")],
  ] as const) {
    let separator = `${before}${select}\nFROM read_parquet([\n  `;
    for (const file of filesOf(resolution, kind)) {
      yield `${separator}${sqlText(place(file))}`;
      separator = ",\n  ";
      isEmpty = false;
    }
    if (separator !== ",\n  ") continue;
    yield "\n], filename = true)\n";
    before = "UNION ALL\n";
  }
  if (!isEmpty) yield ";\n";
}

/** One row for each asset and resolution that has a point; times are UTC. */
function rangesOf(manifests: readonly Manifest[]): string {
  const time = (seconds: number) => `TIMESTAMP ${sqlText(isoTimeWithoutZone(seconds))}`;
  const rows = manifests.flatMap(({ symbol, build, asOf, resolutions }) =>
    RESOLUTIONS.flatMap((resolution) => {
      const { first, last } = resolutions[resolution] ?? {};
      if (first === undefined || first === null || last === undefined || last === null) return [];
      const [from, to] = [first, last].map((point) => time(typeof point === "number" ? point : point.t));
      const facts = [symbol, build, resolution].map(sqlText);
      return [`  (${[...facts, from, to, time(Date.parse(asOf) / 1000)].join(", ")})`];
    }),
  );
  const columns = "asset, build, resolution, first, last, as_of";
  const values =
    rows.length > 0
      ? `FROM (VALUES\n${rows.join(",\n")}\n) AS ranges(${columns})`
      : `FROM (SELECT ''::VARCHAR AS asset, '' AS build, '' AS resolution, NULL::TIMESTAMP AS first, NULL::TIMESTAMP AS last, NULL::TIMESTAMP AS as_of) WHERE false`;
  return `CREATE OR REPLACE VIEW series_ranges AS\nSELECT ${columns}\n${values};\n`;
}
