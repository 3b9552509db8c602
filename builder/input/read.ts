/** Reads the input of a build: an asset's transfers, checked and in the columns that the engine replays. */

import type { Checkpoint } from "../engine/checkpoint.ts";
import type { Groups, History, Prices } from "../engine/history.ts";
import { type CannotResume, Failure } from "../failure.ts";
import { ADDRESS_BYTES } from "./addresses.ts";
import type { AssetFile } from "./asset.ts";
import type { InputFile } from "./files.ts";
import { groupsFrom, type Labels } from "./labels.ts";
import { ReadProgress } from "./progress.ts";
import { cannotResume, type JoinedInput, joinShares, NEW_ROWS_UNREADABLE } from "./report.ts";
import type { HistoryFile, Survey } from "./survey.ts";
import { wholeReading } from "./transfers/plan-reading.ts";
import { readShare } from "./transfers/read-share.ts";
import { resumeHistory } from "./transfers/resume.ts";
import type { ReadShare } from "./transfers/share.ts";

export interface Input extends Pick<JoinedInput, "build" | "asOf" | "report" | "knownFiles"> {
  /** When a build resumes: the events after the checkpoint, with its holders as the first addresses. */
  history: History;
  /** Empty without price files, which makes every price 0. */
  prices: Prices;
  labels: Labels;
  /** The label of each address of the history. */
  groups: Groups;
}

/** What an incremental build reads: the rows of `files` after the checkpoint. */
export interface Since {
  checkpoint: Checkpoint;
  files: readonly HistoryFile[];
}

export interface ReadOptions {
  /** DuckDB's threads. */
  threads?: number;
  progress?: ReadProgress;
}

/**
 * Reads all transfers of a surveyed asset.
 *
 * @throws {Failure} names the file, row and column, or the key of ASSET.json, of the first error
 */
export async function readInput(
  asset: AssetFile,
  survey: Survey,
  { threads = 1, progress = new ReadProgress() }: ReadOptions = {},
): Promise<Input> {
  const reading = wholeReading(survey);
  const read = await readShare(asset, survey, reading, 0, { threads, onFile: reporter(progress) });
  return inputOf(survey, read, joinShares(asset, survey, reading, [read], { addresses: addressesOf(read) }));
}

/**
 * Reads the transfers after a checkpoint.
 *
 * @returns `CannotResume` if the rows can't be read, or don't come after the checkpoint
 */
export async function readInputSince(
  asset: AssetFile,
  survey: Survey,
  since: Since,
  { threads = 1, progress = new ReadProgress() }: ReadOptions = {},
): Promise<Input | CannotResume> {
  const { time, lastEvent, holders } = since.checkpoint;
  const reading = wholeReading(survey, { lastBlock: lastEvent.block, files: since.files });
  try {
    const read = await readShare(asset, survey, reading, 0, { threads, onFile: reporter(progress) });
    const options = { addresses: addressesOf(read), lastBefore: lastEvent.t };
    const joined = joinShares(asset, survey, reading, [read], options);
    const why = cannotResume(joined, time);
    return why ?? inputOf(survey, { ...read, history: resumeHistory(read.history, holders) }, joined);
  } catch (error) {
    // A full build reads each file from its start, so its message has the right row number.
    if (error instanceof Failure) return { cannotResume: NEW_ROWS_UNREADABLE };
    throw error;
  }
}

const reporter = (progress: ReadProgress) => (file: InputFile) => progress.advance(file.bytes);

const addressesOf = ({ history }: ReadShare) => history.addresses.length / ADDRESS_BYTES - 1;

function inputOf({ prices, labels }: Survey, { history }: ReadShare, joined: JoinedInput): Input {
  const { build, asOf, report, knownFiles } = joined;
  const groups = groupsFrom(labels.groups)(history.addresses);
  return { build, asOf, report, knownFiles, history, prices, labels, groups };
}
