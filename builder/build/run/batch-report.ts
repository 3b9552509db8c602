/** The report of a batch: for terminals, programs and GitHub Actions. Source: docs/nightly.md#the-report. */

import project from "../../../package.json" with { type: "json" };
import { ESCAPES } from "../../lib/escapes.ts";
import { alignColumns } from "../../lib/terminal/align.ts";
import { count } from "../../lib/terminal/amount-text.ts";
import type { FailedFetch } from "../../published/status/night-reports.ts";

/** What became of assets, in the order of the summary line. */
const STATUSES = ["published", "unchanged", "failed", "unfetched", "skipped"] as const;
type Status = (typeof STATUSES)[number];

export interface AssetOutcome {
  /** The asset file, as named on the command line. */
  file: string;
  /** Null if the file can't be read. */
  symbol: string | null;
  /**
   * `unchanged`: a build of the same input is active already. `unfetched`: by the report of the fetch before, it could not be
   * fetched. `skipped`: the store failed earlier in the batch.
   */
  status: Status;
  /** Why the asset failed, in one sentence. */
  error?: string;
  /** The active build. This and all fields below, except `seconds`, are those of published and unchanged assets. */
  build?: string;
  /** The end of the day from which it resumed (ISO 8601); or why it was a full build. */
  from?: string;
  reason?: string;
  /** Transfers of the whole history, and events that were replayed. */
  transfers?: number;
  replayed?: number;
  /** Objects that were not in the store yet. */
  objectsWritten?: number;
  bytesWritten?: number;
  /** What the build says of its input, such as prices that are missing; absent if there is nothing to say. */
  notices?: string[];
  seconds: number;
}

export interface BatchReport {
  schema: 1;
  /** The version of Soprano. */
  soprano: string;
  store: string;
  began: string;
  seconds: number;
  counts: Record<Status, number>;
  /** Why the batch ended before its last asset. */
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

/** The report with what a fetch before has failed to bring, which was not built. */
export const withUnfetched = (
  { store, began, assets, stopped }: BatchReport,
  unfetched: ReadonlyMap<string, FailedFetch>,
): BatchReport => {
  const rows = Array.from(unfetched.values(), (asset) => ({ ...asset, status: "unfetched" as const, seconds: 0 }));
  return batchReport(store, new Date(began), [...assets, ...rows], stopped);
};

const TITLES = ["asset", "build", "status", "replayed", "objects", "bytes", "seconds", "reason"] as const;
/** Indexes of the columns of numbers. */
const NUMBERS = [3, 4, 5, 6];

const optionalCount = (value: number | undefined) => (value === undefined ? "" : count(value));

/** A row of the table. Objects and bytes are those that were written. */
function cells({ symbol, file, build, status, seconds, ...asset }: AssetOutcome): string[] {
  return [
    symbol ?? file,
    build ?? "",
    status,
    optionalCount(asset.replayed),
    optionalCount(asset.objectsWritten),
    optionalCount(asset.bytesWritten),
    seconds.toFixed(1),
    asset.error ?? asset.reason ?? "",
  ];
}

/** `3 published, 1 failed`. */
function summaryLine({ counts, seconds }: BatchReport): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`);
  return `${parts.join(", ")} in ${seconds.toFixed(1)} s`;
}

/** The report as aligned lines. */
export function formatBatch(report: BatchReport): string {
  return `${alignColumns([TITLES, ...report.assets.map(cells)], NUMBERS)}\n${summaryLine(report)}`;
}

/** The report as Markdown: failures first. */
export function batchMarkdown(report: BatchReport): string {
  const order: readonly Status[] = ["failed", "unfetched", "skipped", "published", "unchanged"];
  const assets = report.assets.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const line = (row: readonly string[]) => `| ${row.map(ESCAPES.markdown).join(" | ")} |`;
  const rule = `|${TITLES.map((_, column) => (NUMBERS.includes(column) ? "---:|" : "---|")).join("")}`;
  const table = [line(TITLES), rule, ...assets.map((asset) => line(cells(asset)))].join("\n");
  const stopped = report.stopped === undefined ? [] : [ESCAPES.markdown(report.stopped)];
  const notices = assets.flatMap(({ symbol, file, notices = [] }) =>
    notices.map((notice) => `- ${ESCAPES.markdown(`${symbol ?? file}: ${notice}`)}`),
  );
  const list = notices.length === 0 ? [] : [notices.join("\n")];
  return `${[`### ${summaryLine(report)}`, ...stopped, table, ...list].join("\n\n")}\n`;
}
