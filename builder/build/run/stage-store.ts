/** The store of a build's tasks. */

import { openAsBlob } from "node:fs";
import { rm } from "node:fs/promises";
import { seriesKey } from "../../../data-schema/stored.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { copyPublished, readPublishedPoints } from "../checkpoint/previous.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import type { StageStore } from "../left/task.ts";

/** @param putAll ends the uploads of a task that is a process of its own */
export function stageStore(
  publication: Publication,
  { asset, resume }: StagePlan,
  putAll: StageStore["end"] = async () => undefined,
): StageStore {
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
      const put = await putAll();
      const done = files.splice(0);
      if (done.length > 0) await publication.flush();
      await Promise.all(done.map((path) => rm(path, { force: true })));
      return put;
    },
  };
}
