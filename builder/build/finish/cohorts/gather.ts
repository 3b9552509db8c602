/**
 * Reads the transfers of own cohorts: of each list a run of its events for each share, as `map` leaves them of all
 * addresses. A share is read once for all lists.
 */

import { firstPriceTime, tallyDays } from "../../../engine/history.ts";
import type { OwnCohortList } from "../../../input/labels/own-cohorts.ts";
import { readShare } from "../../../input/transfers/read-share.ts";
import { pickHistory } from "../../../input/transfers/rows/events.ts";
import type { Reading } from "../../../input/transfers/shares/share.ts";
import { whileUnchanged } from "../../../input/while-unchanged.ts";
import { readingInput } from "../../../lib/failure.ts";
import type { StageFolder } from "../../folder/folder.ts";
import type { ListIndex } from "../../holders/list-index.ts";
import type { RunFacts } from "../../left/facts.ts";
import { readLabelsOf } from "../../left/label-file.ts";
import { NO_PARTITION, partitionsOf } from "../../left/partitions.ts";
import type { StagePlan } from "../../left/stage-plan.ts";
import { readDivision, writeSeeds } from "../../stages/divide.ts";
import { writeRun } from "../../stages/map.ts";

/** A list whose events are gathered: in a folder of its own, for partitions of its own. */
export interface GatheredList {
  list: OwnCohortList;
  folder: StageFolder;
  partitions: number;
  runs: RunFacts[];
}

/**
 * @param reading with the paths of sorted copies on this machine
 * @throws {InputFailure} as `readShare`
 */
export async function gatherRuns(
  { plan, folder }: { plan: StagePlan; folder: StageFolder },
  reading: Reading,
  index: ListIndex,
  lists: readonly GatheredList[],
): Promise<void> {
  const { asset, survey } = plan;
  for (const [share, { files }] of reading.shares.entries()) {
    const { history } = await readingInput(() =>
      whileUnchanged(
        files.map((file) => survey.history[file]!),
        () => readShare(asset, survey, reading, share, { list: index.table }),
      ),
    );
    const marks = index.marksOf(history.addresses);
    marks[0] = 0;
    const rowMarks = new Uint32Array(history.rows);
    for (let row = 0; row < history.rows; row++) rowMarks[row] = marks[history.from[row]!]! | marks[history.to[row]!]!;
    for (const [bit, { folder: own, partitions, runs }] of lists.entries()) {
      const events = pickHistory(history, rowsWith(rowMarks, 1 << bit));
      const days = tallyDays(events, firstPriceTime(survey.prices)).map((tally) => ({ ...tally, digest: "" }));
      const isListed = index.marksOf(events.addresses).map((mark) => mark & (1 << bit));
      const partitionOf = partitionsOf(events.addresses, partitions).map((partition, id) =>
        isListed[id] ? partition : NO_PARTITION,
      );
      const labels = await readLabelsOf(folder, events.addresses);
      const firstDay = days[0]?.rows ?? 0;
      await writeRun(own, share, { history: events, labels, partitionOf, partitions, firstDay });
      runs.push({ ...NO_SHARE_FACTS, days, words: events.valueWords });
    }
  }
}

/** What is known of a share, which nobody asks of the events of a list. */
const NO_SHARE_FACTS = { duplicates: 0, skippedAfterAsOf: 0, rowsByDay: {}, counts: {}, needsBlocks: false };

/** The rows with a mark. */
function rowsWith(rowMarks: Uint32Array, mark: number): Uint32Array {
  const rows = new Uint32Array(rowMarks.length);
  let count = 0;
  for (let row = 0; row < rowMarks.length; row++) if (rowMarks[row]! & mark) rows[count++] = row;
  return rows.subarray(0, count);
}

/** Divides the last build's checkpoint: each list gets the rows of its addresses. */
export async function gatherSeeds(
  { plan, folder }: { plan: StagePlan; folder: StageFolder },
  index: ListIndex,
  lists: readonly GatheredList[],
): Promise<void> {
  for (let division = 0; division < plan.tasks.divide; division++) {
    const { words, batches } = await readDivision(folder, division);
    const marks = batches.map(({ addresses }) => index.marksOf(addresses));
    for (const [bit, { folder: own, partitions }] of lists.entries()) {
      const partitionOf = batches.map(({ addresses }, batch) =>
        partitionsOf(addresses, partitions).map((partition, row) =>
          marks[batch]![row]! & (1 << bit) ? partition : NO_PARTITION,
        ),
      );
      await writeSeeds(own, division, { words, batches, partitionOf, partitions });
    }
  }
}
