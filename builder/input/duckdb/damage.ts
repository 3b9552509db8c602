/** DuckDB's errors about files that are damaged, as sentences. */

import { Failure } from "../../lib/failure.ts";
import { foreignText } from "../../lib/foreign-text.ts";
import type { InputFile } from "../files/files.ts";

export const PARQUET = /\.(parquet|pq)$/i;

/** DuckDB's errors about damaged files, and Soprano's messages for them. */
const DAMAGES: readonly (readonly [RegExp, (match: RegExpMatchArray) => string])[] = [
  [
    /CSV Error on Line: (\d+)[\s\S]*Expected Number of Columns: (\d+) Found: (\d+)/,
    ([, line, expected, found]) =>
      `line ${line}: has ${found} columns where the header has ${expected}; correct that line`,
  ],
  [
    /CSV Error on Line: (\d+)[\s\S]*[Ii]nvalid unicode/,
    ([, line]) => `line ${line}: is not UTF-8; convert the file to UTF-8`,
  ],
  [
    /CSV Error on Line: (\d+)[\s\S]*Maximum line size of (\d+) bytes exceeded/,
    ([, line, bytes]) => `line ${line}: is longer than ${bytes} bytes; correct that line, or the quotes before it`,
  ],
  [
    /CSV Error on Line: (\d+)[\s\S]*unterminated quote/,
    ([, line]) => `line ${line}: a quoted text is not closed properly; correct its quotes`,
  ],
  [
    /Parallel CSV Reader currently does not support/,
    () => "has a line that is much too long; correct that line, or the quotes before it",
  ],
  [
    /CSV Parser state machine reached an invalid state/,
    () => "mixes \\n and \\r\\n line endings; use one kind throughout",
  ],
  [
    /Malformed JSON in file [\s\S]*, at byte \d+ in (line|record\/value) (\d+)/,
    // DuckDB counts one too many.
    ([, unit, number]) =>
      `${unit === "line" ? "line" : "value"} ${Math.max(1, Number(number) - 1)}: is not well-formed JSON; correct it, or export the file again`,
  ],
  [
    /"maximum_object_size" of (\d+) bytes exceeded/,
    ([, bytes]) => `has a value of more than ${bytes} bytes; write one record a line`,
  ],
  [/CSV Error on Line: (\d+)/, ([, line]) => `line ${line}: is not well-formed CSV; correct it`],
];

/** DuckDB has dozens of messages for a damaged Parquet file. Errors such as a lack of memory have other names. */
const PARQUET_DAMAGE = /^(Invalid|Invalid Input|IO|INTERNAL) Error:/;

/** The failure that an error of DuckDB about a file stands for. */
export function damage(file: InputFile, message: string): Failure {
  if (PARQUET.test(file.name) && PARQUET_DAMAGE.test(message)) {
    return new Failure(`${file.name} is not an intact Parquet file; export or download it again.`);
  }
  for (const [pattern, sentence] of DAMAGES) {
    const match = message.match(pattern);
    if (match) {
      const text = sentence(match);
      return new Failure(`${file.name}${/^(line|value) /.test(text) ? ", " : " "}${text}.`);
    }
  }
  return new Failure(`${file.name} can't be read: ${foreignText(message.split("\n")[0])}.`);
}
