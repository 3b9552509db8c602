/** Tables for stdout, in Markdown, ready for docs/performance.md. */

export interface BenchTable {
  title: string;
  columns: string[];
  /** A cell for each column; figures in the format of the functions below. */
  rows: string[][];
}

/** A heading and an aligned table: the first column is text, the others are figures. */
export function formatTable({ title, columns, rows }: BenchTable): string {
  const widths = columns.map((column, index) => Math.max(3, width(column), ...rows.map((row) => width(row[index]!))));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? padEnd : padStart)(cell, widths[index]!)).join(" | ")} |`;
  const rule = widths.map((size, index) => (index === 0 ? "-".repeat(size) : `${"-".repeat(size - 1)}:`));
  return [`### ${title}`, "", line(columns), line(rule), ...rows.map(line), ""].join("\n");
}

const width = (text: string) => Array.from(text).length;
const padEnd = (text: string, size: number) => text + " ".repeat(size - width(text));
const padStart = (text: string, size: number) => " ".repeat(size - width(text)) + text;

// Figures have three significant digits and a unit.

const digits = (value: number) => {
  if (!Number.isFinite(value)) return "–";
  const places = value === 0 ? 0 : Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toFixed(places);
};

/** `2.31 ×`. */
export const times = (ratio: number) => `${digits(ratio)} ×`;

/** `1.20 M`, `350 k`, `12.0`. */
export function amount(value: number): string {
  if (value >= 1e6) return `${digits(value / 1e6)} M`;
  return value >= 1e4 ? `${digits(value / 1e3)} k` : digits(value);
}

/** `350 ns`, `1.20 ms`, `12.0 s`. */
export function duration(seconds: number): string {
  const [size, unit] =
    seconds >= 1 ? [1, "s"] : seconds >= 1e-3 ? [1e3, "ms"] : seconds >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  return `${digits(seconds * size)} ${unit}`;
}

/** `48.0 MB`, `2.10 GB`; decimal units. */
export const bytes = (value: number) => (value >= 1e9 ? `${digits(value / 1e9)} GB` : `${digits(value / 1e6)} MB`);

/** `137 kB`; decimal units. */
export const kilobytes = (value: number) => `${digits(value / 1e3)} kB`;
