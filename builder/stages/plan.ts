/** The plan of a build in stages: all that its tasks need to know, as a file. */

import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { Cause } from "../../data-schema/changes.ts";
import type { Manifest } from "../../data-schema/manifest.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { Failure } from "../failure.ts";
import type { Months, Provenance } from "../incremental/provenance.ts";
import type { AssetFile } from "../input/asset.ts";
import type { InputFile } from "../input/files.ts";
import { countLabels, type LabelColumns, type LabelCounts, type Labels } from "../input/labels.ts";
import type { Survey } from "../input/survey.ts";
import type { Reading } from "../input/transfers/share.ts";
import type { StageFolder } from "./folder.ts";
import { fromJson, toJson } from "./json.ts";
import { DICTIONARY } from "./layouts.ts";
import type { TaskStage } from "./names.ts";
import { TableEncoder, TableFile } from "./table.ts";

/** The build that another one goes on from. */
export interface Resume {
  manifest: Manifest;
  checkpoint: Checkpoint;
  provenance: Provenance;
  /** Tasks of `map` that divide the checkpoint, and 32-bit words of each of its balances. */
  divisions: number;
  words: number;
}

/** What a survey says of the labels; the labels themselves are a file beside the plan. */
interface PlannedLabels extends Pick<Labels, "notices"> {
  counts: LabelCounts;
  sha256: string;
}

export interface StagePlan {
  /** Of everything below. */
  id: string;
  engine: string;
  asset: AssetFile;
  survey: Omit<Survey, "labels"> & { labels: PlannedLabels };
  /** Its sorted copies are named in the folder, not by their paths. */
  reading: Reading;
  /** A power of two. */
  partitions: number;
  tasks: Record<TaskStage, number>;
  /** Tasks of `write` that make hours: the first of them. */
  hourTasks: number;
  /** The build that was active when this one was planned; absent if there was none. */
  active?: string;
  /** Absent in a full build. */
  resume?: Resume;
  /** Why it is a full build; empty if it resumes. */
  causes: readonly Cause[];
  /** The transfers of the last build before its checkpoint, by month: to say in which months a full build's differ. */
  last?: { time: number; months: Months };
  /** Whether `finish` verifies the build before it activates it. */
  verify: boolean;
  /** Whether objects that are there are read, and replaced if they are damaged. */
  repair: boolean;
}

/** Any file of a survey, without its path: each machine has its own. */
type Named<T> = T extends { file: infer F } ? Omit<T, "file"> & { file: Omit<F, "path"> } : never;

/** A plan as JSON. */
type Written = Omit<StagePlan, "asset" | "survey"> & {
  asset: Omit<AssetFile, "path">;
  survey: Omit<StagePlan["survey"], "files" | "history" | "prices"> & {
    files: Named<Survey["files"][number]>[];
    history: Named<Survey["history"][number]>[];
    prices: { timestamp: number[]; usd: number[] };
  };
};

export const PLAN = "plan.json";
const LABELS = "labels.parquet";

/** Writes a plan and the labels, and returns the plan with its id. */
export async function writePlan(
  folder: StageFolder,
  { survey, ...rest }: Omit<StagePlan, "id" | "engine" | "survey"> & { survey: Survey },
): Promise<StagePlan> {
  const { address, label, notices } = survey.labels;
  const encoder = new TableEncoder(DICTIONARY, folder.codec);
  await folder.write(LABELS, [...encoder.group(label.length, { address, label }), ...encoder.end()]);
  const sha256 = createHash("sha256").update(address).update(label).digest("hex");
  const labels = { notices, counts: countLabels(label), sha256 };
  const plan = { ...rest, engine: ENGINE_VERSION, survey: { ...survey, labels } };
  const { files, history, prices } = survey;
  const { path: _, ...asset } = plan.asset;
  const content = {
    ...plan,
    asset,
    survey: {
      ...plan.survey,
      files: files.map(named),
      history: history.map(named),
      prices: { timestamp: [...prices.timestamp], usd: [...prices.usd] },
    },
  };
  const id = createHash("sha256").update(toJson(content)).digest("hex").slice(0, 16);
  await folder.write(PLAN, [Buffer.from(toJson({ ...content, id } satisfies Written))]);
  return { ...plan, id };
}

/** The labels of a plan. @throws {Error} the file is missing or damaged */
export async function readLabels(folder: StageFolder): Promise<LabelColumns> {
  return (await TableFile.open(folder, LABELS, DICTIONARY)).group(0);
}

function named<T extends { file: InputFile }>({ file: { path: _, ...file }, ...rest }: T) {
  return { ...rest, file } as Named<T>;
}

/** A thread has many tasks of one plan, one after the other. */
let known: { name: string; text: string; plan: StagePlan } | undefined;

/** @throws {Failure} there is none, or it is of another version */
export async function readPlan(folder: StageFolder): Promise<StagePlan> {
  const text = await folder.readText(PLAN);
  if (text === undefined) {
    throw new Failure(`${folder.name} has no plan: run \`soprano stage plan\` first, with the same --work.`);
  }
  if (known?.name === folder.name && known.text === text) return known.plan;
  const { asset, survey, ...plan } = fromJson<Written>(text);
  if (plan.engine !== ENGINE_VERSION) {
    throw new Failure(`${folder.name} has the plan of another version of Soprano: run \`soprano stage plan\` again.`);
  }
  const { files, history, prices, ...rest } = survey;
  const inputs = dirname(folder.assetPath);
  const located = <T extends { file: Omit<InputFile, "path"> }>(found: T) => ({
    ...found,
    file: { ...found.file, path: resolve(inputs, found.file.name) },
  });
  const read: StagePlan = {
    ...plan,
    asset: { ...asset, path: folder.assetPath },
    survey: {
      ...rest,
      files: files.map(located),
      history: history.map(located),
      prices: { timestamp: Float64Array.from(prices.timestamp), usd: Float64Array.from(prices.usd) },
    },
  };
  known = { name: folder.name, text, plan: read };
  return read;
}
