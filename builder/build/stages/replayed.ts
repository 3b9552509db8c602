/** Events together with their standings, from the files of `map` and `replay`; and their flows. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { DEPOSIT_ADDRESS, UNLISTED } from "../../engine/classification.ts";
import { countBlocks, type DayBlocks, HourAndDayFlows, joinDays, type TimeRange } from "../../engine/flows.ts";
import { emptyStandings, type Prices, pricesAt, type ReplayedEvents } from "../../engine/history.ts";
import { RowGroupMemory } from "../../lib/fixed-width-table.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { FlowFacts, RunFacts } from "../left/facts.ts";
import { EVENT_LAYOUT, STANDINGS } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { readPartitions } from "../left/runs.ts";
import type { StageTask } from "../left/task.ts";
import { encodePoints } from "./run-points.ts";
import { writeTransfers } from "./transfers.ts";

/** Events of a run: those of its first day, those of the others, or both. */
interface RunPart {
  run: number;
  firstDay: boolean;
  others: boolean;
}

/**
 * The groups that `EVENT_LAYOUT` numbers: number 0 is the zero address, which has none; the mark of an unlisted address stays, and
 * that of a deposit address goes.
 */
export const GROUP_NUMBERS = Uint8Array.from({ length: 256 }, (_, number) => {
  const mark = number & UNLISTED;
  return mark | (Math.max(0, number - mark - 1) & ~DEPOSIT_ADDRESS);
});

/** Whether a run's first day began in the run before. */
function continues(runs: readonly RunFacts[], run: number): boolean {
  const before = runs.slice(0, run).findLast(({ days }) => days.length > 0);
  return before !== undefined && before.days.at(-1)!.day === runs[run]!.days[0]?.day;
}

/** The events of the days that begin in a run: days belong together, wherever runs are cut. */
function daysBeginningIn(runs: readonly RunFacts[], run: number): RunPart[] {
  const { days } = runs[run]!;
  const firstDay = days.length > 0 && !continues(runs, run);
  if (!firstDay && days.length < 2) return [];
  const parts = [{ run, firstDay, others: true }];
  const last = days.at(-1)!.day;
  for (let next = run + 1; next < runs.length; next++) {
    const { days } = runs[next]!;
    if (days.length === 0) continue;
    if (days[0]!.day !== last) break;
    parts.push({ run: next, firstDay: true, others: false });
    if (days.length > 1) break;
  }
  return parts;
}

/** The parts of runs with events in [from, to), Unix seconds: whole days. */
export function partsBetween(runs: readonly RunFacts[], from: number, to: number): RunPart[] {
  return runs.flatMap(({ days }, run): RunPart[] => {
    const isIn = ({ day }: { day: number }) => day + BUCKET_SECONDS.day > from && day < to;
    const firstDay = days.slice(0, 1).some(isIn);
    const others = days.slice(1).some(isIn);
    return firstDay || others ? [{ run, firstDay, others }] : [];
  });
}

/** Bytes of an event in memory. */
const EVENT_BYTES = 62;

/**
 * The events of some parts, in pieces of whole blocks, as often as they are asked for: read once if they fit the memory of a
 * task, because a day may have more events than do.
 *
 * @returns pieces; throws an error if a file is missing or damaged
 */
export function eventsOf(
  { plan, folder, runs }: Pick<StageTask, "plan" | "folder" | "runs">,
  parts: readonly RunPart[],
): () => AsyncIterable<ReplayedEvents> {
  const read = (parts: readonly RunPart[]) => readEvents(folder, runs, plan.partitions, parts, plan.survey.prices);
  if (parts.reduce((sum, part) => sum + rowsOf(runs, part), 0) * EVENT_BYTES <= plan.taskBytes / 4) {
    let whole: Promise<ReplayedEvents> | undefined;
    return async function* () {
      whole ??= read(parts);
      yield await whole;
    };
  }
  return async function* () {
    for (const part of parts) yield await read([part]);
  };
}

/** @throws {Error} a file is missing or damaged */
async function readEvents(
  folder: StageFolder,
  runs: readonly RunFacts[],
  partitions: number,
  parts: readonly RunPart[],
  prices: Prices,
): Promise<ReplayedEvents> {
  const sizes = parts.map((part) => rowsOf(runs, part));
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const history = {
    rows,
    block: new Float64Array(rows),
    timestamp: new Float64Array(rows),
    from: new Uint32Array(rows),
    to: new Uint32Array(rows),
  };
  const standings = emptyStandings(rows);
  const sides = new RowGroupMemory({ from: EVENT_LAYOUT.from, to: EVENT_LAYOUT.to });
  const room = new RowGroupMemory(STANDINGS);
  let at = 0;
  for (const [index, { run, firstDay, others }] of parts.entries()) {
    const first = firstDay ? 0 : runs[run]!.days[0]!.rows;
    const end = first + sizes[index]!;
    const events = await openLeftTable(folder, `events/${run}.parquet`, EVENT_LAYOUT);
    for (let group = 0, row = 0; row < end; group++) {
      const size = events.rowsOf(group);
      if (row >= first) {
        const begin = at + row - first;
        const [block, time] = [history.block.subarray(begin), history.timestamp.subarray(begin)];
        const { from, to } = events.group(group, { block, time, ...sides.of(size) });
        history.from.set(from, begin);
        history.to.set(to, begin);
      }
      row += size;
    }
    for (let partition = 0; partition < partitions; partition++) {
      const groups = [...(firstDay ? [2 * run] : []), ...(others ? [2 * run + 1] : [])];
      const file = await openLeftTable(folder, `standings/${partition}.parquet`, STANDINGS, () => groups);
      for (const group of groups) {
        const { count, row, tokens, basis, since, sender, receiver, firsts } = file.group(
          group,
          room.of(file.rowsOf(group)),
        );
        for (let i = 0; i < count; i++) {
          const to = at + row[i]! - first;
          // A partition has zeros where it does not know.
          if (tokens[i] !== 0) standings.tokens[to] = tokens[i]!;
          if (basis[i] !== 0) standings.basis[to] = basis[i]!;
          if (since[i] !== 0) standings.since[to] = since[i]!;
          standings.sender[to]! |= sender[i]!;
          standings.receiver[to]! |= receiver[i]!;
          standings.firsts[to]! |= firsts[i]!;
        }
      }
    }
    at += sizes[index]!;
  }
  return { history, groups: GROUP_NUMBERS, price: pricesAt(prices, history), ...standings };
}

function rowsOf(runs: readonly RunFacts[], { run, firstDay, others }: RunPart): number {
  const [first, ...rest] = runs[run]!.days;
  return (firstDay ? (first?.rows ?? 0) : 0) + (others ? rest.reduce((sum, { rows }) => sum + rows, 0) : 0);
}

/**
 * Stage `flows`: the flows of the days that begin in a run, by hour and by day, and how many rows their blocks would have.
 */
export async function sumFlows({ plan, folder, index, runs }: StageTask): Promise<FlowFacts> {
  await readPartitions(folder, plan);
  const outline = outlineOfRuns(plan, runs);
  const parts = daysBeginningIn(runs, index);
  const events = eventsOf({ plan, folder, runs }, parts);
  const flows = new HourAndDayFlows(outline, GROUP_NUMBERS, rangeOf(runs, parts));
  if (flows.needsCounts) for await (const piece of events()) flows.count(piece);
  const blocks: DayBlocks[] = [];
  for await (const piece of events()) {
    flows.add(piece);
    blocks.push(...countBlocks(piece, outline.whose));
  }
  if (outline.whose === "all") await writeTransfers(folder, index, events());
  const withHours = plan.asset.resolutions.includes("hour");
  await folder.write(`points/${index}.parquet`, encodePoints(flows.end(), withHours, folder.codec));
  return { blocks: joinDays(blocks) };
}

/** The days that begin in the first of the parts; the others complete the last of them. */
function rangeOf(runs: readonly RunFacts[], [part]: readonly RunPart[]): TimeRange {
  if (!part) return { from: 0, to: 0 };
  const { days } = runs[part.run]!;
  return { from: days[part.firstDay ? 0 : 1]!.day, to: days.at(-1)!.day + BUCKET_SECONDS.day };
}
