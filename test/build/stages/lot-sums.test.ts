/** Block series of lots whose sums lie in a file, and those of the same pieces whose sums are all in memory. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { SumsFile } from "../../../builder/build/stages/write/sums-file.ts";
import { BlockFlows, countBlocks, LotBlockFlows } from "../../../builder/engine/flows.ts";
import type { FlowMetricName } from "../../../builder/engine/formulas.ts";
import { emptyStandings, type ReplayedEvents } from "../../../builder/engine/history.ts";
import { scratchFolder } from "../../folders.ts";

const DAY = 86_400;
const METRICS: FlowMetricName[] = ["sopr", "realised_loss", "volume", "moved_coins_cost_basis", "dormancy"];

/** Three pieces a block, bought by several users at various times and prices; the third has no tokens, so it counts nowhere. */
function piecesOf(firstBlock: number, blocks: number): ReplayedEvents {
  const rows = 3 * blocks;
  const events = {
    history: {
      rows,
      block: Float64Array.from({ length: rows }, (_, row) => firstBlock + Math.floor(row / 3)),
      timestamp: Float64Array.from({ length: rows }, (_, row) => 12 * (firstBlock + Math.floor(row / 3))),
      from: new Uint32Array(rows).fill(1),
      to: new Uint32Array(rows).fill(1),
    },
    groups: Uint8Array.of(0, 0),
    price: Float64Array.from({ length: rows }, (_, row) => 1 + (row % 7)),
    ...emptyStandings(rows),
  };
  for (let row = 0; row < rows; row++) {
    const mixed = Math.imul(firstBlock + row, 2_654_435_761) >>> 0;
    events.tokens[row] = row % 3 === 2 ? 0 : 1 + (mixed % 1_000) / 7;
    events.basis[row] = 1 + (mixed % 11) / 3;
    events.since[row] = events.history.timestamp[row]! - (mixed % 5_000);
    events.sender[row] = mixed >>> 20;
  }
  return events;
}

test.for([0, 100_000, Number.POSITIVE_INFINITY])("are the same, with %s bytes for what metrics share", async (room) => {
  const pieces = [piecesOf(0, 9_000), piecesOf(9_000, 5), piecesOf(9_005, 100)];
  const range = { from: 0, to: 4 * DAY };
  const used = pieces
    .flatMap((piece) => countBlocks(piece, "lots"))
    .map(({ rows }) => rows)
    .reduce((sums, rows) => sums.map((sum, row) => sum + rows[row]!));
  const few = new LotBlockFlows(pieces[0]!.groups, range, METRICS);
  const sums = new SumsFile(join(scratchFolder(), "sums"));
  for (const piece of pieces) for (const rows of few.add(piece)) await sums.add(rows);
  const found = [...few.end((row) => sums.row(row), room)];
  const whole = new BlockFlows(pieces[0]!.groups, range, used, METRICS, "lots");
  for (const piece of pieces) whole.add(piece);
  const expected = [...whole.end()];
  expect(expected.flatMap(([, runs]) => runs).length).toBeGreaterThan(30);
  expect(found).toEqual(expected);
});
