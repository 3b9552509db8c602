/** What a build tells its user. */

import type { AssetFile } from "./input/asset.ts";
import type { InputReport } from "./input/read.ts";

export interface BuildReport {
  asset: Pick<AssetFile, "symbol">;
  build: string;
  input: InputReport;
  counts: { transfers: number; mints: number; burns: number; beforeFirstPrice: number };
  /** Times of the first and last event, Unix seconds. */
  firstSeconds: number;
  lastSeconds: number;
  published: { objects: number; bytes: number; written: number; bytesWritten: number };
  /** Seconds per step. */
  seconds: Record<string, number>;
  wholeSeconds: number;
}

const count = (value: number) => value.toLocaleString("en-US");
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const seconds = (value: number) => `${value.toFixed(1)} s`;
const utc = (unixSeconds: number) => `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}Z`;

/** The report as aligned lines. */
export function formatReport({ asset, build, input, counts, published, ...rest }: BuildReport): string {
  const skipped = [
    [input.skippedOtherContracts, "of other contracts"],
    [input.skippedAfterAsOf, "at or after asOf"],
  ] as const;
  const lines: [label: string, value: string][] = [
    ["rows read", count(input.rowsRead)],
    ["duplicates dropped", count(input.duplicates)],
    ["rows skipped", skipped.map(([rows, why]) => `${count(rows)} ${why}`).join(", ")],
    ["addresses", count(input.addresses)],
    ["transfers", count(counts.transfers)],
    ["mints, burns", `${count(counts.mints)}, ${count(counts.burns)}`],
    ["first, last event", `${utc(rest.firstSeconds)}, ${utc(rest.lastSeconds)}`],
    ["before the first price", `${count(counts.beforeFirstPrice)} events`],
    ["objects", `${count(published.objects)}, ${megabytes(published.bytes)}`],
    ["written", `${count(published.written)} new, ${megabytes(published.bytesWritten)}`],
    [
      "seconds",
      Object.entries(rest.seconds)
        .map(([step, value]) => `${step} ${seconds(value)}`)
        .join(", "),
    ],
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  const title = `${asset.symbol}: build ${build} published in ${seconds(rest.wholeSeconds)}`;
  return [title, ...lines.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)].join("\n");
}
