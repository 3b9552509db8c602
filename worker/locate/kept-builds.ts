/** The builds of an asset that are kept, and answers from one of them. */

import {
  type BuildSummary,
  buildPrefix,
  buildSummary,
  lastActivations,
  type Manifest,
  METADATA,
} from "../../data-schema/stored.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import type { Context } from "../context.ts";
import { isMissing, Problem } from "../problems/problem.ts";
import { listAssets, listObjects } from "./listed-assets.ts";
import { readBuild, withManifests } from "./locate.ts";
import { findChange, readEntry } from "./read-changes.ts";
import { readChunk } from "./read-known.ts";

/** A build whose manifest is there. */
export interface KeptBuild {
  build: string;
  /** When it was last activated, by the log; of one that is not in the log, when it was made. */
  activated: Date;
  /** When its manifest was put: just before it was activated, unless the bucket was copied since. */
  uploaded: Date;
  /** Undefined if it is not known. */
  summary: BuildSummary | undefined;
}

/** Manifests without a summary, of Soprano 0.2 and before, that are read for one list; of older ones only the id is known. */
const MOST_READ = 20;
const READS_AT_ONCE = 4;

/** Builds that a problem names. */
const MOST_NAMED = 20;

/**
 * The builds of an asset that are kept, the last activated first.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function listBuilds(symbol: string, context: Context): Promise<KeptBuild[]> {
  const prefix = buildPrefix(symbol);
  const builds: KeptBuild[] = [];
  for await (const { key, uploaded, customMetadata } of listObjects(prefix, context)) {
    const build = key.slice(prefix.length, -".json".length);
    const summary = METADATA.build.read(customMetadata?.build, key);
    builds.push({ build, activated: uploaded, uploaded, summary });
  }
  builds.sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime());
  const unknown = builds.filter(({ summary }) => summary === undefined).slice(0, MOST_READ);
  const read = async (kept: KeptBuild) => {
    const manifest = await readBuild(symbol, kept.build, context).catch(ignoreDamage);
    if (manifest) kept.summary = buildSummary(manifest);
  };
  for await (const _ of sideBySide(unknown, read, (_, pending) => pending < READS_AT_ONCE));
  const times = await activationTimes(symbol, builds, context);
  for (const kept of builds) {
    const recorded = times.get(kept.build) ?? kept.summary?.created;
    if (recorded !== undefined) kept.activated = new Date(recorded);
  }
  return builds.sort(
    (a, b) =>
      b.activated.getTime() - a.activated.getTime() ||
      b.uploaded.getTime() - a.uploaded.getTime() ||
      (a.build < b.build ? -1 : 1),
  );
}

/** When builds were last activated, as far as the log of what was known says: it has the last activations, and older ones. */
async function activationTimes(symbol: string, builds: readonly KeptBuild[], context: Context) {
  const { entry } = (await listAssets(context)).find((asset) => asset.symbol === symbol) ?? {};
  const change = entry?.activation && (await readEntry(symbol, entry.activation.change, context).catch(ignoreDamage));
  if (!change?.known) return new Map<string, string>();
  const { lines, older } = change.known;
  const last = lastActivations(lines);
  if (older === null || builds.every(({ build }) => last.has(build))) return last;
  const chunk = await readChunk(symbol, older, context).catch(ignoreDamage);
  return lastActivations([...(chunk?.lines ?? []), ...lines]);
}

/** One damaged manifest keeps nobody from the others. */
export function ignoreDamage(error: unknown): null {
  if (error instanceof Problem && error.type === "damaged-data") return null;
  throw error;
}

/**
 * Answers from one build of an asset, whether it is active or not.
 *
 * @param answer makes the answer from its manifest; it must not send anything before it returns
 * @throws {Problem} 404 unsupported-asset, unknown-build; 410 collected-build; what `answer` throws
 */
export function withBuild<T>(
  asset: string,
  build: string,
  context: Context,
  answer: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  return withManifests([asset], context, async ([active]) => {
    if (active!.build === build) return answer(active!);
    const { symbol } = active!;
    const manifest = await readBuild(symbol, build, context);
    if (manifest === null) throw await notKept(symbol, build, context);
    try {
      return await answer(manifest);
    } catch (error) {
      // A collection removes the manifest before the objects; an isolate may still have it.
      if (!isMissing(error)) throw error;
      throw await notKept(symbol, build, context, manifest.asOf);
    }
  });
}

/** @param asOf of a build of which something is still there */
async function notKept(symbol: string, build: string, context: Context, asOf?: string): Promise<Problem> {
  const kept = (await listBuilds(symbol, context)).filter((other) => other.build !== build);
  const allowed = kept.slice(0, MOST_NAMED).map((other) => other.build);
  const wasAsOf = asOf ?? (await findChange(symbol, build, context))?.asOf;
  const facts = { parameter: "build", allowed };
  if (wasAsOf === undefined) {
    const detail = "The asset has never had this build.";
    return new Problem("unknown-build", detail, { ...facts, suggestion: nearest(build, allowed) });
  }
  const distance = ({ summary }: KeptBuild) =>
    summary ? Math.abs(Date.parse(summary.asOf) - Date.parse(wasAsOf)) : Number.POSITIVE_INFINITY;
  const [closest] = kept.toSorted((a, b) => distance(a) - distance(b));
  const detail = `The build of ${wasAsOf} is no longer kept.`;
  return new Problem("collected-build", detail, { ...facts, suggestion: closest?.build });
}
