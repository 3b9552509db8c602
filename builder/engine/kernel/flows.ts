/**
 * The sums behind the flow metrics: events added up per bucket, in event order. The driver is ../flow-sums.ts, which
 * defines the rows of sums. Source: docs/methodology.md §6.
 *
 * With many buckets, this takes two passes over the events: the first counts the buckets in which each row of sums is
 * used, the second adds up into columns of exactly that length.
 */

import {
  AGE_COHORTS,
  ageCohortOf,
  BALANCE_COHORTS,
  balanceCohortOf,
  CONTRACT,
  FIRST_EXCHANGE,
  LOSS,
  PROFIT,
  sideOf,
  USER,
  VALUE_RANGES,
  valueRangeOf,
} from "./classification";
import { allocate, startLayout } from "./memory";

/** The group of the zero address. */
const ZERO_ADDRESS: i32 = -1;

// The number of sums in an entry: tokens, USD at the price of the event and USD at cost; tokens and USD; a count.
const SPENT: i32 = 3;
const AMOUNTS: i32 = 2;
const COUNT: i32 = 1;

// The first selectors of a family: `total` of cohorts, followed by `users` in `spent`; `all` of exchanges and samples.
const TOTAL: i32 = 0;
const USERS: i32 = 1;
const ALL: i32 = 0;

/** Columns of the current chunk of events, written by the driver. */
export let bucket: usize = 0;
export let from: usize = 0;
export let to: usize = 0;
export let tokens: usize = 0;
export let price: usize = 0;
export let basis: usize = 0;
export let senderClassification: usize = 0;
export let receiverClassification: usize = 0;
/** The group of each address: u8. */
export let groups: usize = 0;
/** Per row: whether it is wanted, u8. */
export let wanted: usize = 0;
/** Upper edges of the samples of transfers, in USD: f64, the last infinite. */
export let sampleEdges: usize = 0;
/** The first row of each family, in the order of `Family`: i32. */
export let firstRows: usize = 0;
/** Per row: the number of entries allocated, the number used, and the addresses of their bucket ordinals and sums. */
export let capacity: usize = 0;
export let entries: usize = 0;
export let bucketColumns: usize = 0;
export let sumColumns: usize = 0;

let rows: i32 = 0;
/** Per row: the last bucket in which it was used, plus one. */
let lastBucket: usize = 0;

enum Family {
  Spent,
  SpentInProfit,
  SpentAtLoss,
  Transfers,
  Received,
  Sent,
  ToExchange,
  FromExchange,
  CohortToExchanges,
  ExchangesToCohort,
  CohortToContracts,
  ContractsToCohort,
}
const FAMILIES: i32 = 12;

/** Lays out memory again, clearing what the previous time range left in the tables. */
export function setup(chunk: u32, addresses: u32, rowCount: i32, samples: i32): void {
  startLayout();
  rows = rowCount;
  bucket = allocate(4 * chunk);
  from = allocate(4 * chunk);
  to = allocate(4 * chunk);
  tokens = allocate(8 * chunk);
  price = allocate(8 * chunk);
  basis = allocate(8 * chunk);
  senderClassification = allocate(2 * chunk);
  receiverClassification = allocate(2 * chunk);
  groups = allocate(addresses);
  sampleEdges = allocate(8 * samples);
  firstRows = allocate(4 * FAMILIES);
  capacity = allocate(4 * rows);
  bucketColumns = allocate(4 * rows);
  sumColumns = allocate(4 * rows);
  lastBucket = allocate(4 * rows);
  wanted = allocate(rows);
  entries = allocate(4 * rows);
  memory.fill(capacity, 0, 4 * rows);
  memory.fill(lastBucket, 0, 4 * rows);
  memory.fill(entries, 0, 4 * rows);
}

/** The rows in which an event counts: first `spentRows` rows, then `countRows`, then those of amounts. */
const eventRows: usize = memory.data(4 * 64);
let eventRowCount: i32 = 0;
let spentRows: i32 = 0;
let countRows: i32 = 0;

/** Counts the buckets in which each row is used by the current events and all before. */
export function countBuckets(events: i32): void {
  for (let event = 0; event < events; event++) {
    if (!findRows(event)) continue;
    const mark = load<u32>(bucket + 4 * event) + 1;
    for (let i = 0; i < eventRowCount; i++) {
      const row = load<i32>(eventRows + 4 * i);
      if (load<u32>(lastBucket + 4 * row) === mark) continue;
      store<u32>(lastBucket + 4 * row, mark);
      store<u32>(capacity + 4 * row, load<u32>(capacity + 4 * row) + 1);
    }
  }
}

/** Instead of counting: no row is used in more buckets than there are. */
export function setCapacity(buckets: u32): void {
  for (let row = 0; row < rows; row++) store<u32>(capacity + 4 * row, buckets);
}

/** Allocates the columns for the counted, or set, capacity. */
export function allocateColumns(): void {
  memory.fill(lastBucket, 0, 4 * rows);
  for (let row = 0; row < rows; row++) {
    const length = load<u32>(capacity + 4 * row);
    store<u32>(bucketColumns + 4 * row, <u32>allocate(4 * <u64>length));
    store<u32>(sumColumns + 4 * row, <u32>allocate(<u64>(8 * widthOf(row)) * length));
  }
}

/** Adds the current events. */
export function add(events: i32): void {
  for (let event = 0; event < events; event++) {
    if (!findRows(event)) continue;
    const ordinal = load<u32>(bucket + 4 * event);
    const x = load<f64>(tokens + 8 * event);
    const usd = x * load<f64>(price + 8 * event);
    const cost = x * load<f64>(basis + 8 * event);
    let i = 0;
    for (; i < spentRows; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = startEntry(row, ordinal);
      const at = sumsOf(row, SPENT);
      store<f64>(at, isNew ? x : load<f64>(at) + x);
      store<f64>(at, isNew ? usd : load<f64>(at, 8) + usd, 8);
      store<f64>(at, isNew ? cost : load<f64>(at, 16) + cost, 16);
    }
    for (; i < spentRows + countRows; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = startEntry(row, ordinal);
      const at = sumsOf(row, COUNT);
      store<f64>(at, isNew ? 1 : load<f64>(at) + 1);
    }
    for (; i < eventRowCount; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = startEntry(row, ordinal);
      const at = sumsOf(row, AMOUNTS);
      store<f64>(at, isNew ? x : load<f64>(at) + x);
      store<f64>(at, isNew ? usd : load<f64>(at, 8) + usd, 8);
    }
  }
}

/** Starts a row's next entry if the event is the first of its bucket in that row. */
function startEntry(row: i32, ordinal: u32): bool {
  if (load<u32>(lastBucket + 4 * row) === ordinal + 1) return false;
  store<u32>(lastBucket + 4 * row, ordinal + 1);
  const entry = load<u32>(entries + 4 * row);
  store<u32>(<usize>load<u32>(bucketColumns + 4 * row) + 4 * entry, ordinal);
  store<u32>(entries + 4 * row, entry + 1);
  return true;
}

/** The address of the sums of a row's last entry. */
function sumsOf(row: i32, width: i32): usize {
  return <usize>load<u32>(sumColumns + 4 * row) + 8 * width * (load<u32>(entries + 4 * row) - 1);
}

function firstRow(family: Family): i32 {
  return load<i32>(firstRows + 4 * family);
}

/** The number of sums in an entry of a row. */
export function widthOf(row: i32): i32 {
  if (row < firstRow(Family.Transfers)) return SPENT;
  return row < firstRow(Family.Received) ? COUNT : AMOUNTS;
}

function addRow(row: i32): void {
  if (!load<u8>(wanted + row)) return;
  store<i32>(eventRows + 4 * eventRowCount, row);
  eventRowCount++;
}

/** Finds the rows in which an event counts; false if it counts nowhere. */
function findRows(event: i32): bool {
  const x = load<f64>(tokens + 8 * event);
  if (x === 0) return false;
  const source = groupOf(load<u32>(from + 4 * event));
  const target = groupOf(load<u32>(to + 4 * event));
  const sending = <i32>load<u16>(senderClassification + 2 * event);
  const receiving = <i32>load<u16>(receiverClassification + 2 * event);
  const isTransfer = source !== ZERO_ADDRESS && target !== ZERO_ADDRESS;
  eventRowCount = 0;
  spentRows = 0;
  countRows = 0;

  if (isTransfer) {
    const side = sideOf(sending);
    addSpent(Family.Spent, source, sending);
    if (side === PROFIT) addSpent(Family.SpentInProfit, source, sending);
    else if (side === LOSS) addSpent(Family.SpentAtLoss, source, sending);
    spentRows = eventRowCount;

    const usd = x * load<f64>(price + 8 * event);
    let sample = 0;
    while (usd >= load<f64>(sampleEdges + 8 * sample)) sample++;
    addRow(firstRow(Family.Transfers) + ALL);
    addRow(firstRow(Family.Transfers) + 1 + sample);
    countRows = eventRowCount - spentRows;
  }
  if (target === USER) addUserRows(firstRow(Family.Received), receiving);
  if (source === USER) addUserRows(firstRow(Family.Sent), sending);
  if (target >= FIRST_EXCHANGE && target !== source) {
    if (source < FIRST_EXCHANGE) addRow(firstRow(Family.ToExchange) + ALL);
    addRow(firstRow(Family.ToExchange) + 1 + target - FIRST_EXCHANGE);
  }
  if (source >= FIRST_EXCHANGE && source !== target) {
    if (target < FIRST_EXCHANGE) addRow(firstRow(Family.FromExchange) + ALL);
    addRow(firstRow(Family.FromExchange) + 1 + source - FIRST_EXCHANGE);
  }
  if (!isTransfer) return true;
  if (source < FIRST_EXCHANGE && target >= FIRST_EXCHANGE) addCounterparty(Family.CohortToExchanges, source, sending);
  if (source >= FIRST_EXCHANGE && target < FIRST_EXCHANGE) addCounterparty(Family.ExchangesToCohort, target, receiving);
  if (source !== CONTRACT && target === CONTRACT) addCounterparty(Family.CohortToContracts, source, sending);
  if (source === CONTRACT && target !== CONTRACT) addCounterparty(Family.ContractsToCohort, target, receiving);
  return true;
}

function groupOf(address: u32): i32 {
  return address === 0 ? ZERO_ADDRESS : <i32>load<u8>(groups + address);
}

/** Adds a transfer's rows of a `spent` family, by the sender's group and classification. */
function addSpent(family: Family, source: i32, sending: i32): void {
  const first = firstRow(family);
  addRow(first + TOTAL);
  if (source !== USER) return;
  addRow(first + USERS);
  addUserRows(first + 2, sending);
}

/** Adds the rows of the cohorts of `users` that a classification names, the first of which has row `first`. */
function addUserRows(first: i32, classification: i32): void {
  addRow(first + valueRangeOf(classification));
  addRow(first + VALUE_RANGES + balanceCohortOf(classification));
  const age = ageCohortOf(classification);
  if (age < AGE_COHORTS) addRow(first + VALUE_RANGES + BALANCE_COHORTS + age);
}

/** Adds the rows of a transfer to or from an exchange or contract, by the group and classification of the other side. */
function addCounterparty(family: Family, group: i32, classification: i32): void {
  addRow(firstRow(family) + TOTAL);
  if (group === USER) addUserRows(firstRow(family) + 1, classification);
}
