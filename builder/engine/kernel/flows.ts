/**
 * The sums that flow metrics are made of: events added up per bucket, in event order. flow-sums.ts in the folder above
 * drives it and says what the rows of sums are. Source: methodology §6.
 *
 * Where there are many buckets, in two passes over the events of a stretch: the first counts in how many buckets each
 * row of sums is used, the second adds up into columns of just that length.
 */

import { room, startLayout } from "./memory";
import {
  AGES,
  agePart,
  BALANCE_COHORTS,
  CONTRACT,
  cohortPart,
  FIRST_EXCHANGE,
  LOSS,
  PROFIT,
  sidePart,
  USER,
  VALUE_RANGES,
  valuePart,
} from "./parts";

/** The group of the zero address. */
const NOBODY: i32 = -1;

// What a row adds up: tokens, dollars received and dollars once paid; tokens and dollars; a number.
const SPENT: i32 = 3;
const AMOUNTS: i32 = 2;
const NUMBER: i32 = 1;

// Of the cohorts of a family, `total` comes first, in `spent` then `users`; of exchanges and samples, `all`.
const TOTAL: i32 = 0;
const USERS: i32 = 1;
const ALL: i32 = 0;

/** Columns of the events at hand, written by the driver, chunk after chunk. */
export let bucket: usize = 0;
export let from: usize = 0;
export let to: usize = 0;
export let tokens: usize = 0;
export let price: usize = 0;
export let basis: usize = 0;
export let sender: usize = 0;
export let receiver: usize = 0;
/** The group of each address: u8. */
export let groups: usize = 0;
/** Upper edges of the samples of transfers, in USD: f64, the last infinite. */
export let sampleEdges: usize = 0;
/** First row of each family, in the order of `Family`: i32. */
export let firstRows: usize = 0;
/** Per row: in how many buckets it is used, as counted and as added up; where its ordinals are, and its sums. */
export let capacity: usize = 0;
export let entries: usize = 0;
export let bucketColumns: usize = 0;
export let sumColumns: usize = 0;

let rows: i32 = 0;
/** Per row the last bucket that it was used in, plus one. */
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

/** Lays out memory anew: what an earlier stretch has left there is not zero. */
export function setup(chunk: u32, addresses: u32, rowCount: i32, samples: i32): void {
  startLayout();
  rows = rowCount;
  bucket = room(4 * chunk);
  from = room(4 * chunk);
  to = room(4 * chunk);
  tokens = room(8 * chunk);
  price = room(8 * chunk);
  basis = room(8 * chunk);
  sender = room(2 * chunk);
  receiver = room(2 * chunk);
  groups = room(addresses);
  sampleEdges = room(8 * samples);
  firstRows = room(4 * FAMILIES);
  capacity = room(4 * rows);
  bucketColumns = room(4 * rows);
  sumColumns = room(4 * rows);
  lastBucket = room(4 * rows);
  entries = room(4 * rows);
  memory.fill(capacity, 0, 4 * rows);
  memory.fill(lastBucket, 0, 4 * rows);
  memory.fill(entries, 0, 4 * rows);
}

/** The rows that an event counts in. */
const eventRows: usize = memory.data(4 * 64);
let eventRowCount: i32 = 0;
let spentRows: i32 = 0;
let numberRows: i32 = 0;

/** Counts in how many buckets each row is used by the events at hand and those before. */
export function count(events: i32): void {
  for (let event = 0; event < events; event++) {
    if (!place(event)) continue;
    const mark = load<u32>(bucket + 4 * event) + 1;
    for (let i = 0; i < eventRowCount; i++) {
      const row = load<i32>(eventRows + 4 * i);
      if (load<u32>(lastBucket + 4 * row) === mark) continue;
      store<u32>(lastBucket + 4 * row, mark);
      store<u32>(capacity + 4 * row, load<u32>(capacity + 4 * row) + 1);
    }
  }
}

/** In place of counting: no row is used in more buckets than there are. */
export function assume(buckets: u32): void {
  for (let row = 0; row < rows; row++) store<u32>(capacity + 4 * row, buckets);
}

/** Makes the columns, for what was counted or assumed. */
export function makeColumns(): void {
  memory.fill(lastBucket, 0, 4 * rows);
  for (let row = 0; row < rows; row++) {
    const length = load<u32>(capacity + 4 * row);
    store<u32>(bucketColumns + 4 * row, <u32>room(4 * <u64>length));
    store<u32>(sumColumns + 4 * row, <u32>room(<u64>(8 * widthOf(row)) * length));
  }
}

/** Adds the events at hand. */
export function add(events: i32): void {
  for (let event = 0; event < events; event++) {
    if (!place(event)) continue;
    const ordinal = load<u32>(bucket + 4 * event);
    const x = load<f64>(tokens + 8 * event);
    const usd = x * load<f64>(price + 8 * event);
    const cost = x * load<f64>(basis + 8 * event);
    let i = 0;
    for (; i < spentRows; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = use(row, ordinal);
      const at = sumsOf(row, SPENT);
      store<f64>(at, isNew ? x : load<f64>(at) + x);
      store<f64>(at, isNew ? usd : load<f64>(at, 8) + usd, 8);
      store<f64>(at, isNew ? cost : load<f64>(at, 16) + cost, 16);
    }
    for (; i < spentRows + numberRows; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = use(row, ordinal);
      const at = sumsOf(row, NUMBER);
      store<f64>(at, isNew ? 1 : load<f64>(at) + 1);
    }
    for (; i < eventRowCount; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = use(row, ordinal);
      const at = sumsOf(row, AMOUNTS);
      store<f64>(at, isNew ? x : load<f64>(at) + x);
      store<f64>(at, isNew ? usd : load<f64>(at, 8) + usd, 8);
    }
  }
}

/** Starts a row's next entry, if this is the first event of the bucket in it. */
function use(row: i32, ordinal: u32): bool {
  if (load<u32>(lastBucket + 4 * row) === ordinal + 1) return false;
  store<u32>(lastBucket + 4 * row, ordinal + 1);
  const entry = load<u32>(entries + 4 * row);
  store<u32>(<usize>load<u32>(bucketColumns + 4 * row) + 4 * entry, ordinal);
  store<u32>(entries + 4 * row, entry + 1);
  return true;
}

/** Where the sums of a row's last entry are. */
function sumsOf(row: i32, width: i32): usize {
  return <usize>load<u32>(sumColumns + 4 * row) + 8 * width * (load<u32>(entries + 4 * row) - 1);
}

function firstRow(family: Family): i32 {
  return load<i32>(firstRows + 4 * family);
}

/** How many sums an entry of a row has. */
export function widthOf(row: i32): i32 {
  if (row < firstRow(Family.Transfers)) return SPENT;
  return row < firstRow(Family.Received) ? NUMBER : AMOUNTS;
}

function addRow(row: i32): void {
  store<i32>(eventRows + 4 * eventRowCount, row);
  eventRowCount++;
}

/** Notes the rows that an event counts in: first `spentRows`, then `numberRows`, then those of amounts. */
function place(event: i32): bool {
  const x = load<f64>(tokens + 8 * event);
  if (x === 0) return false;
  const source = groupOf(load<u32>(from + 4 * event));
  const target = groupOf(load<u32>(to + 4 * event));
  const sending = <i32>load<u16>(sender + 2 * event);
  const receiving = <i32>load<u16>(receiver + 2 * event);
  const isTransfer = source !== NOBODY && target !== NOBODY;
  eventRowCount = 0;
  spentRows = 0;
  numberRows = 0;

  if (isTransfer) {
    const side = sidePart(sending);
    addSpent(Family.Spent, source, sending);
    if (side === PROFIT) addSpent(Family.SpentInProfit, source, sending);
    else if (side === LOSS) addSpent(Family.SpentAtLoss, source, sending);
    spentRows = eventRowCount;

    const usd = x * load<f64>(price + 8 * event);
    let sample = 0;
    while (usd >= load<f64>(sampleEdges + 8 * sample)) sample++;
    addRow(firstRow(Family.Transfers) + ALL);
    addRow(firstRow(Family.Transfers) + 1 + sample);
    numberRows = 2;
  }
  if (target === USER) addParts(firstRow(Family.Received), receiving);
  if (source === USER) addParts(firstRow(Family.Sent), sending);
  if (target >= FIRST_EXCHANGE && target !== source) {
    if (source < FIRST_EXCHANGE) addRow(firstRow(Family.ToExchange) + ALL);
    addRow(firstRow(Family.ToExchange) + 1 + target - FIRST_EXCHANGE);
  }
  if (source >= FIRST_EXCHANGE && source !== target) {
    if (target < FIRST_EXCHANGE) addRow(firstRow(Family.FromExchange) + ALL);
    addRow(firstRow(Family.FromExchange) + 1 + source - FIRST_EXCHANGE);
  }
  if (!isTransfer) return true;
  if (source < FIRST_EXCHANGE && target >= FIRST_EXCHANGE) addOutside(Family.CohortToExchanges, source, sending);
  if (source >= FIRST_EXCHANGE && target < FIRST_EXCHANGE) addOutside(Family.ExchangesToCohort, target, receiving);
  if (source !== CONTRACT && target === CONTRACT) addOutside(Family.CohortToContracts, source, sending);
  if (source === CONTRACT && target !== CONTRACT) addOutside(Family.ContractsToCohort, target, receiving);
  return true;
}

function groupOf(address: u32): i32 {
  return address === 0 ? NOBODY : <i32>load<u8>(groups + address);
}

/** What someone spends, in a family of set A. */
function addSpent(family: Family, source: i32, sending: i32): void {
  const first = firstRow(family);
  addRow(first + TOTAL);
  if (source !== USER) return;
  addRow(first + USERS);
  addParts(first + 2, sending);
}

/** The parts of `users` that a standing is in; `first` is the row of the first of them. */
function addParts(first: i32, standing: i32): void {
  addRow(first + valuePart(standing));
  addRow(first + VALUE_RANGES + cohortPart(standing));
  const age = agePart(standing);
  if (age < AGES) addRow(first + VALUE_RANGES + BALANCE_COHORTS + age);
}

/** A transfer between a group and someone outside it. */
function addOutside(family: Family, outside: i32, standing: i32): void {
  addRow(firstRow(family) + TOTAL);
  if (outside === USER) addParts(firstRow(family) + 1, standing);
}
