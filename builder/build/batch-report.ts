/** What became of the assets of a run: for a terminal, for a program, and for GitHub Actions. Source: docs/nightly.md. */

import { randomUUID } from "node:crypto";
import { access, appendFile, constants, rename, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import project from "../../package.json" with { type: "json" };
import { Failure } from "../failure.ts";
import { count } from "../terminal/amounts.ts";
import { alignColumns } from "../terminal/table.ts";

/** In the order in which they are counted. */
const STATUSES = ["published", "unchanged", "failed", "skipped"] as const;
export type Status = (typeof STATUSES)[number];

export interface AssetOutcome {
  /** As it was named. */
  file: string;
  /** Null: the file can't be read. */
  symbol: string | null;
  /** `unchanged`: the build of the same input is in force already. `skipped`: the store was lost before its turn. */
  status: Status;
  /** Of a failed asset: why, in a sentence. */
  error?: string;
  /** The build in force now; this and all below of published and unchanged assets only. */
  build?: string;
  /** From the end of which day it went on; or why it began with the first transfer. */
  from?: string;
  reason?: string;
  /** Of the whole history, and of those the ones that were replayed. */
  transfers?: number;
  replayed?: number;
  /** Those that were not in the store already. */
  objectsWritten?: number;
  bytesWritten?: number;
  seconds: number;
}

export interface BatchReport {
  schema: 1;
  /** Version. */
  soprano: string;
  store: string;
  began: string;
  seconds: number;
  counts: Record<Status, number>;
  /** Why the run ended before the last asset. */
  stopped?: string;
  assets: AssetOutcome[];
}

export function batchReport(store: string, began: Date, assets: AssetOutcome[], stopped?: string): BatchReport {
  const counts = Object.fromEntries(
    STATUSES.map((name) => [name, assets.filter(({ status }) => status === name).length]),
  );
  return {
    schema: 1,
    soprano: project.version,
    store,
    began: began.toISOString(),
    seconds: (Date.now() - began.getTime()) / 1000,
    counts: counts as Record<Status, number>,
    ...(stopped === undefined ? {} : { stopped }),
    assets,
  };
}

const TITLES = ["asset", "build", "status", "replayed", "objects", "bytes", "seconds", "reason"] as const;
/** Columns of numbers. */
const NUMBERS = [3, 4, 5, 6];

const perhaps = (value: number | undefined) => (value === undefined ? "" : count(value));

/** Objects and bytes are those that were written. */
function cells({ symbol, file, build, status, seconds, ...asset }: AssetOutcome): string[] {
  return [
    symbol ?? file,
    build ?? "",
    status,
    perhaps(asset.replayed),
    perhaps(asset.objectsWritten),
    perhaps(asset.bytesWritten),
    seconds.toFixed(1),
    asset.error ?? asset.reason ?? "",
  ];
}

/** `3 published, 1 failed`. */
export function summaryLine({ counts, seconds }: BatchReport): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`);
  return `${parts.join(", ")} in ${seconds.toFixed(1)} s`;
}

/** The run as aligned lines. */
export function formatBatch(report: BatchReport): string {
  return `${alignColumns([TITLES, ...report.assets.map(cells)], NUMBERS)}\n${summaryLine(report)}`;
}

/** The run as Markdown: what needs somebody first. */
export function batchMarkdown(report: BatchReport): string {
  const order: readonly Status[] = ["failed", "skipped", "published", "unchanged"];
  const assets = report.assets.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const line = (row: readonly string[]) => `| ${row.map(markdownCell).join(" | ")} |`;
  const rule = `|${TITLES.map((_, column) => (NUMBERS.includes(column) ? "---:|" : "---|")).join("")}`;
  const table = [line(TITLES), rule, ...assets.map((asset) => line(cells(asset)))].join("\n");
  const stopped = report.stopped === undefined ? [] : [markdownCell(report.stopped)];
  return `${[`### ${summaryLine(report)}`, ...stopped, table].join("\n\n")}\n`;
}

/** A text in which nothing is a table's border, a tag or a line's end. */
function markdownCell(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_|[\]]/g, "\\$&");
}

/** Workflow commands that put each failure on the run's page, a line each. */
export function batchAnnotations({ assets }: BatchReport): string[] {
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

/**
 * Sees to it that a report can be written, before hours of work are to be reported; and removes the one of an earlier
 * run, which would pass for this one's if this one ended without any.
 *
 * @throws {Failure} its folder is missing or can't be written, or the file can't be removed
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
 * Writes a report as JSON, whole or not at all; where GitHub Actions asks for a summary of the job, that, too.
 *
 * @throws {Failure} it can't be written
 */
export async function writeReport(
  file: string,
  report: BatchReport,
  { GITHUB_STEP_SUMMARY: summary }: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(unfinished, `${JSON.stringify(report, null, 2)}\n`);
    await rename(unfinished, file);
    if (summary) await appendFile(summary, batchMarkdown(report));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new Failure(`The report can't be written (${(error as Error).message}): name another file with --report.`);
  }
}
