/** Digests the whole input of an asset: that, and the asset itself, is what a build's identity depends on. */

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isOwnCohort, type OwnCohort } from "../../data-schema/registry.ts";
import { advisedFetch } from "../lib/advised.ts";
import { Failure } from "../lib/failure.ts";
import { type AssetFile, type CohortList, DEPOSIT_COHORT, keptCorrections } from "./asset/asset.ts";
import { changedSinceFetch } from "./fetched/fetched-asset.ts";
import { isCompressed } from "./files/compressed.ts";
import { DigestCache, type FileIdentity } from "./files/digest-cache.ts";
import { type FileDigest, findFiles, type InputFile } from "./files/files.ts";
import { HISTORY_ROLES, type HistoryRole, type KnownFile } from "./files/known-files.ts";
import { SurveyProgress } from "./files/survey-progress.ts";
import { type CohortFile, ownCohort } from "./labels/own-cohorts.ts";

const ROLES = [
  "transfers",
  "blocks",
  "prices",
  "corrections",
  "exchanges",
  "labels",
  "contracts",
  "calendar",
  "deposits",
] as const;
export type InputRole = (typeof ROLES)[number] | "balances";

export interface DigestedInput extends FileDigest {
  /** The role, or the own cohort whose addresses the file lists. */
  role: InputRole | OwnCohort;
  file: CohortFile;
  /** Whose transfers it has, if it is of a contract that the token had before: the position in the asset's `predecessors`. */
  predecessor?: number;
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
  for (const { file, ...of } of found) {
    const { role } = of;
    const digest = await cache.digest(file, (bytes) => progress.advance(bytes), knownBytes(known, role, file));
    const fetched = asset.digests?.get(file.name);
    if (fetched !== undefined && fetched !== digest.sha256) throw changedSinceFetch(file, asset);
    files.push({ ...of, file, ...digest });
  }
  await cache.save();
  return files;
}

type FoundInput = Pick<DigestedInput, "role" | "file" | "predecessor">;

async function findInput(asset: AssetFile): Promise<FoundInput[]> {
  const folder = dirname(asset.path);
  const found: FoundInput[] = [];
  for (const role of ROLES) {
    for (const file of await findFiles(folder, await pathsOf(asset, role), role)) found.push({ role, file });
    if (role === "transfers") found.push(...(await findFormer(asset, found)));
  }
  // The table of deposit addresses may have to be computed first: see `withDepositCohort`.
  const listed = (asset.cohorts ?? []).filter(({ isDeposits }) => !isDeposits);
  const cohorts = listed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const list of cohorts) found.push({ role: ownCohort(list.name), file: await findList(asset, list) });
  return found;
}

/** The transfers of the contracts that the token had before. @throws {Failure} a file is that of two contracts */
async function findFormer({ path, predecessors = [] }: AssetFile, own: readonly FoundInput[]): Promise<FoundInput[]> {
  const found = [...own];
  for (const [predecessor, { transfers, balances = [] }] of predecessors.entries()) {
    const key = `predecessors[${predecessor}].transfers`;
    for (const file of await findFiles(dirname(path), transfers, key)) {
      if (found.some((other) => other.file.path === file.path)) {
        throw new Failure(
          `${file.name} (${key}) is named for two contracts of ${path}: give each contract files of its own.`,
        );
      }
      found.push({ role: "transfers", file, predecessor });
    }
    for (const file of await findFiles(dirname(path), balances, `predecessors[${predecessor}].balances`)) {
      found.push({ role: "balances", file, predecessor });
    }
  }
  return found.slice(own.length);
}

/** The inputs of an asset with a cohort of its deposit addresses, whose list is their table. */
export function withDepositCohort(asset: AssetFile, input: readonly DigestedInput[]): readonly DigestedInput[] {
  const table = input.find(({ role }) => role === "deposits");
  if (!table || !asset.cohorts?.some(({ isDeposits }) => isDeposits)) return input;
  const role = ownCohort(DEPOSIT_COHORT);
  const isAfter = (one: DigestedInput) => isOwnCohort(one.role) && one.role > role;
  const after = input.filter(isAfter);
  return [...input.filter((one) => !isAfter(one)), { ...table, role }, ...after];
}

/** The file of an own cohort. @throws {Failure} there is none, or there are several */
async function findList(asset: AssetFile, { name, path, kind, shippedAs }: CohortList): Promise<CohortFile> {
  const folder = dirname(asset.path);
  if (kind && !shippedAs && !existsSync(resolve(folder, path))) {
    throw new Failure(
      `${asset.path}: "cohorts.${name}" is shipped, but ${path} is not there yet: run ${advisedFetch(asset.path)}, which ` +
        "places the list that this asset keeps.",
    );
  }
  const [file, ...others] = await findFiles(folder, [path], `cohorts.${name}`);
  if (others.length > 0) throw new Failure(`${path} (cohorts.${name}) stands for several files; name one.`);
  return { ...file!, ...(shippedAs !== undefined && { name: shippedAs }), ...(kind && { kind }) };
}

/** The paths of a role. Corrected prices, and the table of deposit addresses before the first build, need not be there. */
async function pathsOf(asset: AssetFile, role: (typeof ROLES)[number]): Promise<readonly string[]> {
  const paths = role === "corrections" ? [keptCorrections(asset)] : (asset[role] ?? []);
  if (role !== "corrections" && !(role === "deposits" && asset.detectsDeposits)) return paths;
  const isThere = await stat(resolve(dirname(asset.path), paths[0]!)).then(
    () => true,
    () => false,
  );
  return isThere ? paths : [];
}

/** Whether series of metrics depend on such files. */
export const isOfSeries = (role: string): boolean => !isOwnCohort(role) && role !== "calendar";

/** Whether a survey leaves the rows of such files to be read later. */
export const isHistoryRole = (role: DigestedInput["role"]): role is HistoryRole =>
  HISTORY_ROLES.includes(role as HistoryRole);

/** Size of a file when the last build read it. Undefined if it is compressed: appended rows change the compressed bytes. */
function knownBytes(known: readonly KnownFile[], role: DigestedInput["role"], input: InputFile): number | undefined {
  if (isCompressed(input)) return undefined;
  return known.find((file) => file.role === role && file.file === input.name)?.bytes;
}
