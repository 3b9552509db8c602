/** The table of deposit addresses that a build goes by: found, brought or computed, before anything else is planned. */

import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isOwnCohort } from "../../../data-schema/registry.ts";
import { depositsKey, namePart, type PublishedDeposits } from "../../../data-schema/stored.ts";
import { compareAddresses, viewOf } from "../../input/address-order.ts";
import { type AssetFile, keptDeposits } from "../../input/asset/asset.ts";
import { type DigestedInput, isOfSeries, withDepositCohort } from "../../input/digest-input.ts";
import { identify } from "../../input/files/digest-cache.ts";
import type { InputFile } from "../../input/files/files.ts";
import { formatDeposits, readDepositAddresses } from "../../input/labels/deposit-table.ts";
import { surveyInput } from "../../input/survey.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { Failure, writing } from "../../lib/failure.ts";
import { replaceDurably } from "../../lib/files/durable.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { DEPOSIT_TABLE, type DepositsInUse } from "../left/stage-plan.ts";
import { chooseTable } from "./choose.ts";
import { type DetectionOptions, detectDeposits } from "./detect.ts";

export interface FoundDeposits extends DepositsInUse {
  /** The input with the table. */
  input: DigestedInput[];
}

interface FindOptions extends DetectionOptions {
  store: ObjectStore;
  /** What the active build says of its table. */
  active: PublishedDeposits | undefined;
  /** The end of the build, Unix seconds; undefined while that is not known, or where the table stays whatever it is. */
  asOf: number | undefined;
  /** Compute it whatever there is. */
  isAnew?: boolean | undefined;
}

/**
 * The table of an asset whose builds detect deposit addresses. It is left in the folder; where the asset keeps it, `keepDeposits`
 * puts it when the build has succeeded.
 *
 * @param input all other files; and the table, if there is a file in its place
 * @throws {Failure} as `surveyInput` and `detectDeposits`
 */
export async function findDeposits(
  asset: AssetFile,
  input: readonly DigestedInput[],
  options: FindOptions,
): Promise<FoundDeposits> {
  const { store, active, asOf: end, folder, isAnew = false } = options;
  const others = input.filter(({ role }) => role !== "deposits");
  const kept = input.find(({ role }) => role === "deposits");
  const path = join(folder, DEPOSIT_TABLE);
  const choice = isAnew
    ? "compute"
    : chooseTable({
        file: kept?.sha256,
        isStored: kept !== undefined && (await isStored(store, asset, kept)),
        active,
        asOf: end,
      });
  const withTable = async (): Promise<DigestedInput[]> => {
    const cohorts = others.filter(({ role }) => isOwnCohort(role));
    return [...others.filter(({ role }) => !isOwnCohort(role)), await tableInput(asset, path), ...cohorts];
  };
  const asOf = active?.asOf !== undefined && { asOf: active.asOf };
  if (kept && (choice === "frozen" || choice === "given")) {
    await writing(path, () => copyFile(kept.file.path, path));
    if (choice === "frozen") return { input: [...input], ...asOf };
    return { input: [...input], ...(await changeOf(asset, kept.file, options)) };
  }
  if (choice === "stored" && (await bring(store, asset, active, path))) return { input: await withTable(), ...asOf };
  const survey = await surveyInput(asset, historyAndLabels(others), { threads: options.threads });
  const rows = await detectDeposits(asset, survey, options);
  await writing(path, () => writeFile(path, formatDeposits(rows, asset.decimals)));
  const found = await withTable();
  const { file } = found.find(({ role }) => role === "deposits")!;
  return { input: found, ...(await changeOf(asset, file, options)) };
}

/** A table in a file of this machine, as an input of the asset. */
async function tableInput(asset: AssetFile, path: string): Promise<DigestedInput> {
  const bytes = await readFile(path);
  const file = { name: keptDeposits(asset), path, bytes: bytes.length };
  return { role: "deposits", file, sha256: sha256Hex(bytes), identity: await identify(path) };
}

/**
 * The inputs of an asset with the table that its active build goes by, if that has one.
 *
 * @param folder for a copy of the table
 * @throws {Failure} the store has lost it
 */
export async function withActiveDeposits(
  asset: AssetFile,
  input: readonly DigestedInput[],
  { store, active, folder }: Pick<FindOptions, "store" | "active" | "folder">,
): Promise<readonly DigestedInput[]> {
  if (!asset.detectsDeposits) return withDepositCohort(asset, input);
  const others = input.filter(({ role }) => role !== "deposits");
  if (!active?.table) return others;
  const path = join(folder, DEPOSIT_TABLE);
  if (!(await bring(store, asset, active, path))) {
    const key = depositsKey(asset.symbol, active.table.hash);
    throw new Failure(`${key} is missing in ${store.name} or damaged: run ${advisedBuild(asset.path, "--full")}.`);
  }
  return withDepositCohort(asset, [...others, await tableInput(asset, path)]);
}

/** What tells deposit addresses, and what arrives at them: neither prices nor own cohorts do. */
export const historyAndLabels = (input: readonly DigestedInput[]): DigestedInput[] =>
  input.filter(({ role }) => role !== "prices" && role !== "corrections" && isOfSeries(role));

async function isStored(store: ObjectStore, { symbol }: AssetFile, { sha256 }: DigestedInput): Promise<boolean> {
  const key = depositsKey(symbol, namePart(sha256));
  return (await store.list(key)).has(key);
}

/** Brings the table of the active build. @returns whether the store has it as it was */
async function bring(
  store: ObjectStore,
  { symbol }: AssetFile,
  active: PublishedDeposits | undefined,
  path: string,
): Promise<boolean> {
  if (!active?.table) return false;
  const object = await store.get(depositsKey(symbol, active.table.hash));
  if (!object || namePart(sha256Hex(object.bytes)) !== active.table.hash) return false;
  await writing(path, () => writeFile(path, object.bytes));
  return true;
}

/** How a table differs from that of the active build. That of a build which had none is empty; one that is lost tells nothing. */
async function changeOf(
  asset: AssetFile,
  file: InputFile,
  { store, active, folder }: FindOptions,
): Promise<Pick<DepositsInUse, "change">> {
  const now = await readDepositAddresses(file);
  if (!active?.table) return changed(now, new Uint8Array(0));
  const path = join(folder, "deposits-before.csv");
  if (!(await bring(store, asset, active, path))) return {};
  return changed(now, await readDepositAddresses({ name: file.name, path, bytes: active.table.size }));
}

/** @param now and @param before 20 bytes each, each once, ascending */
function changed(now: Uint8Array, before: Uint8Array): Pick<DepositsInUse, "change"> {
  const [a, b] = [viewOf(now), viewOf(before)];
  const [countNow, countBefore] = [now.length / ADDRESS_BYTES, before.length / ADDRESS_BYTES];
  let [i, j, both] = [0, 0, 0];
  while (i < countNow && j < countBefore) {
    const order = compareAddresses(a, i, b, j);
    if (order <= 0) i++;
    if (order >= 0) j++;
    if (order === 0) both++;
  }
  const [came, went] = [countNow - both, countBefore - both];
  return came + went > 0 ? { change: { addresses: countNow, came, went } } : {};
}

/**
 * Puts the table of a build where the asset keeps it, unless it is there.
 *
 * @param folder of the build
 * @throws {DiskFailure} it can't be written
 */
export async function keepDeposits(asset: AssetFile, folder: string): Promise<void> {
  const bytes = await readFile(join(folder, DEPOSIT_TABLE));
  const path = resolve(dirname(asset.path), keptDeposits(asset));
  const there = await readFile(path).catch(() => undefined);
  if (there?.equals(bytes)) return;
  await writing(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await replaceDurably(path, bytes);
  });
}
