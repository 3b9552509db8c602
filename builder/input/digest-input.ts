/** Digests the whole input of an asset: that, and the asset itself, is what a build's identity depends on. */

import { dirname } from "node:path";
import type { OwnCohort } from "../../data-schema/registry.ts";
import { Failure } from "../lib/failure.ts";
import type { AssetFile } from "./asset/asset.ts";
import { changedSinceFetch } from "./fetched/fetched-asset.ts";
import { isCompressed } from "./files/compressed.ts";
import { DigestCache, type FileIdentity } from "./files/digest-cache.ts";
import { type FileDigest, findFiles, type InputFile } from "./files/files.ts";
import type { KnownFile } from "./files/known-files.ts";
import { SurveyProgress } from "./files/survey-progress.ts";
import { ownCohort } from "./labels/own-cohorts.ts";

const ROLES = ["transfers", "blocks", "prices", "exchanges", "labels", "contracts"] as const;
export type InputRole = (typeof ROLES)[number];

export interface DigestedInput extends FileDigest {
  /** The role, or the own cohort whose addresses the file lists. */
  role: InputRole | OwnCohort;
  file: InputFile;
  /** What it was when it was digested. */
  identity: FileIdentity;
}

interface DigestOptions {
  /** The files of the last build. */
  known?: readonly KnownFile[] | undefined;
  progress?: SurveyProgress;
  /** Digests of files that the last build has read. */
  digests?: DigestCache | undefined;
}

/**
 * @returns the files in the order of `ROLES`, then those of own cohorts by their names; within a role in the order of ASSET.json
 * @throws {Failure} a file is missing, can't be read, or is not what was fetched
 */
export async function digestInput(
  asset: AssetFile,
  { known = [], progress = new SurveyProgress(), digests }: DigestOptions = {},
): Promise<DigestedInput[]> {
  const cache = digests ?? (await DigestCache.open(undefined));
  const found = await findInput(asset);
  // What is surveyed is read a second time.
  progress.begin(found.reduce((sum, { role, file }) => sum + (isHistoryRole(role) ? 1 : 2) * file.bytes, 0));
  const files: DigestedInput[] = [];
  for (const { role, file } of found) {
    const digest = await cache.digest(file, (bytes) => progress.advance(bytes), knownBytes(known, role, file));
    const fetched = asset.digests?.get(file.name);
    if (fetched !== undefined && fetched !== digest.sha256) throw changedSinceFetch(file, asset);
    files.push({ role, file, ...digest });
  }
  await cache.save();
  return files;
}

async function findInput(asset: AssetFile): Promise<Pick<DigestedInput, "role" | "file">[]> {
  const folder = dirname(asset.path);
  const found: Pick<DigestedInput, "role" | "file">[] = [];
  for (const role of ROLES) {
    for (const file of await findFiles(folder, asset[role] ?? [], role)) found.push({ role, file });
  }
  const cohorts = (asset.cohorts ?? []).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, path] of cohorts) {
    const files = await findFiles(folder, [path], `cohorts.${name}`);
    if (files.length > 1) throw new Failure(`${path} (cohorts.${name}) stands for several files; name one.`);
    found.push({ role: ownCohort(name), file: files[0]! });
  }
  return found;
}

/** Whether a survey leaves the rows of such files to be read later. */
export const isHistoryRole = (role: DigestedInput["role"]): role is "transfers" | "blocks" =>
  role === "transfers" || role === "blocks";

/** Size of a file when the last build read it. Undefined if it is compressed: appended rows change the compressed bytes. */
function knownBytes(known: readonly KnownFile[], role: DigestedInput["role"], input: InputFile): number | undefined {
  if (isCompressed(input)) return undefined;
  return known.find((file) => file.role === role && file.file === input.name)?.bytes;
}
