/** What is told of each address that has ever held a token, and of the largest at a day's close. Source: docs/methodology.md §12. */

import type { ExchangeSelector } from "../../registry/exchanges.ts";
import type { MetricUnit } from "../../registry/metrics.ts";
import type { OwnCohort } from "../../registry/own-cohorts.ts";
import type { HolderGroup } from "./holder-objects.ts";

/** What is known of an address. Source: docs/methodology.md §12. */
export interface HolderValues {
  /** `0x` and 40 hex digits. */
  address: string;
  balance: number;
  raw: string;
  /** 0 to 1; null where the supply is 0. */
  share: number | null;
  /** USD per token; null if it holds nothing. */
  average_price: number | null;
  /** USD. */
  cost: number;
  value: number;
  unrealised_profit: number;
  realised_profit: number;
  received: number;
  sent: number;
  receipts: number;
  sends: number;
  /** Unix seconds; `held_since` is null if it holds nothing. */
  first_seen: number;
  last_active: number;
  held_since: number | null;
  group: HolderGroup;
  label: ExchangeSelector | null;
  cohorts: OwnCohort[];
}

/** Numbers are doubles, counts whole numbers, times Unix seconds; `names` is a list of texts. */
export type RecordColumn = {
  name: string;
  /** Whether an address may have none. */
  nullable?: true;
  description: string;
} & ({ type: "number"; unit: MetricUnit } | { type: "text" | "names" | "count" | "time" });

const ADDRESS = { name: "address", type: "text", description: "The address, in lower case." } as const;
const BALANCE = {
  name: "balance",
  type: "number",
  unit: "token",
  description: "Whole tokens that it holds.",
} as const;
const RAW = {
  name: "raw",
  type: "text",
  description: "The balance as an exact integer, in the token's base unit.",
} as const;
const SHARE = {
  name: "share",
  type: "number",
  unit: "ratio",
  nullable: true,
  description: "The balance as a part of the supply; none where the supply is 0.",
} as const;

/** What is told of an address, in the order in which it is shown. */
export const HOLDER_COLUMNS = [
  ADDRESS,
  BALANCE,
  RAW,
  SHARE,
  {
    name: "average_price",
    type: "number",
    unit: "usd_per_token",
    nullable: true,
    description: "The average price that it paid for what it holds; none where it holds nothing.",
  },
  { name: "cost", type: "number", unit: "usd", description: "What it paid for what it holds." },
  { name: "value", type: "number", unit: "usd", description: "What that is worth at the day's close." },
  {
    name: "unrealised_profit",
    type: "number",
    unit: "usd",
    description: "The value less the cost; negative for a loss.",
  },
  {
    name: "realised_profit",
    type: "number",
    unit: "usd",
    description:
      "What all that it has ever sent was worth when it was sent, less what that had cost; negative for a loss. It is kept when the address empties.",
  },
  {
    name: "received",
    type: "number",
    unit: "token",
    description: "Whole tokens that it has ever received, by mints too.",
  },
  { name: "sent", type: "number", unit: "token", description: "Whole tokens that it has ever sent, by burns too." },
  { name: "receipts", type: "count", description: "How often it has received." },
  { name: "sends", type: "count", description: "How often it has sent." },
  { name: "first_seen", type: "time", description: "The time of its first event." },
  { name: "last_active", type: "time", description: "The time of its last event." },
  {
    name: "held_since",
    type: "time",
    nullable: true,
    description: "The average time at which it bought what it holds; none where it holds nothing.",
  },
  { name: "group", type: "text", description: "users, sc (contracts) or cex (exchanges)." },
  { name: "label", type: "text", nullable: true, description: "The exchange that it belongs to." },
  { name: "cohorts", type: "names", description: "The names of the asset's own cohorts that list it." },
] as const satisfies readonly RecordColumn[];

/** By how many days before the balance is compared. */
export const LARGEST_CHANGE_DAYS = [1, 7, 30] as const;

/** The columns of the largest addresses at a day's close. */
export const LARGEST_COLUMNS = [
  ADDRESS,
  BALANCE,
  RAW,
  SHARE,
  ...LARGEST_CHANGE_DAYS.map((days) => ({
    name: `change_${days}d` as const,
    type: "number" as const,
    unit: "token" as const,
    nullable: true as const,
    description: `Whole tokens by which its balance has changed over ${days === 1 ? "a day" : `${days} days`}; none where it was not among the largest then.`,
  })),
] as const satisfies readonly RecordColumn[];
