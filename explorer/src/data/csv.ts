/** A table as a CSV file: a line for each time, a column for each series. */

import { isoTimeWithoutZone } from "../../../data-schema/text.ts";
import type { Table } from "./table.ts";

/** Writes rows [from, to), with numbers in the shortest form that reads back as the same double. */
export function toCsv({ t, columns }: Table, names: readonly string[], from: number, to: number): string {
  const lines = [["t", ...names.map(cell)].join(",")];
  for (let row = from; row < to; row++) {
    lines.push(
      [isoTimeWithoutZone(t[row]!), ...columns.map((column) => (Number.isNaN(column[row]!) ? "" : column[row]))].join(
        ",",
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Quotes a cell where RFC 4180 requires it. */
function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
