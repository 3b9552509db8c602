/** The footer of an object, compared with what the manifest says of the object. */

import { parseFooter, type SeriesFooter } from "../../../data-schema/parquet/footer.ts";
import type { ManifestObject } from "../../../data-schema/stored/manifest.ts";
import { damaged } from "../../problems/problem.ts";

/**
 * Reads a footer.
 *
 * @param tail the end of the object: at least its footer and trailer
 * @throws {Problem} 500 not a footer, or one that contradicts itself or the manifest
 */
export function checkedFooter(tail: Uint8Array, object: ManifestObject): SeriesFooter {
  const { key, symbol, metric, resolution, period, entry } = object;
  try {
    const footer = parseFooter(tail, entry.size);
    const found = { ...footer.info, rows: footer.rows, length: footer.length };
    const listed = { symbol, metric, resolution, period: period.name, rows: entry.rows, length: entry.footer };
    for (const [name, value] of Object.entries(listed)) {
      const said = found[name as keyof typeof listed];
      if (said !== value) throw new Error(`its ${name} is ${said} instead of ${value}`);
    }
    return footer;
  } catch (cause) {
    throw damaged(`the footer of ${key} cannot be used`, cause);
  }
}
