/** What a replay keeps at each day's close, for the formulas of state metrics. Source: docs/methodology.md §7 and §9. */

import { BUCKET_SECONDS, SINGLE_SERIES } from "../../../data-schema/registry.ts";
import { newBuckets, type Outline } from "../history/outline.ts";
import { OWN_COHORT } from "../history/whose.ts";
import { AGES } from "./ages.ts";
import type { Closes, ExactCloses } from "./close.ts";
import { HOLDINGS } from "./holdings.ts";
import { LARGEST } from "./largest.ts";
import { RECENT } from "./recent.ts";
import { SQUARES } from "./squares.ts";

export const CLOSE_KINDS = { holdings: HOLDINGS, ages: AGES, largest: LARGEST, squares: SQUARES, recent: RECENT };

export type CloseName = keyof typeof CLOSE_KINDS;

export const CLOSE_NAMES = Object.keys(CLOSE_KINDS) as CloseName[];

export const closesOf = (name: CloseName): Closes<ExactCloses> => CLOSE_KINDS[name];

/** Something for each row of `CLOSE_KINDS`. */
export type Kept<Of> = Record<CloseName, Of>;

export const keepEach = <Of>(of: (name: CloseName) => Of): Kept<Of> =>
  Object.fromEntries(CLOSE_NAMES.map((name) => [name, of(name)])) as Kept<Of>;

/** What all partitions have kept, as numbers. */
export function roundCloses(kept: Kept<ExactCloses>, outline: Outline): Kept<Float64Array> {
  const { decimals } = outline.parameters;
  const firstClose = (newBuckets(outline, "day")?.first ?? 0) + BUCKET_SECONDS.day;
  return keepEach((name) => closesOf(name).round(kept[name], { decimals, firstClose, holdings: kept.holdings }));
}

/** The families of numbers that state metrics read. */
export type StateFamilyName = { [Name in CloseName]: keyof (typeof CLOSE_KINDS)[Name]["families"] }[CloseName];

/** Where the numbers of a family are. A replay of listed addresses knows no others, so they are its total. */
export function stateFamily(family: StateFamilyName): { name: CloseName; offset: (selector: string) => number } {
  const name = CLOSE_NAMES.find((one) => family in CLOSE_KINDS[one].families)!;
  const offset = closesOf(name).families[family]!;
  return { name, offset: (selector) => offset(selector === OWN_COHORT ? SINGLE_SERIES : selector) };
}
