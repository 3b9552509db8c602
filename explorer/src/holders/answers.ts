/** What the API tells of holders. Source: docs/api.md#holders. */

import type { HolderValues } from "../../../data-schema/stored.ts";

/** What is known of an address, with its times as ISO 8601, UTC, without an offset; tokens are whole ones, money is USD. */
export interface Holder extends Omit<HolderValues, "first_seen" | "last_active" | "held_since" | "cohorts"> {
  first_seen: string;
  last_active: string;
  held_since: string | null;
  /** Names, without the `@` of selectors. */
  cohorts: string[];
}

/** One of the largest at a day's close. */
export interface LargeHolder {
  address: string;
  balance: number;
  raw: string;
  share: number | null;
  change_1d: number | null;
  change_7d: number | null;
  change_30d: number | null;
}

/** GET /v3/holders; `at` is the day, where one was asked for. */
export interface HolderList<Row> {
  asset: string;
  asOf: string;
  at?: string;
  holders: Row[];
}

/** GET /v3/holders/<address> */
export interface Holdings {
  address: string;
  holders: (Holder & { asset: string; asOf: string })[];
  /** Assets whose build is older than holders. */
  unavailable?: string[];
}
