/** The file that `--report` names. */

import { access, constants, rm } from "node:fs/promises";
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

/**
 * Writes a report as JSON atomically.
 *
 * @throws {Failure} it can't be written
 */
export async function saveReport(file: string, report: object): Promise<void> {
  await replaceJson(file, report).catch((error) => {
    throw reportFailure(error);
  });
}

export function reportFailure(error: unknown): Failure {
  return new Failure(`The report can't be written (${(error as Error).message}): name another file with --report.`);
}
