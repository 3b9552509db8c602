/** The pieces of lots that partitions have left. */

import type { LotMethod } from "../../../data-schema/registry.ts";
import type { PieceColumns } from "../../engine/lots.ts";
import type { StageFolder } from "../folder/folder.ts";
import { PIECES } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import { HOUR, PIECE_TABLE } from "./lot-files.ts";

/**
 * Pieces of some row groups of all partitions.
 *
 * @param groups each with the number that the first of its events has among others, less the number in its run
 * @throws {Error} a file is missing or damaged
 */
export async function readPieces(
  folder: StageFolder,
  method: LotMethod,
  partitions: number,
  groups: readonly { group: number; shift: number }[],
): Promise<PieceColumns[]> {
  const pieces: PieceColumns[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const wanted = () => groups.map(({ group }) => group);
    const file = await openLeftTable(folder, PIECE_TABLE(method, partition), PIECES, wanted);
    for (const { group, shift } of groups) {
      const { count, row, hour, ...others } = file.group(group);
      const time = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        time[i] = HOUR * hour[i]!;
        row[i]! += shift;
      }
      pieces.push({ ...others, count, row, time });
    }
  }
  return pieces;
}
