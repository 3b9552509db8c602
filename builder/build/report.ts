/** What a build tells its user. */

import type { Totals } from "../engine/checkpoint.ts";
import type { AssetFile } from "../input/asset.ts";
import type { InputReport } from "../input/read.ts";
import { count, megabytes } from "../terminal/amounts.ts";

export interface BuildReport {
  asset: Pick<AssetFile, "symbol">;
  build: string;
  /** From the end of which day it went on, Unix seconds; or why it began with the first transfer. */
  start: { from: number } | { reason: string };
  /** Events from the first to the last that was replayed. */
  replayed: number;
  /** Of these, the ones that count nowhere: of value 0, or from an address to itself. */
  ofNoEffect: number;
  input: InputReport;
  counts: Pick<Totals, "transfers" | "mints" | "burns" | "beforeFirstPrice">;
  /** Times of the first and last event, Unix seconds. */
  firstSeconds: number;
  lastSeconds: number;
  published: { objects: number; bytes: number; written: number; bytesWritten: number };
  /** The same input had been built already: nothing was written. */
  isUnchanged: boolean;
  /** What it left for the next build. */
  checkpoint?: { holders: number; bytes: number };
  /** Seconds per step. */
  seconds: Record<string, number>;
  wholeSeconds: number;
}

const seconds = (value: number) => `${value.toFixed(1)} s`;
const utc = (unixSeconds: number) => `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}Z`;

/** From where a build went on, or why it did not. */
export function startText(start: BuildReport["start"]): string {
  return "from" in start
    ? `on from ${new Date(start.from * 1000).toISOString().slice(0, 10)}`
    : `from the first transfer: ${start.reason}`;
}

/** The report as aligned lines. */
export function formatReport({ asset, build, start, input, counts, published, ...rest }: BuildReport): string {
  const skipped = [
    [input.skippedOtherContracts, "of other contracts"],
    [input.skippedAfterAsOf, "at or after asOf"],
  ] as const;
  const lines: [label: string, value: string][] = [
    ["built", startText(start)],
    ["replayed", `${count(rest.replayed)} events`],
    ["of no effect", count(rest.ofNoEffect)],
    ["rows read", count(input.rowsRead)],
    ["duplicates dropped", count(input.duplicates)],
    ["rows skipped", skipped.map(([rows, why]) => `${count(rows)} ${why}`).join(", ")],
    ["addresses", count(input.addresses)],
    ["transfers", count(counts.transfers)],
    ["mints, burns", `${count(counts.mints)}, ${count(counts.burns)}`],
    ["first, last event", `${utc(rest.firstSeconds)}, ${utc(rest.lastSeconds)}`],
    ["before the first price", `${count(counts.beforeFirstPrice)} events`],
    ["objects", `${count(published.objects)}, ${megabytes(published.bytes)} MB`],
    ["written", `${count(published.written)} new, ${megabytes(published.bytesWritten)} MB`],
    [
      "seconds",
      Object.entries(rest.seconds)
        .map(([step, value]) => `${step} ${seconds(value)}`)
        .join(", "),
    ],
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  const outcome = rest.isUnchanged ? "is in force already" : `published in ${seconds(rest.wholeSeconds)}`;
  const title = `${asset.symbol}: build ${build} ${outcome}`;
  return [title, ...lines.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)].join("\n");
}
