/** A table → what reading it takes: its windows with the footers of their objects, the reads and rows, and the memory. */

import { SERIES_GROUP_ROWS } from "../../data-schema/registry.ts";
import type { SeriesContext } from "../context.ts";
import { Problem } from "../problems/problem.ts";
import { TABLE_FORMAT_NAMES } from "../request/parameters/table-formats.ts";
import { MOST_HELD_ROWS, NUMBER_BYTES } from "./axis/axis.ts";
import { axisOf } from "./axis/axis-of.ts";
import { gridRows } from "./axis/grid-axis.ts";
import { hasFormulas, looksAhead, looksBack, stepsOf, type Wanted } from "./derive.ts";
import { isSmall } from "./objects/open-object.ts";
import { movedTo, placesNeeded } from "./outputs.ts";
import { moved, replacing } from "./replacements.ts";
import { openWindows, windowsOf } from "./table-of-query.ts";
import { type Cost, sumOf, type Table, type Window } from "./table-parts.ts";

/** Reads of the store and calls of caches that one request may make. Workers have 1,000; the key takes a few. */
export const MOST_SUBREQUESTS = 900;

/** A read looks into the cache, asks the store, and fills the cache. */
const SUBREQUESTS_OF_READ = 3;

/** Columns of a formula's steps, and of its inputs on their own rows. */
const TEMPORARY_COLUMNS = 8;

/** Text that is being made and sent. */
const TEXT_BYTES = 512 << 10;

/** A table whose reads are known. */
export interface TablePlan {
  table: Table;
  windows: readonly Window[];
  /** After the footers, which have been read. */
  cost: Cost;
  /** Rows at its start that are not wanted. */
  skip: number;
  /** The rows to show of a table that is read from its first row on, because formulas look back. */
  wanted: Wanted | null;
}

/** How a table is used: its rows are passed on as they are read, gathered into row groups, or held until all have been read. */
export type Use = "stream" | "gather" | "hold";

/** Cells that are held at once: 8 MB. */
export const HELD_CELLS: number = 1 << 20;

/** Bytes that reading a table holds at once. */
function bytesOf({ table, windows, cost }: TablePlan, use: Use): number {
  const axis = axisOf(table);
  const shown = table.outputs.length;
  const rows = axis.heldRows(table, windows, cost);
  const all = rows.reduce((sum, count) => sum + count, 0);
  const held = use === "hold" ? NUMBER_BYTES * (2 * all + Math.min(all * shown, HELD_CELLS)) : 0;
  const gathered = use === "gather" ? axis.gatheredBytes(shown) : 0;
  const derived = NUMBER_BYTES * derivedNumbers(table, rows);
  return TEXT_BYTES + axis.readBytes(table, rows, cost) + held + gathered + derived;
}

/** Numbers that computing formulas holds beside what is read. */
function derivedNumbers(table: Table, rows: readonly number[]): number {
  if (!hasFormulas(table)) return 0;
  const { outputs, columns } = table;
  if (!looksBack(table)) return axisOf(table).computedRows(rows) * (outputs.length + TEMPORARY_COLUMNS);
  const all = rows.reduce((sum, count) => sum + count, 0);
  return all * (columns.length + outputs.length + TEMPORARY_COLUMNS);
}

/**
 * Plans the reads of a table: reads footers, then waits until there is room for the rest.
 *
 * @param last the last so many rows of a table whose formulas look back; null for all
 * @throws {Problem} 400 too many reads; 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function planTable(
  asked: Table,
  use: Use,
  context: SeriesContext,
  last: number | null = null,
): Promise<TablePlan> {
  const isWhole = looksBack(asked);
  const table = {
    ...asked,
    since: isWhole ? Number.NEGATIVE_INFINITY : asked.since,
    until: looksAhead(asked) ? Number.POSITIVE_INFINITY : asked.until,
  };
  const closed = windowsOf(table);
  const objects = closed.flatMap(({ objects }) => objects);
  const footers = objects.filter(({ object }) => !isSmall(object)).length;
  // Each object takes a read at least, and its footer another one.
  checkReads(objects.length + footers, context);
  await context.lease.enter();
  const plan = withCost(table, await openWindows(closed, context), isWhole ? { ...asked, last } : null);
  const reads = footers + plan.cost.reads;
  checkReads(reads, context);
  if (use === "hold" && axisOf(table).isCounted) checkHeld(plan, footers, context);
  if (isWhole) checkSteps(plan);
  spendReads(reads, context);
  await context.lease.grow(bytesOf(plan, use));
  return plan;
}

/** Steps of functions, over all rows: some seconds. */
const MOST_STEPS = 20_000_000;

/** @throws {Problem} 400 formulas that take too long */
function checkSteps({ table, windows }: TablePlan): void {
  const rows = gridRows(table, windows).reduce((sum, count) => sum + count, 0);
  const steps = rows * stepsOf(table);
  if (steps <= MOST_STEPS) return;
  throw new Problem(
    "too-many-rows",
    `The functions of these formulas take ${steps} steps over ${rows} rows: an answer takes up to ${MOST_STEPS}. Ask for fewer at once, or for days.`,
    { parameter: "x" },
  );
}

/** Refuses what can't be held before it is read: a table that is too wide for it is read twice. */
function checkHeld(plan: TablePlan, footers: number, context: SeriesContext): void {
  const { outputs } = plan.table;
  const { length } = outputs;
  // Row groups at both ends may hold fewer of the rows that are wanted.
  const ends = 2 * SERIES_GROUP_ROWS.block * plan.windows.length;
  // One of an output's columns has at least as many rows as all of them on average.
  const least = outputs.map((output, i) => narrowed(plan, i, i + 1).cost.rows / placesNeeded(output).length - ends);
  const rows = Math.max(0, ...least);
  checkHeldRows(rows);
  if (rows * length > HELD_CELLS) checkReads(footers + 2 * plan.cost.reads, context);
}

/** @throws {Problem} 400 columnar JSON holds fewer rows */
export function checkHeldRows(rows: number): void {
  if (rows <= MOST_HELD_ROWS) return;
  throw new Problem(
    "too-many-rows",
    `As columnar JSON, an answer has up to ${MOST_HELD_ROWS} rows at r=block. Ask for less time, or for another format.`,
    { parameter: "f", allowed: TABLE_FORMAT_NAMES.filter((format) => format !== "json") },
  );
}

function withCost(table: Table, windows: readonly Window[], wanted: Wanted | null): TablePlan {
  const cost = sumOf(windows.map((window) => axisOf(table).cost(table, window)));
  return { table, windows, cost, skip: 0, wanted };
}

/** The plan for some of a table's outputs, and the columns that they need. */
export function narrowed({ table, windows, wanted }: TablePlan, from: number, to: number): TablePlan {
  const shown = table.outputs.slice(from, to);
  const { replacements } = table;
  const own = [...new Set(shown.flatMap(placesNeeded))].sort((a, b) => a - b);
  const needed = replacements ? [...own, ...replacing(replacements, own)] : own;
  const places = new Map(needed.map((column, place) => [column, place]));
  const read = windows.map((window) => ({
    ...window,
    objects: window.objects.flatMap((item) => {
      const targets = item.targets.flatMap(({ selector, column }) => {
        const place = places.get(column);
        return place === undefined ? [] : [{ selector, column: place }];
      });
      return targets.length === 0 ? [] : [{ ...item, targets }];
    }),
  }));
  const columns = needed.map((column) => table.columns[column]!);
  const outputs = shown.map((output) => movedTo(output, places));
  const narrower = replacements && moved(replacements, own, places);
  return withCost({ ...table, columns, outputs, replacements: narrower }, read, wanted);
}

/**
 * Counts reads that are about to be made.
 *
 * @throws {Problem} as `checkReads`
 */
export function spendReads(reads: number, context: Pick<SeriesContext, "reads">): void {
  checkReads(reads, context);
  if (context.reads) context.reads.left -= SUBREQUESTS_OF_READ * reads;
}

/** @throws {Problem} 400 more than one request may make */
export function checkReads(reads: number, context: Pick<SeriesContext, "reads">): void {
  checkSubrequests(SUBREQUESTS_OF_READ * reads, context, "series, or for less time", "s");
}

/**
 * Counts reads of the store that look into no cache, as `spendReads`.
 *
 * @param fewer what to ask for fewer of, and the parameter that names it
 * @throws {Problem} 400 more than one request may make
 */
export function spendUncached(
  reads: number,
  context: Pick<SeriesContext, "reads">,
  fewer: string,
  parameter: string,
): void {
  checkSubrequests(reads, context, fewer, parameter);
  if (context.reads) context.reads.left -= reads;
}

function checkSubrequests(
  count: number,
  { reads: shared }: Pick<SeriesContext, "reads">,
  fewer: string,
  parameter: string,
): void {
  if (count <= (shared?.left ?? MOST_SUBREQUESTS)) return;
  throw new Problem(
    "too-many-reads",
    `This takes ${count} reads and cache calls; a request may make ${MOST_SUBREQUESTS}. Ask for fewer ${fewer}.`,
    { parameter },
  );
}
