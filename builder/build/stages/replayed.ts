/** Events together with their standings, from the files of `map` and `replay`; and their flows. */

import { BUCKET_SECONDS, type LotMethod } from "../../../data-schema/registry.ts";
import { DEPOSIT_ADDRESS, UNLISTED } from "../../engine/classification.ts";
import { countBlocks, type DayBlocks, HourAndDayFlows, joinDays, type TimeRange } from "../../engine/flows.ts";
import { emptyStandings, type Outline, pricesAt, type ReplayedEvents } from "../../engine/history.ts";
import { pieceEvents } from "../../engine/lots.ts";
import { RowGroupMemory } from "../../lib/fixed-width-table.ts";
import type { FlowFacts, RunFacts } from "../left/facts.ts";
import { EVENT_LAYOUT, STANDINGS } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { readPartitions } from "../left/runs.ts";
import { lotMethods } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { readPieces } from "../lots/pieces.ts";
import { encodePoints, pointsFile } from "./run-points.ts";
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

type Replayed = Pick<StageTask, "plan" | "folder" | "runs">;

/**
 * The events of some parts, in pieces of whole blocks, as often as they are asked for: read once if they fit the memory of a
 * task, because a day may have more events than do.
 *
 * @param method gives the pieces of its lots in place of the events
 * @returns pieces; throws an error if a file is missing or damaged
 */
export function eventsOf(
  task: Replayed,
  parts: readonly RunPart[],
  method?: LotMethod,
): () => AsyncIterable<ReplayedEvents> {
  const fits = (rows: number) => rows * EVENT_BYTES <= task.plan.taskBytes / 4;
  if (method !== undefined) return lotEventsOf(task, parts, method, fits);
  if (fits(parts.reduce((sum, part) => sum + rowsOf(task.runs, part), 0))) {
    let whole: Promise<ReplayedEvents> | undefined;
    return async function* () {
      whole ??= readEvents(task, parts);
      yield await whole;
    };
  }
  return async function* () {
    for (const part of parts) yield await readEvents(task, [part]);
  };
}

/** The same of lots: how many pieces there are shows when they have been read. */
function lotEventsOf(
  task: Replayed,
  parts: readonly RunPart[],
  method: LotMethod,
  fits: (rows: number) => boolean,
): () => AsyncIterable<ReplayedEvents> {
  let whole: ReplayedEvents[] | undefined;
  return async function* () {
    if (whole) return yield* whole;
    let kept: ReplayedEvents[] | undefined = [];
    let rows = 0;
    for (const part of parts) {
      for await (const events of readLotEvents(task, method, part)) {
        rows += events.history.rows;
        if (fits(rows)) kept?.push(events);
        else kept = undefined;
        yield events;
      }
    }
    whole = kept;
  };
}

type EventRows = Pick<ReplayedEvents, "history" | "groups" | "price">;

/** Events of some parts, without standings, and where those of each part begin among them, less where they do in its run. */
async function readHistory(
  { folder, runs, plan }: Replayed,
  parts: readonly RunPart[],
): Promise<{ events: EventRows; shifts: number[] }> {
  const sizes = parts.map((part) => rowsOf(runs, part));
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const history = {
    rows,
    block: new Float64Array(rows),
    timestamp: new Float64Array(rows),
    from: new Uint32Array(rows),
    to: new Uint32Array(rows),
  };
  const sides = new RowGroupMemory({ from: EVENT_LAYOUT.from, to: EVENT_LAYOUT.to });
  const shifts: number[] = [];
  let at = 0;
  for (const [index, { run, firstDay }] of parts.entries()) {
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
    shifts.push(at - first);
    at += sizes[index]!;
  }
  return { events: { history, groups: GROUP_NUMBERS, price: pricesAt(plan.survey.prices, history) }, shifts };
}

/** The row groups of a part in the files of partitions. */
const groupsOf = ({ run, firstDay, others }: RunPart) => [
  ...(firstDay ? [2 * run] : []),
  ...(others ? [2 * run + 1] : []),
];

/** @throws {Error} a file is missing or damaged */
async function readEvents(task: Replayed, parts: readonly RunPart[]): Promise<ReplayedEvents> {
  const { events, shifts } = await readHistory(task, parts);
  const standings = emptyStandings(events.history.rows);
  const room = new RowGroupMemory(STANDINGS);
  for (const [index, part] of parts.entries()) {
    for (let partition = 0; partition < task.plan.partitions; partition++) {
      const groups = groupsOf(part);
      const file = await openLeftTable(task.folder, `standings/${partition}.parquet`, STANDINGS, () => groups);
      for (const group of groups) {
        const { count, row, tokens, basis, since, sender, receiver, firsts } = file.group(
          group,
          room.of(file.rowsOf(group)),
        );
        for (let i = 0; i < count; i++) {
          const to = shifts[index]! + row[i]!;
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
  }
  return { ...events, ...standings };
}

/** The pieces of lots of a part as events. @throws {Error} likewise */
async function* readLotEvents(task: Replayed, method: LotMethod, part: RunPart): AsyncGenerator<ReplayedEvents> {
  const { events, shifts } = await readHistory(task, [part]);
  const { history, groups, price } = events;
  const { block, timestamp, from, to, rows } = history;
  const { folder, plan } = task;
  const stretches = readPieces(folder, method, plan.partitions, groupsOf(part), { rows, block, shift: shifts[0]! });
  for await (const { first, end, pieces } of stretches) {
    const sent = {
      groups,
      price: price.subarray(first, end),
      history: {
        rows: end - first,
        block: block.subarray(first, end),
        timestamp: timestamp.subarray(first, end),
        from: from.subarray(first, end),
        to: to.subarray(first, end),
      },
    };
    yield pieceEvents(sent, pieces);
  }
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
  await folder.write(pointsFile(index), encodePoints(flows.end(), withHours, folder.codec));
  for (const method of lotMethods(plan)) await sumLotFlows({ plan, folder, runs }, outline, index, method);
  return { blocks: joinDays(blocks) };
}

/** The flows of the pieces of lots, of the same days. */
async function sumLotFlows(task: Replayed, outline: Outline, run: number, method: LotMethod): Promise<void> {
  const { plan, folder, runs } = task;
  const parts = daysBeginningIn(runs, run);
  const events = eventsOf(task, parts, method);
  const flows = new HourAndDayFlows({ ...outline, whose: "lots" }, GROUP_NUMBERS, rangeOf(runs, parts));
  if (flows.needsCounts) for await (const piece of events()) flows.count(piece);
  for await (const piece of events()) flows.add(piece);
  const points = encodePoints(flows.end(), plan.asset.resolutions.includes("hour"), folder.codec);
  await folder.write(pointsFile(run, method), points);
}

/** The days that begin in the first of the parts; the others complete the last of them. */
function rangeOf(runs: readonly RunFacts[], [part]: readonly RunPart[]): TimeRange {
  if (!part) return { from: 0, to: 0 };
  const { days } = runs[part.run]!;
  return { from: days[part.firstDay ? 0 : 1]!.day, to: days.at(-1)!.day + BUCKET_SECONDS.day };
}
