/** `soprano status` as a table with a row an asset. */

import type { Checked, PricesProven } from "../../../data-schema/stored.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../../data-schema/text.ts";
import { alignColumns } from "../../lib/terminal/align.ts";
import { count, counted, megabytes } from "../../lib/terminal/amount-text.ts";
import type { ActiveStatus, AssetStatus } from "./read-status.ts";

interface StatusColumn {
  title: string;
  isNumber?: true;
  /** Left out of a table in which it is empty. */
  isOptional?: true;
  of: (active: ActiveStatus) => string;
}

/** `26h`, or from two days on `3d`. */
const ageText = (seconds: number) =>
  seconds < 2 * DAY_SECONDS ? `${Math.floor(seconds / HOUR_SECONDS)}h` : `${Math.floor(seconds / DAY_SECONDS)}d`;

const minute = (iso = "") => iso.slice(0, 16).replace("T", " ");

const checkedText = ({ holders, of }: Checked) =>
  holders === of ? `all ${count(of)}` : `${count(holders)} of ${count(of)}`;
const provenText = ({ pools, feeds }: PricesProven) =>
  [counted(pools, "pool"), ...(feeds > 0 ? [counted(feeds, "feed")] : [])].join(", ");

const COLUMNS: readonly StatusColumn[] = [
  { title: "as of", of: ({ asOf }) => minute(asOf) },
  { title: "age", isNumber: true, of: ({ ageSeconds }) => ageText(ageSeconds) },
  { title: "target", isNumber: true, of: ({ mostAgeSeconds }) => ageText(mostAgeSeconds) },
  { title: "build", of: ({ build }) => build },
  { title: "activated", of: ({ activated }) => minute(activated) },
  { title: "rows added", isNumber: true, of: ({ added }) => (added ? count(added.rows) : "") },
  { title: "MB added", isNumber: true, of: ({ added }) => (added ? megabytes(added.bytes) : "") },
  {
    title: "checked holders",
    isNumber: true,
    isOptional: true,
    of: ({ checked }) => (checked ? checkedText(checked) : ""),
  },
  { title: "prices proven by", isOptional: true, of: ({ priceProof }) => (priceProof ? provenText(priceProof) : "") },
  {
    title: "corrected",
    isNumber: true,
    isOptional: true,
    of: ({ corrections }) => (corrections ? count(corrections) : ""),
  },
  {
    title: "own lists",
    isOptional: true,
    of: ({ lists }) =>
      Object.entries(lists)
        .map(([name, addresses]) => `${name} ${count(addresses)}`)
        .join(", "),
  },
  { title: "labels", isOptional: true, of: ({ labels = "" }) => labels },
  { title: "deposits of", isOptional: true, of: ({ deposits = "" }) => deposits.slice(0, 10) },
  { title: "MB stored", isNumber: true, of: ({ bytes }) => megabytes(bytes) },
  { title: "MB for gc", isNumber: true, of: ({ garbage }) => (garbage ? megabytes(garbage.bytes) : "?") },
];

export function formatStatus(assets: readonly AssetStatus[]): string {
  const cell = ({ active }: AssetStatus, { of }: StatusColumn) => (active ? of(active) : "");
  const columns = COLUMNS.filter((column) => !column.isOptional || assets.some((asset) => cell(asset, column) !== ""));
  const rows = assets.map((asset) => [
    asset.symbol,
    asset.state,
    ...columns.map((column) => cell(asset, column)),
    asset.why,
  ]);
  const numbers = columns.flatMap(({ isNumber }, index) => (isNumber ? [index + 2] : []));
  return alignColumns([["asset", "state", ...columns.map(({ title }) => title), "why"], ...rows], numbers);
}
