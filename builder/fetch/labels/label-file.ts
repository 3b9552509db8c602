/** The files of labels that ship with Soprano, as rows and as text. Source: docs/labels.md#the-files. */

import { Failure } from "../../lib/failure.ts";

/** A source that names an address, and the date of what was read of it, such as `2023-10-02`. */
interface DatedSource {
  source: string;
  date: string;
}

/** What is known of an address on a chain. */
export interface LabelRow {
  /** Lower-case. */
  address: string;
  /** A selector of `cex_*` or, for an exchange without a series, a name that counts as `other`. */
  label: string;
  /** What a source calls the address, such as `Binance 14`. */
  name: string;
  /** By their names. */
  sources: DatedSource[];
}

/** An address that a source calls an exchange's, and that is left out. */
export interface LeftOutRow {
  chain: string;
  address: string;
  /** A rule, or `contradicted`. */
  why: string;
  /** What the sources say of it. */
  said: string;
}

/** Paths in the folder of labels. */
export const exchangeFile = (chain: string): string => `exchanges/${chain}.csv`;
export const LEFT_OUT_FILE = "left-out.csv";

export const LABEL_COLUMNS = ["address", "exchange", "name", "source", "date"] as const;
const LEFT_OUT_COLUMNS = ["chain", "address", "why", "said"] as const;

/**
 * @param file its name, for messages
 * @throws {Failure} a row is not as `formatLabels` writes it
 */
export function parseLabels(file: string, text: string): LabelRow[] {
  return parseCsv(file, text, LABEL_COLUMNS).map(({ cells, row }) => {
    const [address = "", label = "", name = "", sources = "", dates = ""] = cells;
    return {
      address: checkedAddress(file, row, address),
      label,
      name,
      sources: datedSources(file, row, sources, dates),
    };
  });
}

/** @throws {Failure} a row is not as `formatLeftOut` writes it */
export function parseLeftOut(file: string, text: string): LeftOutRow[] {
  return parseCsv(file, text, LEFT_OUT_COLUMNS).map(({ cells, row }) => {
    const [chain = "", address = "", why = "", said = ""] = cells;
    return { chain, address: checkedAddress(file, row, address), why, said };
  });
}

/** @throws {Failure} a source has no date */
function datedSources(file: string, row: number, sources: string, dates: string): DatedSource[] {
  const [names, days] = [sources.split("+"), dates.split("+")];
  const isWhole = names.length === days.length && days.every((day) => /^\d{4}-\d\d-\d\d$/.test(day));
  if (!isWhole) throw new Failure(`${file}, row ${row}: “${dates}” is not a date for each of ${sources}; correct it.`);
  return names.map((source, index) => ({ source, date: days[index]! }));
}

/** @throws {Failure} it is not a lower-case address */
export function checkedAddress(file: string, row: number, text: string): string {
  if (/^0x[0-9a-f]{40}$/.test(text)) return text;
  throw new Failure(
    `${file}, row ${row}: “${text}” is not an address, which is 0x and 40 hexadecimal digits in lower case; correct it.`,
  );
}

/** Sources and dates are in the same order, separated by `+`. */
export const formatLabels = (rows: readonly LabelRow[]): string =>
  formatCsv(
    LABEL_COLUMNS,
    rows.map(({ address, label, name, sources }) => [
      address,
      label,
      name,
      sources.map(({ source }) => source).join("+"),
      sources.map(({ date }) => date).join("+"),
    ]),
  );

export const formatLeftOut = (rows: readonly LeftOutRow[]): string =>
  formatCsv(
    LEFT_OUT_COLUMNS,
    rows.map(({ chain, address, why, said }) => [chain, address, why, said]),
  );

function formatCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [header, ...rows].map((cells) => `${cells.map(cell).join(",")}\n`).join("");
}

/** A cell and the comma before it. */
const CELL = /,(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g;

interface CsvRow {
  cells: string[];
  /** From 1, without the header. */
  row: number;
}

/**
 * Rows of a CSV file that has these columns, in this order, and no line breaks within cells.
 *
 * @param file its name, for messages
 * @throws {Failure} it has other columns, or a row with more or fewer cells
 */
export function parseCsv(file: string, text: string, columns: readonly string[]): CsvRow[] {
  const [header = "", ...lines] = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (header !== columns.join(",")) {
    throw new Failure(`${file}: the columns must be ${columns.join(",")}, not ${header}.`);
  }
  return lines.map((line, index) => {
    const cells = Array.from(`,${line}`.matchAll(CELL), ([, quoted, plain]) =>
      quoted === undefined ? plain! : quoted.replaceAll('""', '"'),
    );
    const row = index + 1;
    if (cells.length === columns.length) return { cells, row };
    throw new Failure(`${file}, row ${row} has ${cells.length} cells instead of ${columns.length}; correct it.`);
  });
}
