/** Stage `plan`: divides a build into tasks. */

import { basename } from "node:path";
import type { LotMethod } from "../../../data-schema/registry.ts";
import type { Cause } from "../../../data-schema/stored.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { Survey, SurveyedHistory } from "../../input/survey.ts";
import { planReading } from "../../input/transfers/plan-reading.ts";
import type { Reading } from "../../input/transfers/shares/share.ts";
import { whileUnchanged } from "../../input/while-unchanged.ts";
import { CheckpointFile } from "../checkpoint/checkpoint-file.ts";
import { CHECKPOINT_BEFORE, LOTS_BEFORE, type Previous, TRANSFERS_BEFORE } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { PublishedClose } from "../guards/max-supply.ts";
import type { PublishedEnd } from "../guards/shorter.ts";
import { DEPOSIT_TABLE, type DepositsInUse, type StagePlan, writePlan } from "../left/stage-plan.ts";
import { divisions } from "../stages/divide.ts";
import type { TaskSizes } from "./sizes.ts";

export interface Prepare {
  asset: AssetFile;
  survey: Survey;
  /** The id of the active build. */
  active: string | undefined;
  /** The last build, if there is one to resume from. */
  last: Previous | undefined;
  /** If the build resumes from it: the files with new rows. Else why it is a full one. */
  start: { files: readonly SurveyedHistory[]; mostSupply?: PublishedClose | undefined } | { causes: readonly Cause[] };
  sizes: TaskSizes;
  /** How many threads planning may use. */
  threads: number;
  verify: boolean;
  repair: boolean;
  /** Whether a supply far over `maxSupply` is no error. */
  allowSupply?: boolean | undefined;
  /** What the build may not fall short of. */
  published?: PublishedEnd | undefined;
  /** The table of deposit addresses, if there is one in the folder. */
  deposits?: DepositsInUse | undefined;
}

/** Addresses of a row: its sender and its receiver. */
const MOST_ADDRESSES = 2;

/**
 * Writes the plan of a build to the folder; its `scratch` has the last build's checkpoint already if the build resumes.
 *
 * @throws {Failure} as `planReading`
 */
export async function prepare(
  folder: StageFolder,
  { asset, survey, active, last, start, sizes, threads, verify, repair, allowSupply, published, deposits }: Prepare,
): Promise<StagePlan> {
  const resumed = "files" in start ? last : undefined;
  const file = resumed && new CheckpointFile(resumed.file.path);
  const held = file?.rowCount ?? 0;
  const heldLots = Math.max(0, ...Object.values(resumed?.lots ?? {}).map(({ rows }) => rows));
  // One method after the other; an event makes one lot at most.
  const lotsOf = (rows: number) => (asset.lots ? rows + heldLots : 0);
  const partitionsOf = (rows: number, addresses: number) =>
    sizes.partitions(rows + held, addresses + held, lotsOf(rows));
  const planned = await whileUnchanged(survey.history, () =>
    planReading(asset, survey, {
      ...(resumed &&
        "files" in start && { since: { lastBlock: resumed.checkpoint.lastEvent.block, files: start.files } }),
      rows: sizes.rows,
      countsAddresses: (rows) => partitionsOf(rows, MOST_ADDRESSES * rows) > partitionsOf(rows, 0),
      folder: folder.scratch,
      memory: sizes.bytes,
      threads,
    }),
  );
  const reading = await keepSorted(folder, planned);
  if (file) await folder.keep(CHECKPOINT_BEFORE);
  const lots = Object.entries(resumed?.lots ?? {}).map(([method, { state }]) => [method as LotMethod, state] as const);
  for (const [method] of lots) await folder.keep(LOTS_BEFORE(method));
  if (resumed?.manifest.checkpoint?.transfers) await folder.keep(TRANSFERS_BEFORE);
  if (deposits) await folder.keep(DEPOSIT_TABLE);
  const partitions = partitionsOf(reading.rows, reading.addresses ?? MOST_ADDRESSES * reading.rows);
  const shares = reading.shares.length;
  const makes = (resolution: "hour" | "block") => asset.resolutions.includes(resolution);
  const { digests: _, ...rest } = asset;
  return writePlan(folder, {
    asset: rest,
    survey,
    reading,
    partitions,
    taskBytes: sizes.bytes,
    verify,
    repair,
    ...(allowSupply && { allowSupply: true }),
    ...(published && { published }),
    ...(deposits && { deposits }),
    tasks: {
      map: shares,
      divide: file ? divisions(file) : 0,
      replay: partitions,
      flows: shares,
      holders: 1,
      periods: 1,
      hours: makes("hour") ? sizes.hours(reading.rows, held) : 0,
      // Without blocks there is the checkpoint.
      blocks: makes("block") ? sizes.writes(reading.rows, held) : 1,
    },
    ...(active !== undefined && { active }),
    ...(file && {
      resume: {
        manifest: resumed.manifest,
        checkpoint: resumed.checkpoint,
        provenance: resumed.provenance,
        words: file.words,
        ...("files" in start && start.mostSupply && { mostSupply: start.mostSupply }),
        ...(resumed.recorded?.cohorts && { cohorts: resumed.recorded.cohorts }),
        ...(lots.length > 0 && { lots: Object.fromEntries(lots) }),
      },
    }),
    causes: "causes" in start ? start.causes : [],
    ...(last && { last: { time: last.checkpoint.time, months: last.provenance.months } }),
  });
}

/** Puts the sorted copies that DuckDB has written into the folder, and names them there. */
async function keepSorted(folder: StageFolder, reading: Reading): Promise<Reading> {
  const sorted: Reading["sorted"] = {};
  for (const [index, path] of Object.entries(reading.sorted)) {
    sorted[Number(index)] = basename(path);
    await folder.keep(basename(path));
  }
  return { ...reading, sorted };
}
