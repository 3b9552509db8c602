/** Rows of cells as lines of text, with two spaces between the columns; those listed in `right` are right-aligned. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const aligned = (cell: string, column: number) =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(aligned).join("  ").trimEnd()).join("\n");
}
