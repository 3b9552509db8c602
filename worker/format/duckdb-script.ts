/** GET /v3/duckdb.sql: the files that manifests list, as a script for DuckDB. It never holds a key. */

import type { Resolution } from "../../data-schema/registry.ts";
import {
  duckdbHead,
  duckdbViews,
  type FilesOf,
  LISTED,
  type Manifest,
  type ManifestSeries,
  pathPart,
  sqlText,
  type TableOf,
} from "../../data-schema/stored.ts";
import { filesPath, pathOf } from "../request/file-path.ts";
import type { FormatFacts } from "../request/parameters/table-formats.ts";
import type { TextPiece } from "./rows-and-pieces.ts";

export const DUCKDB_FORMAT: FormatFacts = {
  mediaType: "application/sql; charset=utf-8",
  compressed: true,
  pointBytes: 0,
  extension: "sql",
};

/** Characters of a piece. */
const PIECE = 20_000;

const encoder = new TextEncoder();

/** The script, in pieces. */
export async function* duckdbText(
  manifests: readonly Manifest[],
  resolutions: readonly Resolution[],
  origin: string,
): AsyncGenerator<TextPiece> {
  let text = headOf(manifests, origin);
  // `/v3/files/<ASSET>/<resolution>/<metric>/<file>`: the file is the first part from the end.
  const layout = { asset: pathPart(4), of: pathPart(2) };
  const filesOf: FilesOf = (resolution, of) => {
    if (!resolutions.includes(resolution)) return [];
    return manifests
      .values()
      .flatMap((manifest): Iterable<ManifestSeries<TableOf>> => LISTED[of](manifest, [resolution]));
  };
  const views = duckdbViews(manifests, filesOf, {
    ...layout,
    place: (file) => `${origin}${filesPath(file.symbol)}/${pathOf(file)}`,
  });
  for (const statement of views) {
    text += statement;
    if (text.length < PIECE) continue;
    yield { text: encoder.encode(text), points: 0 };
    text = "";
  }
  yield { text: encoder.encode(text), points: 0 };
}

/** What it is of, the extension that reads addresses, and the key as a secret for them. */
function headOf(manifests: readonly Manifest[], origin: string): string {
  const scope = sqlText(`${origin}/v3/files/`);
  const missing = sqlText("First: SET VARIABLE soprano_key = '<your API key>'; then read this script again.");
  const key = `coalesce(getvariable('soprano_key'), error(${missing}))`;
  return `${duckdbHead(manifests, "Before it: SET VARIABLE soprano_key = '<your API key>';")}-- A new build has new files: ask for this script again then.
INSTALL httpfs;
LOAD httpfs;
CREATE OR REPLACE SECRET soprano (TYPE http, SCOPE ${scope}, EXTRA_HTTP_HEADERS MAP {'X-Api-Key': ${key}});
`;
}
