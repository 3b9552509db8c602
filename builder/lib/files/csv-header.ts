/** The header of a CSV file: what comes before it, what separates cells, and the names of the columns. */

/** What exports separate cells with. If several would divide a header into as many cells, it is the first of them. */
const SEPARATORS = [",", ";", "\t"] as const;

/** Lines that programs write before the header: a link to the source, or a comment. A header may have a column `#` or `#id`. */
const PREAMBLE = /^"?(https?:\/\/|www\.|#\s|#[^,;\t]*$)/i;

/** A line that tells spreadsheets the separator. */
const DECLARED = /^"?sep=([,;|\t])"?\s*$/i;

/** Lines before a header, at most. */
export const MOST_LINES_BEFORE_HEADER = 64;

export interface CsvHeader {
  /** Lines before the header. */
  skip: number;
  separator: string;
  /** Without the quotes around them. */
  names: string[];
}

/**
 * Finds the header among a file's first lines.
 *
 * @returns undefined if there is none
 */
export function findHeader(lines: readonly string[]): CsvHeader | undefined {
  let declared: string | undefined;
  for (const [skip, line] of lines.entries()) {
    const separator = DECLARED.exec(line)?.[1];
    declared = separator ?? declared;
    // Blank lines belong to what they follow.
    if (separator !== undefined || PREAMBLE.test(line) || (skip > 0 && line.trim() === "")) continue;
    return { skip, ...namesOf(line, declared === undefined ? SEPARATORS : [declared]) };
  }
  return undefined;
}

/** @param separators the one that divides the line into most cells counts */
function namesOf(line: string, separators: readonly string[]): Omit<CsvHeader, "skip"> {
  const divided = separators.map((separator) => ({
    separator,
    names: cellsOf(line, separator).map((name) => name.trim()),
  }));
  return divided.reduce((best, next) => (next.names.length > best.names.length ? next : best));
}

/** The cells of a line, without the quotes around them. */
export function cellsOf(line: string, separator: string): string[] {
  const cells = new RegExp(`[${separator}]("(?:[^"]|"")*"|[^${separator}]*)`, "g");
  return Array.from(`${separator}${line}`.matchAll(cells), ([, cell]) =>
    cell!.replace(/^"(.*)"$/, "$1").replaceAll('""', '"'),
  );
}
