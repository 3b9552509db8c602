/** The builds of an asset that are kept, and answers from one of them. */

import { type BuildSummary, buildSummary, type Manifest, parseBuildSummary } from "../../data-schema/manifest.ts";
import { nearest } from "../../data-schema/nearest.ts";
import { buildPrefix } from "../../data-schema/objects.ts";
import type { Context } from "../context.ts";
import { isMissing, Problem } from "../problems/problem.ts";
import { prefetch } from "../read/prefetch.ts";
import { findChange } from "./changes.ts";
import { listObjects } from "./list.ts";
import { readBuild, withManifests } from "./locate.ts";

/** A build whose manifest is there. */
export interface KeptBuild {
  build: string;
  /** When it was last activated: a build and a rollback write its manifest just before. */
  activated: Date;
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
    builds.push({ build, activated: uploaded, summary: parseBuildSummary(customMetadata?.build) });
  }
  builds.sort((a, b) => b.activated.getTime() - a.activated.getTime() || (a.build < b.build ? -1 : 1));
  const unknown = builds.filter(({ summary }) => summary === undefined).slice(0, MOST_READ);
  const read = async (kept: KeptBuild) => {
    const manifest = await readBuild(symbol, kept.build, context).catch(ignoreDamage);
    if (manifest) kept.summary = buildSummary(manifest);
  };
  for await (const _ of prefetch(unknown, read, (_, pending) => pending < READS_AT_ONCE));
  return builds;
}

/** One damaged manifest keeps nobody from the others. */
function ignoreDamage(error: unknown): null {
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
  symbol: string,
  build: string,
  context: Context,
  answer: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  return withManifests([symbol], context, async ([active]) => {
    if (active!.build === build) return answer(active!);
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
