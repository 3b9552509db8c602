/** The report of a build. */

import type { LabelCoverage, PriceRange, PublishedDeposits, PublishedLabels } from "../../../data-schema/stored.ts";
import { isoDay, isoTime } from "../../../data-schema/text.ts";
import { COVERAGE_DAYS } from "../../engine/calendar.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { count, counted, megabytes, percent } from "../../lib/terminal/amount-text.ts";
import { type BuildDetails, type Finished, startText } from "../finish/finished.ts";

export interface BuildReport extends Finished {
  asset: Pick<AssetFile, "symbol">;
  /** Seconds per step. */
  seconds: Record<string, number>;
  wholeSeconds: number;
}

const seconds = (value: number) => `${value.toFixed(1)} s`;

/** The report as aligned lines. */
export function formatReport(report: BuildReport): string {
  const { asset, build, published, details } = report;
  const steps = Object.entries(report.seconds).map(([step, value]) => `${step} ${seconds(value)}`);
  const lines: [label: string, value: string][] = [
    ["built", startText(report.start)],
    ...(details ? detailLines(report, details) : []),
    ["objects", `${count(published.objects)}, ${megabytes(published.bytes)} MB`],
    ["written", `${count(published.written)} new, ${megabytes(published.bytesWritten)} MB`],
    ["seconds", steps.join(", ")],
  ];
  const shown = report.isUnchanged ? lines.slice(-1) : lines;
  const width = Math.max(...shown.map(([label]) => label.length));
  const outcome = report.isUnchanged ? "is already active" : `published in ${seconds(report.wholeSeconds)}`;
  const title = `${asset.symbol}: build ${build} ${outcome}`;
  return [title, ...shown.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)].join("\n");
}

function detailLines({ replayed }: BuildReport, details: BuildDetails): [label: string, value: string][] {
  const { input, counts } = details;
  const skipped = `${count(input.skippedOtherContracts)} of other contracts, ${count(input.skippedAfterAsOf)} at or after asOf`;
  return [
    ["replayed", `${count(replayed)} events`],
    ["of no effect", count(details.ofNoEffect)],
    ["rows read", count(input.rowsRead)],
    ["duplicates dropped", count(input.duplicates)],
    ["rows skipped", skipped],
    ["addresses", count(input.addresses)],
    ["transfers", count(counts.transfers)],
    ["mints, burns", `${count(counts.mints)}, ${count(counts.burns)}`],
    ["first, last event", `${isoTime(details.firstSeconds)}, ${isoTime(details.lastSeconds)}`],
    ["before the first price", `${count(counts.beforeFirstPrice)} events`],
    ...(details.price ? priceLines(details.price) : []),
    ...(details.labels ? labelLines(details.labels) : []),
    ...(details.deposits ? [["deposit addresses", depositsText(details.deposits)] as [string, string]] : []),
  ];
}

function labelLines({ exchanges, contracts }: PublishedLabels): [label: string, value: string][] {
  return [
    ...(exchanges ? [["exchange labels", coverageText(exchanges)] as [string, string]] : []),
    ...(contracts ? [["contract labels", coverageText(contracts)] as [string, string]] : []),
  ];
}

/** `1,238 (ftx 717, coinone 254), as of 2022-12-28T00:00:00Z: 43.0 % of the exchange inflow of the last 365 days`. */
function depositsText({ asOf, exchanges, inflowShare }: PublishedDeposits): string {
  const byCount = Object.entries(exchanges).sort(([, a], [, b]) => b - a);
  const list = byCount.map(([exchange, addresses]) => `${exchange} ${count(addresses)}`).join(", ");
  const all = count(byCount.reduce((sum, [, addresses]) => sum + addresses, 0));
  const since = asOf === undefined ? "" : `, as of ${isoTime(Date.parse(asOf) / 1000)}`;
  const share =
    inflowShare === undefined
      ? ""
      : `: ${percent(inflowShare)} of the exchange inflow of the last ${COVERAGE_DAYS} days`;
  return `${all}${list === "" ? "" : ` (${list})`}${since}${share}`;
}

/** `698 addresses, 41 have held the token, 12 hold it: 31.2 % of the supply, 22.0 % of the volume of the last 365 days`. */
function coverageText({ addresses, held, holders, supplyShare, volumeShare }: LabelCoverage): string {
  const counts = [
    counted(addresses, "address"),
    ...(held === undefined ? [] : [`${count(held)} have held the token`]),
    ...(holders === undefined ? [] : [`${count(holders)} hold it`]),
  ];
  const shares = [
    ...(supplyShare === undefined ? [] : [`${percent(supplyShare)} of the supply`]),
    ...(volumeShare === undefined ? [] : [`${percent(volumeShare)} of the volume of the last ${COVERAGE_DAYS} days`]),
  ];
  return [counts.join(", "), ...(shares.length > 0 ? [shares.join(", ")] : [])].join(": ");
}

function priceLines({ first, last, gaps, moreGaps = 0 }: PriceRange): [label: string, value: string][] {
  const stretches = gaps.map(([from, to]) => `${isoDay(from)} to ${isoDay(to)}`);
  const more = moreGaps > 0 ? `, and ${count(moreGaps)} shorter ones` : "";
  return [
    ["prices", `${isoTime(first)} to ${isoTime(last)}`],
    ...(gaps.length > 0 ? [["no price for over 7 days", stretches.join(", ") + more] as [string, string]] : []),
  ];
}
