/** The store of a build's tasks. */

import { openAsBlob } from "node:fs";
import { rm } from "node:fs/promises";
import { seriesKey } from "../../../data-schema/stored.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { copyPublished, readPublishedPoints } from "../checkpoint/previous.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import type { StageStore } from "../left/task.ts";

/** @param isAlone whether the task is a process of its own, whose uploads end with it */
export function stageStore(publication: Publication, { asset, resume }: StagePlan, isAlone: boolean): StageStore {
  /** Files that are being uploaded. */
  const files: string[] = [];
  return {
    published: (resolution, name, metrics) =>
      readPublishedPoints(publication.store, resume!, resolution, { name }, metrics),
    putSeries: (file) => publication.putSeries([file]),
    copyLots: (resolution, period, method, path) =>
      copyPublished(publication.store, resume!, resolution, { name: period }, method, path),
    async putLots(path, { resolution, metric, period, md5, entry: { hash: sha256, size } }) {
      files.push(path);
      const key = seriesKey(asset.symbol, resolution, metric, period, sha256);
      await publication.putNamed(key, await openAsBlob(path), { sha256, md5, size });
    },
    async putCheckpoint(path, end, digests) {
      const content = new Blob([await openAsBlob(path), ...(end as Uint8Array<ArrayBuffer>[])]);
      await publication.putCheckpoint(content, digests);
    },
    async end() {
      const done = files.splice(0);
      if (!isAlone && done.length === 0) return undefined;
      await publication.flush();
      await Promise.all(done.map((path) => rm(path, { force: true })));
      return isAlone ? publication.totals : undefined;
    },
  };
}
