/** The plan of a build in stages: all that its tasks need to know, as a file. */

import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { LotMethod } from "../../../data-schema/registry.ts";
import type { Cause, Manifest } from "../../../data-schema/stored.ts";
import { ENGINE_VERSION } from "../../engine/formulas.ts";
import type { Checkpoint } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { InputFile } from "../../input/files/files.ts";
import { type AddressLabels, countLabels, type LabelCounts } from "../../input/labels/address-labels.ts";
import { countByExchange } from "../../input/labels/deposit-table.ts";
import type { Survey } from "../../input/survey.ts";
import type { Reading } from "../../input/transfers/shares/share.ts";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { type Layout, TableEncoder } from "../../lib/fixed-width-table.ts";
import type { LotState } from "../checkpoint/lot-state.ts";
import type { Months, Provenance } from "../checkpoint/provenance.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { PublishedClose } from "../guards/max-supply.ts";
import type { PublishedEnd } from "../guards/shorter.ts";
import { fromJson, toJson } from "./json.ts";
import { writeLabels } from "./label-file.ts";
import type { TaskCounts } from "./names.ts";
import { openLeftTable } from "./open-table.ts";

/** The build that another one goes on from. */
interface Resume {
  manifest: Manifest;
  checkpoint: Checkpoint;
  provenance: Provenance;
  /** Its own cohorts, as recorded: with their open weeks and months. */
  cohorts?: Manifest["cohorts"];
  /** 32-bit words of each balance of the checkpoint. */
  words: number;
  /** What its lots go on with, by method; absent without. */
  lots?: Partial<Record<LotMethod, LotState>>;
  /** The largest supply of its days; absent if it is neither too large nor too small. */
  mostSupply?: PublishedClose;
}

/** What a survey says of the labels; the labels themselves are a file beside the plan. */
interface PlannedLabels extends Pick<AddressLabels, "notices"> {
  counts: LabelCounts;
  sha256: string;
  /** Counts of deposit addresses by exchange; the addresses are a file. Absent where there is no list of them. */
  deposits?: { exchanges: Record<string, number> };
}

/** The table of deposit addresses that builds have detected, beside the plan: what `finish` puts into the store. */
export const DEPOSIT_TABLE = "deposits.csv";

/** What a build knows of that table. */
export interface DepositsInUse {
  /** What it was computed for, ISO 8601; absent if that is the build's own. */
  asOf?: string;
  /** How many addresses it has, and how many came and went since that of the active build; absent if none did. */
  change?: Omit<Extract<Cause, { kind: "deposits" }>, "kind">;
}

export interface StagePlan {
  /** The digest of everything else in the plan. */
  id: string;
  /** The version that made it. */
  engine: string;
  asset: AssetFile;
  survey: Omit<Survey, "labels"> & { labels: PlannedLabels };
  /** Its sorted copies are named in the folder, not by their paths. */
  reading: Reading;
  /** If the build is of the addresses of a list alone: the words that a balance may need. */
  list?: { balanceWords: number };
  /** A power of two. */
  partitions: number;
  /** Bytes that a task may use, about. */
  taskBytes: number;
  tasks: TaskCounts;
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
  /** Set if a supply far over `maxSupply` is no error. */
  allowSupply?: true;
  /** What the build may not fall short of; absent if it may, or there is nothing. */
  published?: PublishedEnd;
  /** The table of deposit addresses, which is a file beside the plan; absent where builds detect none. */
  deposits?: DepositsInUse;
}

/** The methods of which a build keeps lots; a list's keeps none. */
export const lotMethods = ({ asset, list }: Pick<StagePlan, "asset" | "list">): readonly LotMethod[] =>
  list ? [] : (asset.lots ?? []);

/** Any file of a survey, without its path: each machine has its own. */
type Named<T> = T extends { file: infer F } ? Omit<T, "file"> & { file: Omit<F, "path"> } : never;

/** A plan as JSON. */
type Written = Omit<StagePlan, "asset" | "survey"> & {
  asset: Omit<AssetFile, "path">;
  survey: Omit<StagePlan["survey"], "files" | "history" | "lists" | "prices"> & {
    files: Named<Survey["files"][number]>[];
    history: Named<Survey["history"][number]>[];
    lists: Named<Survey["lists"][number]>[];
    /** The prices themselves are a file beside the plan. */
    prices: { sha256: string };
  };
};

/** The version of the engine, and of the plan: 3 has lists, 5 deposit addresses, 6 corrected prices, 7 lots. */
const VERSION = `${ENGINE_VERSION}, plan 7`;

export const PLAN = "plan.json";
const PRICES = "prices.parquet";
const PRICE_ROWS = { timestamp: "f64", usd: "f64" } as const satisfies Layout;

/** Writes a plan and the labels, and returns the plan with its id. */
export async function writePlan(
  folder: StageFolder,
  { survey, ...rest }: Omit<StagePlan, "id" | "engine" | "survey"> & { survey: Survey },
): Promise<StagePlan> {
  const { address, label, hasDeposits, notices } = survey.labels;
  await writeLabels(folder, survey.labels);
  const labels: PlannedLabels = {
    notices,
    counts: countLabels(label),
    sha256: digestOf(address, label),
    ...(hasDeposits && { deposits: { exchanges: countByExchange(label) } }),
  };
  const { timestamp, usd } = survey.prices;
  const encoder = new TableEncoder(PRICE_ROWS, folder.codec);
  await folder.write(PRICES, [...encoder.group(timestamp.length, survey.prices), ...encoder.end()]);
  const plan = { ...rest, engine: VERSION, survey: { ...survey, labels } };
  const { files, history, lists } = survey;
  const { path: _, ...asset } = plan.asset;
  const content = {
    ...plan,
    asset,
    survey: {
      ...plan.survey,
      files: files.map(named),
      history: history.map(named),
      lists: lists.map(named),
      prices: { sha256: digestOf(timestamp, usd) },
    },
  };
  const id = createHash("sha256").update(toJson(content)).digest("hex").slice(0, 16);
  await folder.write(PLAN, [Buffer.from(toJson({ ...content, id } satisfies Written))]);
  return { ...plan, id };
}

function digestOf(...columns: readonly (Uint8Array | Float64Array)[]): string {
  const hash = createHash("sha256");
  for (const column of columns) hash.update(column);
  return hash.digest("hex");
}

function named<T extends { file: InputFile }>({ file: { path: _, ...file }, ...rest }: T) {
  return { ...rest, file } as Named<T>;
}

/** @throws {Failure} there is none, or it is of another version */
export async function readPlan(folder: StageFolder): Promise<StagePlan> {
  const text = await folder.readText(PLAN);
  if (text === undefined) {
    throw new Failure(`${folder.name} has no plan: run ${advised("stage", "plan", folder.assetPath)} first.`);
  }
  const { asset, survey, ...plan } = fromJson<Written>(text);
  if (plan.engine !== VERSION) {
    throw new Failure(
      `${folder.name} has the plan of another version of Soprano: run ${advised("stage", "plan", folder.assetPath)} again.`,
    );
  }
  const { files, history, lists, prices: _, ...rest } = survey;
  const inputs = dirname(folder.assetPath);
  const located = <T extends { file: Omit<InputFile, "path"> }>(found: T) => ({
    ...found,
    file: { ...found.file, path: resolve(inputs, found.file.name) },
  });
  return {
    ...plan,
    asset: { ...asset, path: folder.assetPath },
    survey: {
      ...rest,
      files: files.map(located),
      history: history.map(located),
      lists: lists.map(located),
      prices: (await openLeftTable(folder, PRICES, PRICE_ROWS)).group(0),
    },
  };
}
