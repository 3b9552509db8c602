/** What a task gets. */

import type { LotMethod, MetricName, Resolution } from "../../../data-schema/registry.ts";
import type { SeriesFile } from "../../published/objects/encode-series.ts";
import type { PublishedPoints } from "../../published/objects/period-files.ts";
import type { FileOnDisk } from "../../published/objects/series-on-disk.ts";
import type { PutElsewhere } from "../../published/publish/publication.ts";
import type { Digests } from "../../store/pieces.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { RunFacts } from "./facts.ts";
import type { StagePlan } from "./stage-plan.ts";

/** The store, as a task needs it. */
export interface StageStore {
  /**
   * The points of the last build to which new ones are appended.
   *
   * @throws {CannotResume} an object is missing or damaged
   */
  published(resolution: Resolution, period: string, metrics: readonly MetricName[]): Promise<PublishedPoints>;
  /** Publishes an object of a series, and returns when there is room for more. */
  putSeries(file: SeriesFile): Promise<void>;
  /**
   * Copies the object of the last build that has the points of lots before the new ones.
   *
   * @param path where to
   * @returns whether there is one
   * @throws {CannotResume} it is missing or damaged
   */
  copyLots(resolution: Resolution, period: string, method: LotMethod, path: string): Promise<boolean>;
  /** Publishes an object of lots, and returns when there is room for more. @param path of a file that is removed when the task has ended */
  putLots(path: string, file: FileOnDisk<LotMethod>): Promise<void>;
  /**
   * Publishes a checkpoint.
   *
   * @param path of its beginning, a file on this machine
   * @param end what follows
   * @param digests of both
   */
  putCheckpoint(path: string, end: readonly Uint8Array[], digests: Digests): Promise<void>;
  /** Ends a task. If the task is a process of its own, waits for its uploads and says what it has put. */
  end(): Promise<PutElsewhere | undefined>;
}

const none = () => Promise.reject(new Error("this task has no use for the store"));

/** For a task that has no use for it. */
export const NO_STORE: StageStore = {
  published: none,
  putSeries: none,
  copyLots: none,
  putLots: none,
  putCheckpoint: none,
  end: none,
};

export interface StageTask {
  plan: StagePlan;
  folder: StageFolder;
  /** The number of the task among those of its kind, from 0. */
  index: number;
  /** What `map` found; empty in that stage itself. */
  runs: readonly RunFacts[];
  /** How many threads the task may use. */
  threads: number;
  store: StageStore;
}
