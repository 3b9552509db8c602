/** The report of a fetch of several assets: for terminals and programs. Source: docs/nightly.md#the-report. */

import project from "../../../package.json" with { type: "json" };
import { ESCAPES } from "../../lib/escapes.ts";
import { count, counted, megabytes } from "../../lib/terminal/amount-text.ts";
import type { FetchOutcome } from "../plan/work.ts";

/** What became of assets, in the order of the summary line. */
const STATUSES = ["fetched", "unchanged", "planned", "failed"] as const;

/** What became of an asset. */
export interface FetchedAsset extends Partial<Omit<FetchOutcome, "status" | "symbol">> {
  /** The asset file, as named on the command line. */
  file: string;
  /** Null if the file can't be read. */
  symbol: string | null;
  status: (typeof STATUSES)[number];
  /** Why the asset failed, in one sentence. */
  error?: string;
  /** What was asked of the nodes and received from them for this asset. */
  requests: number;
  bytes: number;
  seconds: number;
}

export interface FetchReport {
  schema: 1;
  /** The version of Soprano. */
  soprano: string;
  began: string;
  seconds: number;
  counts: Record<string, number>;
  assets: FetchedAsset[];
}

export function fetchReport(began: Date, assets: FetchedAsset[]): FetchReport {
  const counts = STATUSES.map((name) => [name, assets.filter(({ status }) => status === name).length]);
  return {
    schema: 1,
    soprano: project.version,
    began: began.toISOString(),
    seconds: (Date.now() - began.getTime()) / 1000,
    counts: Object.fromEntries(counts),
    assets,
  };
}

/** What a fetch did, in a few lines. */
export function formatOutcome(outcome: FetchedAsset): string {
  const { symbol, asOf, files = [], rows = 0, repaired = [], requests, bytes, seconds, ...more } = outcome;
  const received = `${counted(requests, "request")}, ${megabytes(bytes)} MB, ${seconds.toFixed(1)} s`;
  if (more.status === "unchanged") return `${symbol}: nothing new, complete up to ${asOf} (${received})`;
  const { check, contracts, prices } = more;
  const moved = check?.since === undefined ? "" : ", those that have moved,";
  const done = [
    ...(repaired.length > 0 ? [`${repaired.join(", ")} fetched again`] : []),
    ...(files.length > 0 ? [`${counted(rows, "transfer")} in ${counted(files.length, "new file")}`] : []),
    `complete up to ${asOf}`,
  ];
  return [
    `${symbol}: ${done.join(", ")} (${received})`,
    ...(check
      ? [
          `  balances of ${count(check.holders)} of ${counted(check.of, "holder")}${moved} equal the chain's at block ${check.block}`,
        ]
      : []),
    ...(contracts ? [`  contracts among new addresses: ${count(contracts.added)} of ${count(contracts.looked)}`] : []),
    ...(prices ? [`  ${counted(prices.rows, "new hourly price")}${replacedText(prices.replaced)}`] : []),
  ].join("\n");
}

const replacedText = (replaced = 0) => (replaced > 0 ? `, ${count(replaced)} replaced` : "");

const TITLES = ["asset", "status", "complete up to", "transfers", "requests", "seconds", "reason"];

/** The report as Markdown, for the summary of a job in GitHub Actions: failures first. */
export function fetchMarkdown({ assets, counts, seconds }: FetchReport): string {
  const order = ["failed", "planned", "fetched", "unchanged"];
  const rows = assets
    .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
    .map(({ symbol, file, status, asOf = "", rows = 0, requests, seconds, error = "" }) =>
      [symbol ?? file, status, asOf, count(rows), count(requests), seconds.toFixed(1), error].map(ESCAPES.markdown),
    );
  const parts = STATUSES.filter((status) => counts[status]! > 0).map((status) => `${counts[status]} ${status}`);
  const table = [TITLES, TITLES.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `### ${parts.join(", ")} in ${seconds.toFixed(1)} s\n\n${table.join("\n")}\n`;
}
