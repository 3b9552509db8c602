/** What the chart shows as one CSV file: a line for each time, a column for each series. */

import type { Table } from "./align.ts";
import { isoTime } from "./time.ts";

/** Rows [from, to); numbers in the shortest form that reads back as the same double. */
export function toCsv({ t, columns }: Table, names: readonly string[], from: number, to: number): string {
  const lines = [["t", ...names.map(cell)].join(",")];
  for (let row = from; row < to; row++) {
    lines.push([isoTime(t[row]), ...columns.map((column) => column[row] ?? "")].join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** A cell as RFC 4180 wants it. */
function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
