/** What an operator asks in the morning of each asset: how old its data is, what the night brought, and what it takes. */

import {
  buildKey,
  type Checked,
  DEFAULT_FRESHNESS,
  type Manifest,
  MOST_AGE_SECONDS,
  type PricesProven,
  type Reference,
  references,
} from "../../../data-schema/stored.ts";
import { Failure, StoreFailure, sentenceOf } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { collect } from "../builds/collect.ts";
import { assetParts } from "../builds/remove.ts";
import { readCurrent } from "../builds/stored-builds.ts";
import { reasonText } from "../history/cause-text.ts";
import { readManifest } from "../publish/publication.ts";
import { lastActivation } from "../publish/write-changes.ts";
import { buildsUse, type Used } from "./cost.ts";

/** What a night's reports say of an asset that was not built. */
export interface Trouble {
  status: "failed" | "skipped" | "unfetched";
  why: string;
}

/** An asset that is published, or that a report names. */
export interface AssetStatus {
  symbol: string;
  /** `late`: its data is older than its target. `failed`: the night's reports say so, or what is published can't be read. */
  state: "ok" | "late" | "failed";
  /** Why it failed, or else why there is the active build. */
  why: string;
  /** The active build; absent if there is none, or it can't be read. */
  active?: ActiveStatus;
}

export interface ActiveStatus {
  build: string;
  /** ISO 8601. */
  asOf: string;
  ageSeconds: number;
  /** The age up to which the data counts as up to date. */
  mostAgeSeconds: number;
  /** When it was activated, ISO 8601; absent without a log of changes. */
  activated?: string;
  /** What it has more than the build before, of events, objects and bytes; absent if there is none, or none that can be read. */
  added?: { rows: number; objects: number; bytes: number };
  checked?: Checked;
  priceProof?: PricesProven;
  /** Addresses on the lists of own cohorts, by selector. */
  lists: Record<string, number>;
  /** Version of the shipped exchange labels; absent without. */
  labels?: string;
  /** What the table of deposit addresses was computed for, ISO 8601; absent without. */
  deposits?: string;
  /** Corrected prices. */
  corrections: number;
  /** What the store has of the asset. */
  objects: number;
  bytes: number;
  /** What a garbage collection would free; absent if it would refuse. */
  garbage?: { builds: number; objects: number; bytes: number };
  /** Operations of R2 a month, if every build is as the last one. */
  month: Pick<Used, "writes" | "reads">;
}

export interface StatusOptions {
  now: Date;
  /** Builds that a garbage collection would keep, and how long they must have been inactive, in milliseconds. */
  keep: number;
  minAge: number;
  trouble?: Trouble | undefined;
}

/** @throws {StoreFailure} the store can't be read */
export async function readStatus(store: ObjectStore, symbol: string, options: StatusOptions): Promise<AssetStatus> {
  const { now, trouble } = options;
  const found = await readActive(store, symbol, options).catch((error: unknown) => {
    if (error instanceof Failure && !(error instanceof StoreFailure)) return sentenceOf(error);
    throw error;
  });
  if (typeof found === "string") return { symbol, state: "failed", why: trouble?.why ?? found };
  const { active, why } = found;
  if (trouble) return { symbol, state: "failed", why: trouble.why, active };
  const isLate = now.getTime() - Date.parse(active.asOf) > active.mostAgeSeconds * 1000;
  return { symbol, state: isLate ? "late" : "ok", why, active };
}

async function readActive(
  store: ObjectStore,
  symbol: string,
  { now, keep, minAge }: StatusOptions,
): Promise<{ active: ActiveStatus; why: string }> {
  const { manifest, bytes: manifestBytes } = await readCurrent(store, symbol);
  const { build, asOf, freshness = DEFAULT_FRESHNESS, checked, priceProof, cohorts = {}, deposits } = manifest;
  const entry = await lastActivation(store, manifest);
  const before = entry?.previousBuild ? await recorded(store, symbol, entry.previousBuild) : undefined;
  const byPart = await assetParts(store, symbol);
  const parts = Object.values(byPart).flat();
  const garbage = await collect(store, symbol, { now, keep, minAge, dryRun: true }).catch((error: unknown) => {
    if (error instanceof Failure && !(error instanceof StoreFailure)) return undefined;
    throw error;
  });
  const labels = manifest.labels?.exchanges?.version;
  const added = before && addedBy(manifest, before);
  const active: ActiveStatus = {
    build,
    asOf,
    ageSeconds: Math.max(0, Math.floor((now.getTime() - Date.parse(asOf)) / 1000)),
    mostAgeSeconds: MOST_AGE_SECONDS[freshness],
    ...(entry && { activated: entry.activated }),
    ...(added && { added }),
    ...(checked && { checked }),
    ...(priceProof && { priceProof }),
    lists: Object.fromEntries(Object.entries(cohorts).map(([name, facts]) => [name, facts!.addresses])),
    ...(labels !== undefined && { labels }),
    ...(deposits?.asOf !== undefined && { deposits: deposits.asOf }),
    corrections: manifest.corrections?.length ?? 0,
    objects: parts.length + 1,
    bytes: bytesOf(parts) + manifestBytes.length,
    ...(garbage && {
      garbage: { builds: garbage.builds.length, objects: garbage.objects.length, bytes: bytesOf(garbage.objects) },
    }),
    month: buildsUse({
      newObjects: entry?.causes[0]?.kind === "new-events" ? added?.objects : undefined,
      hasBlocks: manifest.resolutions.block !== undefined,
      hasInputs: byPart.inputs.length > 0,
      freshness,
    }),
  };
  return { active, why: entry ? reasonText(entry.causes) : (manifest.reason ?? "") };
}

const bytesOf = (objects: readonly Reference[]) => objects.reduce((sum, { size }) => sum + size, 0);

async function recorded(store: ObjectStore, symbol: string, build: string): Promise<Manifest | undefined> {
  const object = await store.get(buildKey(symbol, build));
  return object && readManifest(object).manifest;
}

const eventsOf = ({ counts: { transfers, mints, burns } }: Manifest) => transfers + mints + burns;

function addedBy(now: Manifest, before: Manifest): { rows: number; objects: number; bytes: number } {
  const known = new Set(references(before).map(({ key }) => key));
  const added = references(now).filter(({ key }) => !known.has(key));
  return { rows: eventsOf(now) - eventsOf(before), objects: added.length, bytes: bytesOf(added) };
}
