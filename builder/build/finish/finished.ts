/** What a build has done, for its report. */

import type { Cause, PriceRange, PublishedDeposits, PublishedLabels } from "../../../data-schema/stored.ts";
import { isoDay } from "../../../data-schema/text.ts";
import type { Totals } from "../../engine/history.ts";
import type { InputReport } from "../../input/join-shares.ts";
import { causeText } from "../../published/history/cause-text.ts";

/** What has changed if no input of a metric has, and how. */
export interface OnlyBeside {
  only: string;
  beside: string;
}

/** @param causes of kinds `cohorts` and `calendar` */
export const onlyBeside = (causes: readonly Cause[]): OnlyBeside => ({
  only: causes.map(({ kind }) => (kind === "cohorts" ? "own cohorts" : "calendar")).join(" and "),
  beside: causes.map(causeText).join("; "),
});

export interface Finished {
  build: string;
  /**
   * The end of the day from which it resumed, Unix seconds, and how deposit addresses and corrected prices have changed, if they
   * have; or why it was a full build; or how the lists of own cohorts have changed, if nothing else has.
   */
  start: { from: number; changes?: string[] } | { reason: string } | OnlyBeside;
  /** Whether the active build was made from the same input; then nothing was written. */
  isUnchanged: boolean;
  /** The transfers of the whole history. */
  transfers: number;
  /** Events from the first to the last that was replayed. */
  replayed: number;
  published: { objects: number; bytes: number; written: number; bytesWritten: number };
  /** Undefined if the build is unchanged. */
  details?: BuildDetails;
}

export interface BuildDetails {
  /** Replayed events that count nowhere: of value 0, or from an address to itself. Source: docs/methodology.md §2. */
  ofNoEffect: number;
  input: InputReport;
  /** Absent without prices. */
  price?: PriceRange;
  /** Absent without labels. */
  labels?: PublishedLabels;
  /** Absent without deposit addresses. */
  deposits?: PublishedDeposits;
  counts: Pick<Totals, "transfers" | "mints" | "burns" | "beforeFirstPrice">;
  /** Times of the first and last event, Unix seconds. */
  firstSeconds: number;
  lastSeconds: number;
  /** The checkpoint for the next build; absent while no day is complete. */
  checkpoint?: { holders: number; bytes: number };
}

/** The day from which a build resumed, or why it was a full build, or what of own cohorts it made. */
export function startText(start: Finished["start"]): string {
  if ("beside" in start) return `${start.only} only: ${start.beside}`;
  if ("reason" in start) return `full build: ${start.reason}`;
  return [`resumed from ${isoDay(start.from)}`, ...(start.changes ?? [])].join("; ");
}
