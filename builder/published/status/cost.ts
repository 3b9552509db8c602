/** What a store costs a month on Cloudflare, by its own figures. The prices are those of docs/cost.md, whose table a test computes with them. */

import type { Freshness } from "../../../data-schema/stored.ts";

/** What is billed by amount: what the paid plan includes a month, and US dollars for each one above it. */
export const METERS = {
  requests: { included: 10e6, dollars: 0.3 / 1e6 },
  cpuMilliseconds: { included: 30e6, dollars: 0.02 / 1e6 },
  kvReads: { included: 10e6, dollars: 0.5 / 1e6 },
  writes: { included: 1e6, dollars: 4.5 / 1e6 },
  reads: { included: 10e6, dollars: 0.36 / 1e6 },
  storedBytes: { included: 10e9, dollars: 0.015 / 1e9 },
};

/** The paid plan of Workers, a month. */
export const PLAN_DOLLARS = 5;
export const PRICES_OF = "November 2026";

export type Meter = keyof typeof METERS;
const NAMES = Object.keys(METERS) as Meter[];

/** Amounts a month. `writes` are operations of R2's class A, lists included; `reads` those of class B. */
export type Used = Record<Meter, number>;

const NOTHING_USED: Used = {
  requests: 0,
  cpuMilliseconds: 0,
  kvReads: 0,
  writes: 0,
  reads: 0,
  storedBytes: 0,
};

export const usedTogether = (all: readonly Partial<Used>[]): Used =>
  all.reduce<Used>(
    (sum, used) => Object.fromEntries(NAMES.map((name) => [name, sum[name] + (used[name] ?? 0)])) as Used,
    NOTHING_USED,
  );

/** Dollars a month for what is above the included amounts, by what is billed. */
export const billOf = (used: Used): Record<Meter, number> =>
  Object.fromEntries(
    NAMES.map((name) => [name, Math.max(0, used[name] - METERS[name].included) * METERS[name].dollars]),
  ) as Record<Meter, number>;

/** What a part of the use would cost beside others that use up what is included. */
export const dollarsOf = (used: Partial<Used>): number =>
  NAMES.reduce((sum, name) => sum + (used[name] ?? 0) * METERS[name].dollars, 0);

/** A request of which nine in ten are warm: 1 ms and no read, or else 3 ms, two reads of R2 and one of KV. */
export const requestsUse = (requests: number): Partial<Used> => ({
  requests,
  cpuMilliseconds: 1.2 * requests,
  kvReads: 0.1 * requests,
  reads: 0.2 * requests,
});

/** What was counted of builds, without inputs: docs/nightly.md#what-it-costs. */
const COUNTED = {
  /** Objects that a night writes: a pack, the checkpoint, and those of block series that are too large for a pack. */
  objects: 10,
  blockObjects: 8,
  /** Writes beside the objects that a manifest names: two manifests, the entry of the log of changes, the lease of gc. */
  writesBeside: 4,
  /** To save the inputs, a list included. */
  inputWrites: 7,
};

/** How often an asset is built, and what it takes beside writes. Hours leave verify and gc to the nights. */
const RHYTHMS: Record<Freshness, { builds: number; lists: number; reads: number }> = {
  day: { builds: 30, lists: 19, reads: 220 },
  hour: { builds: 30 * 24, lists: 1, reads: 32 },
};

export interface BuildFacts {
  /** Objects that the last build has more than the one before; undefined if there is none, or it was a full one. */
  newObjects: number | undefined;
  hasBlocks: boolean;
  hasInputs: boolean;
  freshness: Freshness;
}

/** What builds of an asset take a month, if each is as the last one. */
export function buildsUse(facts: BuildFacts): Pick<Used, "writes" | "reads"> {
  const { builds, lists, reads } = RHYTHMS[facts.freshness];
  const usual = COUNTED.objects - (facts.hasBlocks ? 0 : COUNTED.blockObjects);
  const writes = (facts.newObjects ?? usual) + COUNTED.writesBeside;
  return {
    writes: builds * (writes + lists + (facts.hasInputs ? COUNTED.inputWrites : 0)),
    reads: builds * reads,
  };
}
