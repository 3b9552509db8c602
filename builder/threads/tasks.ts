/** The steps of a build that run on worker threads: pure functions of the timeline and an input. */

import { move, transferableSymbol, valueSymbol } from "piscina";
import { type MetricName, metricByName } from "../../data-schema/metrics.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import { blockFlows, type DayFlows, hourAndDayFlows, type MetricRuns } from "../engine/flows.ts";
import type { Period } from "../engine/periods.ts";
import { replayPartition } from "../engine/replay.ts";
import type { SeriesRun } from "../engine/series.ts";
import type { Timeline } from "../engine/timeline.ts";
import { CheckpointFile, encodeCheckpoint } from "../incremental/checkpoint-file.ts";
import { type LabelledAddresses, withHoldings } from "../incremental/checkpoint-rows.ts";
import { digestMonths, type Provenance } from "../incremental/provenance.ts";
import { seenAddresses } from "../incremental/seen-addresses.ts";
import { countLabels, type LabelCounts } from "../input/labels.ts";
import { append, type PublishedPoints } from "../output/append.ts";
import { type SeriesFile, seriesFile } from "../output/object.ts";
import { writePieces } from "../store/pieces.ts";

interface FlowInput {
  symbol: string;
  period: Period;
  /** All, if left out. */
  metrics?: readonly MetricName[] | undefined;
  published?: PublishedPoints | undefined;
}

interface CheckpointInput {
  checkpoint: Checkpoint;
  provenance: Omit<Provenance, "months">;
  /** What the previous checkpoint has of them. */
  months: Provenance["months"] | undefined;
  /** The file of the previous checkpoint. */
  before: string | undefined;
  /** Of the file to write. */
  path: string;
}

const TASKS = {
  replay: (timeline: Timeline, { index, count }: { index: number; count: number }) =>
    replayPartition(timeline, index, count),

  checkpoint(timeline: Timeline, { checkpoint: { holders, ...checkpoint }, path, ...input }: CheckpointInput) {
    const { time } = checkpoint;
    const provenance = { ...input.provenance, months: digestMonths(timeline.history, time, input.months) };
    const before = input.before === undefined ? [] : new CheckpointFile(input.before).labels();
    const held = countLabels([]);
    const rows = withHoldings(holders, counting(seenAddresses(timeline, time, before), held));
    const written = writePieces(path, encodeCheckpoint({ checkpoint, provenance }, holders.words, rows));
    return written.then((file) => ({ ...file, held }));
  },

  /** The days of a year, and its hour objects if `publish`. */
  hours(timeline: Timeline, { symbol, period, publish, metrics, published }: FlowInput & { publish: boolean }) {
    const { hour, day, ratios } = hourAndDayFlows(timeline, period);
    const files = publish ? encodeAll(symbol, "hour", period.name, only(metrics, hour), published) : [];
    return { files, days: { day: [...only(metrics, day)], ratios: [...only(metrics, ratios)] } satisfies DayFlows };
  },

  blocks: (timeline: Timeline, { symbol, period, metrics, published }: FlowInput) => ({
    files: encodeAll(symbol, "block", period.name, only(metrics, blockFlows(timeline, period)), published),
  }),

  encode: (
    _: Timeline,
    input: {
      symbol: string;
      resolution: Resolution;
      period: string;
      metrics: [MetricName, SeriesRun[]][];
      published?: PublishedPoints | undefined;
    },
  ) => ({
    files: encodeAll(input.symbol, input.resolution, input.period, input.metrics, input.published),
  }),
} as const;

export type TaskName = keyof typeof TASKS;
export type TaskInput<Name extends TaskName> = Parameters<(typeof TASKS)[Name]>[1];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof TASKS)[Name]>>;

function* only<Name extends MetricName, Runs>(
  names: readonly MetricName[] | undefined,
  metrics: Iterable<[Name, Runs]>,
): Generator<[Name, Runs]> {
  for (const [name, runs] of metrics) if (names?.includes(name) ?? true) yield [name, runs];
}

function encodeAll(
  symbol: string,
  resolution: Resolution,
  period: string,
  metrics: MetricRuns,
  published?: PublishedPoints,
): SeriesFile[] {
  const files: SeriesFile[] = [];
  for (const [name, runs] of published ? append(published, metrics) : metrics) {
    const file = seriesFile(symbol, metricByName(name), resolution, period, runs);
    if (file) files.push(file);
  }
  return files;
}

/** Passes addresses on, and counts those that are labelled. */
function* counting(batches: Iterable<LabelledAddresses>, counts: LabelCounts): Generator<LabelledAddresses> {
  for (const batch of batches) {
    countLabels(batch.labels.subarray(0, batch.rows), counts);
    yield batch;
  }
}

/** What a worker thread does with a task. */
export default async function run({
  timeline,
  name,
  input,
}: {
  timeline: Timeline;
  name: TaskName;
  input: unknown;
}): Promise<unknown> {
  const task = TASKS[name] as (timeline: Timeline, input: unknown) => unknown;
  const value = await task(timeline, input);
  const files = (value as { files?: { bytes: Uint8Array }[] }).files;
  if (!files?.length) return value;
  // Moves the bytes to the main thread without a copy.
  return move({ [transferableSymbol]: files.map(({ bytes }) => bytes.buffer), [valueSymbol]: value as object });
}
