/** The pieces of lots that partitions have left: of the events of a part of a run, stretch by stretch. */

import type { LotMethod } from "../../../data-schema/registry.ts";
import type { PieceColumns } from "../../engine/lots.ts";
import { lowerBound } from "../../lib/columns/lower-bound.ts";
import type { TableFile } from "../../lib/fixed-width-table.ts";
import type { StageFolder } from "../folder/folder.ts";
import { fromJson } from "../left/json.ts";
import { PIECES } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import { HOUR, PIECE_TABLE } from "./lot-files.ts";

/** The events of a part, by their numbers from 0. */
interface PartEvents {
  rows: number;
  block: Float64Array;
  /** What a number is less than that of the event in the run, or more if it is positive. */
  shift: number;
}

/** Whole blocks: the events [first, end), and their pieces, by the numbers of the events from `first` on. */
interface PieceStretch {
  first: number;
  end: number;
  pieces: PieceColumns[];
}

/**
 * A send may take any number of pieces, so a stretch is as long as the next row group of each partition reaches.
 *
 * @param halves of which parts of runs the events are: twice the number of a run, and one more for all but its first day
 * @throws {Error} a file is missing or damaged
 */
export async function* readPieces(
  folder: StageFolder,
  method: LotMethod,
  partitions: number,
  halves: readonly number[],
  { rows, block, shift }: PartEvents,
): AsyncGenerator<PieceStretch> {
  const cursors: PieceCursor[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const wanted = (file: PieceFile) => groupsOf(file, halves);
    const file = await openLeftTable(folder, PIECE_TABLE(method, partition), PIECES, wanted);
    cursors.push(new PieceCursor(file, wanted(file), shift));
  }
  for (let first = 0, end = 0; first < rows; first = end) {
    for (;;) {
      const least = cursors.reduce((one, other) => (other.known < one.known ? other : one));
      end = Math.min(rows, least.known);
      while (end > first && end < rows && block[end] === block[end - 1]) end--;
      if (end > first) break;
      least.readOn();
    }
    yield { first, end, pieces: cursors.flatMap((cursor) => cursor.take(first, end)) };
  }
}

type PieceFile = TableFile<typeof PIECES>;

/** The row groups of some halves. */
function groupsOf({ entry }: PieceFile, halves: readonly number[]): number[] {
  const counts = fromJson<number[]>(entry!);
  return halves.flatMap((half) => {
    const before = counts.slice(0, half).reduce((sum, count) => sum + count, 0);
    return Array.from({ length: counts[half]! }, (_, group) => before + group);
  });
}

/** The pieces of a partition. */
class PieceCursor {
  readonly #file: PieceFile;
  readonly #groups: number[];
  readonly #shift: number;
  /** What has been read, and not been taken. */
  #read: PieceColumns[] = [];
  /** All pieces of the events before this one have been read. */
  known = 0;

  constructor(file: PieceFile, groups: number[], shift: number) {
    this.#file = file;
    this.#groups = groups;
    this.#shift = shift;
    if (groups.length === 0) this.known = Number.POSITIVE_INFINITY;
  }

  readOn(): void {
    const { count, row, hour, ...others } = this.#file.group(this.#groups.shift()!);
    const time = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      time[i] = HOUR * hour[i]!;
      row[i]! += this.#shift;
    }
    this.#read.push({ ...others, count, row, time });
    this.known = this.#groups.length === 0 ? Number.POSITIVE_INFINITY : row[count - 1]!;
  }

  take(first: number, end: number): PieceColumns[] {
    const taken: PieceColumns[] = [];
    const rest: PieceColumns[] = [];
    for (const pieces of this.#read) {
      const { count, row } = pieces;
      const cut = lowerBound(row, count, end);
      if (cut > 0) {
        const part = sliceOf(pieces, 0, cut);
        taken.push({ ...part, row: part.row.map((event) => event - first) });
      }
      if (cut < count) rest.push(sliceOf(pieces, cut, count));
    }
    this.#read = rest;
    return taken;
  }
}

const sliceOf = ({ row, tokens, time, price, sender }: PieceColumns, from: number, to: number): PieceColumns => ({
  count: to - from,
  row: row.subarray(from, to),
  tokens: tokens.subarray(from, to),
  time: time.subarray(from, to),
  price: price.subarray(from, to),
  sender: sender.subarray(from, to),
});
