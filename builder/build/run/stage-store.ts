/** The store of a build's tasks. */

import { openAsBlob } from "node:fs";
import type { Publication } from "../../published/publish/publication.ts";
import { readPublishedPoints } from "../checkpoint/previous.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import type { StageStore } from "../left/task.ts";

/** @param end ends the uploads of a task that is a process of its own */
export function stageStore(
  publication: Publication,
  { resume }: StagePlan,
  end: StageStore["end"] = async () => undefined,
): StageStore {
  return {
    published: (resolution, name, metrics) =>
      readPublishedPoints(publication.store, resume!, resolution, { name }, metrics),
    putSeries: (file) => publication.putSeries([file]),
    async putCheckpoint(path, end, digests) {
      const content = new Blob([await openAsBlob(path), ...(end as Uint8Array<ArrayBuffer>[])]);
      await publication.putCheckpoint(content, digests);
    },
    end,
  };
}
