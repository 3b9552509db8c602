/**
 * The transfers of each day, as tables that medians are computed from: those of the days that begin in a run, and those that
 * the last build has kept of the week and the month that it left open.
 */

import * as v from "valibot";
import type { Codec } from "../../../data-schema/parquet.ts";
import { type DayTransfers, type TransferDay, transfersByDay } from "../../engine/calendar.ts";
import type { ReplayedEvents } from "../../engine/history.ts";
import { concat } from "../../lib/columns/concat.ts";
import { TableEncoder, type TableFile } from "../../lib/fixed-width-table.ts";
import { TRANSFERS_BEFORE } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import { TRANSFERS } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import type { StagePlan } from "../left/stage-plan.ts";

/** Rows of a row group: 2 MB. */
const GROUP_ROWS = 131_072;

/** Days of a month, and of the week that it begins in. */
const OPEN_DAYS = 37;

/** How many transfers of a bucket are in memory at once: with what is computed of them, in a quarter of a task's. */
export const transfersInMemory = ({ taskBytes }: Pick<StagePlan, "taskBytes">): number =>
  Math.floor(taskBytes / 4 / 32);

/** Leaves the transfers of a run. @param pieces of the events of the days that begin in it */
export async function writeTransfers(
  folder: StageFolder,
  run: number,
  pieces: AsyncIterable<ReplayedEvents>,
): Promise<void> {
  const days = async function* () {
    for await (const piece of pieces) yield* transfersByDay(piece);
  };
  await folder.write(nameOf(run), encodeTransfers(days(), folder.codec));
}

const nameOf = (run: number) => `transfers/${run}.parquet`;

/** The day of each row group, Unix seconds: the entry of a table. */
const groupDays = v.pipe(v.string(), v.parseJson(), v.array(v.number()));

/**
 * A table of transfers; the same ones always give the same row groups.
 *
 * @param days ascending, each in any number of pieces
 */
export async function* encodeTransfers(
  days: Iterable<DayTransfers> | AsyncIterable<DayTransfers>,
  codec: Codec,
): AsyncGenerator<Uint8Array> {
  const encoder = new TableEncoder(TRANSFERS, codec);
  const starts: number[] = [];
  for await (const { day, ...columns } of inGroups(days)) {
    starts.push(day);
    yield* encoder.group(columns.tokens.length, columns);
  }
  yield* encoder.end(JSON.stringify(starts));
}

async function* inGroups(pieces: Iterable<DayTransfers> | AsyncIterable<DayTransfers>): AsyncGenerator<DayTransfers> {
  let [parts, room]: [DayTransfers[], number] = [[], GROUP_ROWS];
  function* flush() {
    const [first] = parts;
    if (first)
      yield {
        day: first.day,
        tokens: concat(parts.map((part) => part.tokens)),
        price: concat(parts.map((part) => part.price)),
      };
    [parts, room] = [[], GROUP_ROWS];
  }
  for await (const { day, tokens, price } of pieces) {
    if (parts[0]?.day !== day) yield* flush();
    for (let begin = 0, end: number; begin < tokens.length; begin = end) {
      end = Math.min(begin + room, tokens.length);
      parts.push({ day, tokens: tokens.subarray(begin, end), price: price.subarray(begin, end) });
      room -= end - begin;
      if (room === 0) yield* flush();
    }
  }
  yield* flush();
}

/**
 * All days with transfers that a build has, ascending: from the week or the month that is open at its checkpoint on.
 *
 * @throws {Error} a table is missing or damaged
 */
export async function readTransferDays(
  folder: StageFolder,
  plan: Pick<StagePlan, "reading" | "resume" | "taskBytes">,
): Promise<Iterable<TransferDay>> {
  const before = plan.resume?.manifest.checkpoint?.transfers ? [TRANSFERS_BEFORE] : [];
  const names = [...before, ...Array.from(plan.reading.shares.keys(), nameOf)];
  const files = await Promise.all(names.map((name) => openLeftTable(folder, name, TRANSFERS)));
  const most = transfersInMemory(plan) / OPEN_DAYS;
  return {
    *[Symbol.iterator]() {
      for (const file of files) yield* daysIn(file, most);
    },
  };
}

/** @param most transfers of a day that is kept in memory, for the other buckets that it is of */
function* daysIn(file: TableFile<typeof TRANSFERS>, most: number): Generator<TransferDay> {
  const groups = Map.groupBy(v.parse(groupDays, file.entry).entries(), ([, day]) => day);
  for (const [day, entries] of groups) {
    const count = entries.reduce((sum, [group]) => sum + file.rowsOf(group), 0);
    const read = function* () {
      for (const [group] of entries) yield file.group(group);
    };
    let kept: ReturnType<typeof file.group>[] | undefined;
    const keep = () => {
      kept ??= [...read()];
      return kept;
    };
    yield { day, count, pieces: count > most ? read : keep };
  }
}
