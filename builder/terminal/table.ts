/** Rows of cells as lines of text, two spaces between the columns; those named in `right` end flush. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const aligned = (cell: string, column: number) =>
    right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
  return rows.map((row) => row.map(aligned).join("  ").trimEnd()).join("\n");
}
