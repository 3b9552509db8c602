/** The file that `--report` names. */

import { access, appendFile, constants, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Failure } from "../failure.ts";
import { replaceJson } from "../files/json-file.ts";

/**
 * Checks that a report can be written before the work takes hours, and removes the report of an earlier run, which could
 * be mistaken for this one's.
 *
 * @throws {Failure} the folder is missing or can't be written, or the file can't be removed
 */
export async function prepareReport(file: string): Promise<void> {
  const folder = dirname(resolve(file));
  await access(folder, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`The report can't be written to ${folder} (${error.code}): name another file with --report.`);
  });
  await rm(file, { force: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} can't be replaced by the report (${error.code}): name another file with --report.`);
  });
}

/** What all reports say of their assets. */
interface Told {
  assets: readonly { file: string; symbol: string | null; status: string; error?: string }[];
}

/**
 * Writes a report as JSON atomically. In GitHub Actions it is also in the job's summary, and failures are on the run's page.
 *
 * @param markdown the report for the summary
 * @param print takes the workflow commands
 * @throws {Failure} it can't be written
 */
export async function saveReport(
  file: string,
  report: Told,
  markdown: string,
  { GITHUB_STEP_SUMMARY: summary }: Readonly<Record<string, string | undefined>>,
  print: (line: string) => void,
): Promise<void> {
  await replaceJson(file, report).catch(notWritten);
  if (!summary) return;
  await appendFile(summary, markdown).catch(notWritten);
  for (const line of annotations(report)) print(line);
}

function notWritten(error: Error): never {
  throw new Failure(`The report can't be written (${error.message}): name another file with --report.`);
}

/** GitHub workflow commands, one line each, that show the failures on the run's page. */
export function annotations({ assets }: Told): string[] {
  return assets
    .filter(({ status }) => status === "failed")
    .map(({ file, symbol, error }) => {
      const properties = `file=${commandProperty(file)},title=${commandProperty(symbol ?? file)}`;
      return `::error ${properties}::${commandText(error ?? "")}`;
    });
}

const CODES: Record<string, string> = { "%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C" };
const commandText = (text: string) => text.replaceAll(/[%\r\n]/g, (sign) => CODES[sign]!);
const commandProperty = (text: string) => text.replaceAll(/[%\r\n:,]/g, (sign) => CODES[sign]!);
