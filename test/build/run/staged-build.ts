/** A build in stages, whose tasks share a work folder and the store as processes of their own do. */

import { expect } from "vitest";
import type { StageFolder } from "../../../builder/build/folder/folder.ts";
import { TASK_STAGES, type TaskStage, tasksOfStage } from "../../../builder/build/left/names.ts";
import { prepare } from "../../../builder/build/plan/prepare.ts";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { finishAlone, runAlone } from "../../../builder/build/run/alone.ts";
import { planFor } from "../../../builder/build/run/decide.ts";
import { readAssetToBuild } from "../../../builder/input/fetched/fetched-asset.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpacked } from "../../store/unpacked.ts";
import { activeManifest } from "../checkpoint/nights.ts";

const SIZES: TaskSizes = {
  bytes: 2 ** 28,
  writesAtOnce: () => 1,
  rows: () => 2,
  partitions: () => 2,
  writes: () => 2,
  hours: () => 2,
};

/** Opens the work folder as a process of its own would, and closes it. */
export type WithFolder = <T>(assetPath: string, use: (folder: StageFolder) => Promise<T>) => Promise<T>;

export class StagedBuild {
  store = new MemoryStore();
  /** Tasks of the last plan that `runTasks` has not run. */
  readonly tasks: [TaskStage, number][] = [];
  readonly #withFolder: WithFolder;

  constructor(withFolder: WithFolder) {
    this.#withFolder = withFolder;
  }

  /** @param options `allowSupply`: as in `nights.ts`, since the supplies of random tokens are of any size */
  async plan(path: string, { full = false, allowSupply = true } = {}): Promise<void> {
    const tasks = await this.#withFolder(path, async (folder) => {
      await folder.make();
      const asset = await readAssetToBuild(path);
      const planned = await planFor(asset, this.store, folder.scratch, { threads: 1, full });
      if ("unchanged" in planned) throw new Error("there is something to build");
      const { publication, plan, previous, survey, deposits } = planned;
      const last = { active: publication.previous?.build, last: previous };
      const rest = { sizes: SIZES, threads: 1, verify: true, repair: full, allowSupply, deposits };
      return (await prepare(folder, { asset, survey, ...last, start: plan, ...rest })).tasks;
    });
    this.tasks.length = 0;
    for (const stage of TASK_STAGES) {
      for (let index = 0; index < tasksOfStage(stage, tasks); index++) this.tasks.push([stage, index]);
    }
  }

  run(path: string, stage: TaskStage, index: number): Promise<void> {
    return this.#withFolder(path, (folder) => runAlone(folder, this.store, stage, index, 1));
  }

  async runTasks(path: string): Promise<void> {
    for (const [stage, index] of this.tasks.splice(0)) await this.run(path, stage, index);
  }

  finish(path: string) {
    return this.#withFolder(path, (folder) => finishAlone(folder, this.store, 1));
  }

  async all(path: string, options = {}): Promise<void> {
    await this.plan(path, options);
    await this.runTasks(path);
    await this.finish(path);
  }

  async expectSame(store: MemoryStore): Promise<void> {
    expect(await activeManifest(this.store, "TOK")).toEqual(await activeManifest(store, "TOK"));
    const [own, other] = await Promise.all([unpacked(this.store), unpacked(store)]);
    for (const [key, { bytes }] of other.objects) {
      if (/^(series|checkpoints)\//.test(key)) expect(own.objects.get(key)?.bytes, key).toEqual(bytes);
    }
  }
}
