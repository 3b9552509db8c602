/**
 * The sums behind the flow metrics. A family has one row of sums per selector; assembly/flows.ts decides in which rows an
 * event counts, and adds up. Source: docs/methodology.md §6.
 */

import { readFileSync } from "node:fs";
import {
  EXCHANGE_SELECTORS,
  LOT_COHORTS,
  SAMPLE_EDGES_USD,
  SET_A,
  SET_C,
  SET_D,
  SET_E,
  SINGLE_SERIES,
  TRANSFER_SAMPLES,
  withTerms,
} from "../../data-schema/registry.ts";
import type { Groups, ReplayedEvents } from "./history/history.ts";
import { type CohortScope, OWN_COHORT } from "./history/whose.ts";
import { EngineRefusal } from "./refusal.ts";

/** The selectors of each family, in the order of the kernel's `Family`. */
export const FLOW_FAMILIES = {
  /**
   * Transfers by the sender's cohort: all, those above and below the sender's purchase price, and those of senders that have
   * held for an hour.
   */
  spent: withTerms(SET_A),
  spentInProfit: withTerms(SET_A),
  spentAtLoss: withTerms(SET_A),
  spentAged: withTerms(SET_A),
  /** What is sent and burned, and for how long it was held. */
  destroyed: withTerms(SET_A),
  /** The number of transfers by dollar value. */
  transfers: TRANSFER_SAMPLES,
  /** Addresses that appear for the first time, begin to hold, and hold nothing any more. */
  appeared: withTerms(SET_C),
  funded: withTerms(SET_C),
  emptied: withTerms(SET_C),
  /** What cohorts of `users` receive: transfers and mints. */
  received: withTerms(SET_D),
  /** What cohorts of `users` send: transfers and burns. */
  sent: withTerms(SET_D),
  /** To each exchange from elsewhere. Mints count; transfers within one exchange do not. */
  toExchange: EXCHANGE_SELECTORS,
  /** From each exchange to elsewhere. Burns count; transfers within one exchange do not. */
  fromExchange: EXCHANGE_SELECTORS,
  /** Transfers between exchanges, or contracts, and everyone else: in total, and by cohort of `users`. */
  cohortToExchanges: withTerms(SET_E),
  exchangesToCohort: withTerms(SET_E),
  cohortToContracts: withTerms(SET_E),
  contractsToCohort: withTerms(SET_E),
  minted: [SINGLE_SERIES],
  burned: [SINGLE_SERIES],
  /** Addresses at their first event of an hour, and which of them are at their first of the day, the week and the month. */
  active: withTerms(SET_C),
  /** Addresses at their first send of an hour, and at their first receipt, likewise. */
  activeSenders: withTerms(SET_C),
  activeReceivers: withTerms(SET_C),
  /** Addresses at their first deposit of a day, and which of them are at their first of the week and the month. */
  depositors: [SINGLE_SERIES],
  /** Deposit addresses at their first receipt of a day, likewise. */
  depositAddresses: [SINGLE_SERIES],
} as const satisfies Record<string, readonly string[]>;

export type FlowFamilyName = keyof typeof FLOW_FAMILIES;

const FLOW_FAMILY_NAMES = Object.keys(FLOW_FAMILIES) as FlowFamilyName[];

/** The families that count the pieces of lots. */
const LOT_FAMILIES: readonly FlowFamilyName[] = ["spent", "spentInProfit", "spentAtLoss", "spentAged", "destroyed"];

// Rows of sums are numbered through all families.
const FIRST_ROWS = {} as Record<FlowFamilyName, number>;
let rowCount = 0;
for (const name of FLOW_FAMILY_NAMES) {
  FIRST_ROWS[name] = rowCount;
  rowCount += FLOW_FAMILIES[name].length;
}

/** Rows of sums, of all families. */
export const SUM_ROWS = rowCount;

/** Rows of sums of a history of listed addresses: those of `OWN_COHORT`, one a family, come after the others, which stay empty. */
export const ALL_ROWS = SUM_ROWS + FLOW_FAMILY_NAMES.length;

/** The number of a selector's row of sums. */
export function rowOf(family: FlowFamilyName, selector: string): number {
  if (selector === OWN_COHORT) return SUM_ROWS + FLOW_FAMILY_NAMES.indexOf(family);
  return FIRST_ROWS[family] + (FLOW_FAMILIES[family] as readonly string[]).indexOf(selector);
}

/** Bytes of an entry, at most: its bucket and four sums. */
export const ENTRY_BYTES = 36;

/** The entries of a family. @param used in how many buckets each row of sums is used, by its number */
export function entriesOf(family: FlowFamilyName, used: readonly number[]): number {
  const first = FIRST_ROWS[family];
  return used.slice(first, first + FLOW_FAMILIES[family].length).reduce((sum, count) => sum + count, 0);
}

/** The entries of a row of sums, one for each bucket in which it is used, ascending. */
export interface RowEntries {
  /** Ordinals of the buckets. */
  buckets: Uint32Array;
  /** `width` sums per entry. */
  sums: Float64Array;
  width: number;
}

const module = new WebAssembly.Module(readFileSync(new URL("assembly/flows.wasm", import.meta.url)));
const newKernel = () =>
  new WebAssembly.Instance(module, {
    memory: {
      outOfMemory: () => {
        throw new EngineRefusal({ kind: "memory", of: "month of blocks" });
      },
    },
  }).exports as unknown as Kernel;

/** One per thread, reused: touching new memory costs more than adding up in it. The other one counts meanwhile. */
const [adding, counting] = [newKernel(), newKernel()];

/** The exports of assembly/flows.ts; columns and tables are addresses in its memory. */
interface Kernel extends Record<ColumnName | TableName, { value: number }> {
  memory: { buffer: ArrayBuffer };
  /** @param firstListed the row of `OWN_COHORT` of the first family; -1 without a list */
  setup(chunk: number, addresses: number, rows: number, samples: number, firstListed: number): void;
  countBuckets(events: number): void;
  setCapacity(buckets: number): void;
  allocateColumns(): void;
  add(events: number): void;
  widthOf(row: number): number;
}
type EventColumn = "bucket" | "from" | "to" | "tokens" | "price" | "basis" | "timestamp" | "since";
type ColumnName = EventColumn | "sender" | "receiver" | "firsts" | "groups";
type TableName = "wanted" | "sampleEdges" | "firstRows" | "capacity" | "entries" | "bucketColumns" | "sumColumns";

/** Some events, and the bucket of each. */
export interface FlowBuckets {
  firstEvent: number;
  /** The ordinal of each event's bucket, from `firstEvent` on; never decreasing, nor from piece to piece. */
  ordinals: Uint32Array;
}

/** Events copied to the kernel at a time: a chunk fits the cache of a core. */
const CHUNK_EVENTS = 16_384;

/** Up to this many buckets, the hours of a year, allocating every row in full (100 MB) costs less than counting. */
const FEW_BUCKETS = 366 * 24;

/**
 * Adds up events, which come in pieces, bucket by bucket and in their order. A thread has one at a time: the next one uses
 * the same memory.
 */
export class FlowSums {
  /** Whether all events have to be counted before the first is added. */
  readonly needsCounts: boolean;
  readonly #rows: number;
  #isAllocated = false;

  /**
   * @param buckets their number, used or not; or in how many each row of sums is used, by its number
   * @param families those that are wanted; all if left out
   */
  constructor(
    groups: Groups,
    buckets: number | readonly number[],
    {
      families = FLOW_FAMILY_NAMES,
      whose = "all",
    }: { families?: readonly FlowFamilyName[] | undefined; whose?: CohortScope | undefined } = {},
  ) {
    this.#rows = setup(adding, groups, families, whose);
    this.needsCounts = typeof buckets === "number" && buckets > FEW_BUCKETS;
    if (typeof buckets !== "number") setCapacities(buckets, families, whose);
    else if (!this.needsCounts) adding.setCapacity(buckets);
  }

  count(events: ReplayedEvents, buckets: FlowBuckets): void {
    forEachChunk(adding, events, buckets, (count) => adding.countBuckets(count));
  }

  add(events: ReplayedEvents, buckets: FlowBuckets): void {
    this.#allocate();
    forEachChunk(adding, events, buckets, (count) => adding.add(count));
  }

  /** The entries of each row of sums, by its number: views of memory. */
  end(): RowEntries[] {
    this.#allocate();
    const table = (name: TableName) => new Uint32Array(adding.memory.buffer, adding[name].value, this.#rows);
    const [entries, bucketColumns, sumColumns] = [table("entries"), table("bucketColumns"), table("sumColumns")];
    return Array.from({ length: this.#rows }, (_, row) => {
      const width = adding.widthOf(row);
      return {
        buckets: new Uint32Array(adding.memory.buffer, bucketColumns[row]!, entries[row]!),
        sums: new Float64Array(adding.memory.buffer, sumColumns[row]!, entries[row]! * width),
        width,
      };
    });
  }

  #allocate(): void {
    if (!this.#isAllocated) adding.allocateColumns();
    this.#isAllocated = true;
  }
}

/** The number of buckets in which each row of sums of some families is used; 0 for those of others. */
export function countBuckets(
  events: ReplayedEvents,
  buckets: FlowBuckets,
  families: readonly FlowFamilyName[],
  whose: CohortScope = "all",
): number[] {
  const rows = setup(counting, events.groups, families, whose);
  forEachChunk(counting, events, buckets, (count) => counting.countBuckets(count));
  return Array.from(new Uint32Array(counting.memory.buffer, counting.capacity.value, rows));
}

/** @returns the number of rows */
function setup(kernel: Kernel, groups: Groups, families: readonly FlowFamilyName[], whose: CohortScope): number {
  const rows = whose === "listed" ? ALL_ROWS : SUM_ROWS;
  kernel.setup(CHUNK_EVENTS, groups.length, rows, SAMPLE_EDGES_USD.length, whose === "listed" ? SUM_ROWS : -1);
  const { buffer } = kernel.memory;
  new Uint8Array(buffer, kernel.groups.value).set(groups);
  new Float64Array(buffer, kernel.sampleEdges.value).set([...SAMPLE_EDGES_USD.slice(1), Number.POSITIVE_INFINITY]);
  const wanted = new Uint8Array(buffer, kernel.wanted.value, rows).fill(0);
  for (const row of rowsOf(families, whose)) wanted[row] = 1;
  new Int32Array(buffer, kernel.firstRows.value).set(FLOW_FAMILY_NAMES.map((name) => FIRST_ROWS[name]));
  return rows;
}

function setCapacities(used: readonly number[], families: readonly FlowFamilyName[], whose: CohortScope): void {
  const capacities = new Uint32Array(adding.memory.buffer, adding.capacity.value, used.length);
  for (const row of rowsOf(families, whose)) capacities[row] = used[row]!;
}

/** The rows of some families in which events of these addresses count. */
function* rowsOf(families: readonly FlowFamilyName[], whose: CohortScope): Generator<number> {
  for (const name of families) {
    if (whose === "listed") yield rowOf(name, OWN_COHORT);
    else if (whose === "all") for (const selector of FLOW_FAMILIES[name]) yield rowOf(name, selector);
    else if (LOT_FAMILIES.includes(name)) for (const cohort of LOT_COHORTS) yield rowOf(name, cohort);
  }
}

/** Copies the events to a kernel chunk by chunk. */
function forEachChunk(
  kernel: Kernel,
  events: ReplayedEvents,
  { firstEvent, ordinals }: FlowBuckets,
  use: (count: number) => void,
): void {
  const { history } = events;
  const { buffer } = kernel.memory;
  for (let begin = 0; begin < ordinals.length; begin += CHUNK_EVENTS) {
    const end = Math.min(begin + CHUNK_EVENTS, ordinals.length);
    const [first, last] = [firstEvent + begin, firstEvent + end];
    new Uint32Array(buffer, kernel.bucket.value).set(ordinals.subarray(begin, end));
    new Uint32Array(buffer, kernel.from.value).set(history.from.subarray(first, last));
    new Uint32Array(buffer, kernel.to.value).set(history.to.subarray(first, last));
    new Float64Array(buffer, kernel.timestamp.value).set(history.timestamp.subarray(first, last));
    for (const name of ["tokens", "price", "basis", "since"] as const) {
      new Float64Array(buffer, kernel[name].value).set(events[name].subarray(first, last));
    }
    for (const name of ["sender", "receiver", "firsts"] as const) {
      new Uint16Array(buffer, kernel[name].value).set(events[name].subarray(first, last));
    }
    use(end - begin);
  }
}
