/**
 * The sums that flow metrics are made of. A family has one row of sums per selector; kernel/flows.ts says which of
 * them an event counts in, and adds up. Source: methodology §6.
 */

import { readFileSync } from "node:fs";
import { SET_A, SET_D, SET_E } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { SAMPLE_EDGES_USD, TRANSFER_SAMPLES } from "../../data-schema/samples.ts";
import { Failure } from "../failure.ts";
import type { Timeline } from "./timeline.ts";

/** The selectors of each family, in the order of the kernel's `Family`. */
export const FLOW_FAMILIES = {
  /** Transfers by the sender's cohort; all, and those on either side of the sender's purchase price. */
  spent: SET_A,
  spentInProfit: SET_A,
  spentAtLoss: SET_A,
  /** Number of transfers by dollar value. */
  transfers: TRANSFER_SAMPLES,
  /** What parts of `users` receive: transfers and mints. */
  received: SET_D,
  /** What parts of `users` send: transfers and burns. */
  sent: SET_D,
  /** To each exchange from elsewhere: mints count, moves inside one exchange do not. */
  toExchange: EXCHANGE_SELECTORS,
  /** From each exchange to elsewhere: burns count, moves inside one exchange do not. */
  fromExchange: EXCHANGE_SELECTORS,
  /** Transfers between the parts of `users`, and all who are outside, and exchanges or contracts. */
  cohortToExchanges: SET_E,
  exchangesToCohort: SET_E,
  cohortToContracts: SET_E,
  contractsToCohort: SET_E,
} as const satisfies Record<string, readonly string[]>;

export type FlowFamilyName = keyof typeof FLOW_FAMILIES;

export const FLOW_FAMILY_NAMES = Object.keys(FLOW_FAMILIES) as FlowFamilyName[];

/** A row of sums is known by its number: the families' selectors, counted on from one family to the next. */
const FIRST_ROWS: number[] = [];
let rowCount = 0;
for (const name of FLOW_FAMILY_NAMES) {
  FIRST_ROWS.push(rowCount);
  rowCount += FLOW_FAMILIES[name].length;
}

/** The number of a family's row of sums. */
export function rowOf(family: FlowFamilyName, selector: string): number {
  return FIRST_ROWS[FLOW_FAMILY_NAMES.indexOf(family)] + (FLOW_FAMILIES[family] as readonly string[]).indexOf(selector);
}

/** One row of sums over time: an entry for each bucket in which it is used, ascending. */
export interface RowHistory {
  /** Ordinals of the buckets. */
  buckets: Uint32Array;
  /** `width` sums per entry. */
  sums: Float64Array;
  width: number;
}

/** One per thread, used again and again: to touch new memory costs more than to add up in it. */
const kernel = new WebAssembly.Instance(
  new WebAssembly.Module(readFileSync(new URL("kernel/flows.wasm", import.meta.url))),
  {
    memory: {
      outOfMemory: () => {
        throw new Failure(
          "A month of these transfers has more block series than 4 GB of memory hold: leave out the resolution block.",
        );
      },
    },
  },
).exports as unknown as Kernel;

/** What kernel/flows.ts exports; columns and tables are addresses in its memory. */
interface Kernel extends Record<ColumnName | TableName, { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(chunk: number, addresses: number, rows: number, samples: number): void;
  count(events: number): void;
  assume(buckets: number): void;
  makeColumns(): void;
  add(events: number): void;
  widthOf(row: number): number;
}
type ColumnName = "bucket" | "from" | "to" | "tokens" | "price" | "basis" | "sender" | "receiver" | "groups";
type TableName = "sampleEdges" | "firstRows" | "capacity" | "entries" | "bucketColumns" | "sumColumns";

/** The events of a stretch, and the bucket of each. */
export interface Buckets {
  firstEvent: number;
  /** Ordinal of each event's bucket, from the first event on; never decreasing. */
  ordinals: Uint32Array;
  /** Buckets, used or not. */
  count: number;
}

/** Events copied to the kernel at a time: they stay in a core's cache. */
const CHUNK_EVENTS = 16_384;

/** Up to so many, room for every row in every bucket costs less than to count: the hours of a year, 70 MB. */
const FEW_BUCKETS = 366 * 24;

/**
 * Adds up the events of a stretch, bucket by bucket, in event order.
 *
 * @returns the history of each row of the families, by its number. They are views
 *   of memory that the next call uses again.
 */
export function sumFlows(timeline: Timeline, buckets: Buckets): RowHistory[] {
  setup(timeline);
  if (buckets.count <= FEW_BUCKETS) kernel.assume(buckets.count);
  else forEachChunk(timeline, buckets, (events) => kernel.count(events));
  kernel.makeColumns();
  forEachChunk(timeline, buckets, (events) => kernel.add(events));
  const table = (name: TableName) => new Uint32Array(kernel.memory.buffer, kernel[name].value, rowCount);
  const [entries, bucketColumns, sumColumns] = [table("entries"), table("bucketColumns"), table("sumColumns")];
  return Array.from({ length: rowCount }, (_, row) => {
    const width = kernel.widthOf(row);
    return {
      buckets: new Uint32Array(kernel.memory.buffer, bucketColumns[row], entries[row]),
      sums: new Float64Array(kernel.memory.buffer, sumColumns[row], entries[row] * width),
      width,
    };
  });
}

/** In how many buckets each row is used. */
export function countUses(timeline: Timeline, buckets: Buckets): number[] {
  setup(timeline);
  forEachChunk(timeline, buckets, (events) => kernel.count(events));
  return Array.from(new Uint32Array(kernel.memory.buffer, kernel.capacity.value, rowCount));
}

function setup({ groups }: Timeline): void {
  kernel.setup(CHUNK_EVENTS, groups.length, rowCount, SAMPLE_EDGES_USD.length);
  const { buffer } = kernel.memory;
  new Uint8Array(buffer, kernel.groups.value).set(groups);
  new Float64Array(buffer, kernel.sampleEdges.value).set([...SAMPLE_EDGES_USD.slice(1), Number.POSITIVE_INFINITY]);
  new Int32Array(buffer, kernel.firstRows.value).set(FIRST_ROWS);
}

/** Copies the events to the kernel chunk by chunk. */
function forEachChunk(timeline: Timeline, { firstEvent, ordinals }: Buckets, use: (events: number) => void): void {
  const { history } = timeline;
  const { buffer } = kernel.memory;
  for (let begin = 0; begin < ordinals.length; begin += CHUNK_EVENTS) {
    const end = Math.min(begin + CHUNK_EVENTS, ordinals.length);
    const [first, last] = [firstEvent + begin, firstEvent + end];
    new Uint32Array(buffer, kernel.bucket.value).set(ordinals.subarray(begin, end));
    new Uint32Array(buffer, kernel.from.value).set(history.from.subarray(first, last));
    new Uint32Array(buffer, kernel.to.value).set(history.to.subarray(first, last));
    for (const name of ["tokens", "price", "basis"] as const) {
      new Float64Array(buffer, kernel[name].value).set(timeline[name].subarray(first, last));
    }
    for (const name of ["sender", "receiver"] as const) {
      new Uint16Array(buffer, kernel[name].value).set(timeline[name].subarray(first, last));
    }
    use(end - begin);
  }
}
