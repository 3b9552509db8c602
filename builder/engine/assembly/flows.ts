/**
 * The sums behind the flow metrics: events added up per bucket, in event order. The driver is ../flow-sums.ts, which
 * defines the rows of sums. Source: docs/methodology.md §6.
 *
 * With many buckets, this takes two passes over the events: the first counts the buckets in which each row of sums is
 * used, the second adds up into columns of exactly that length.
 */

import {
  AGE_COHORT_COUNT,
  activityOf,
  ageCohortOf,
  BALANCE_COHORT_COUNT,
  balanceCohortOf,
  CONTRACT,
  FIRST_EVER,
  FIRST_EXCHANGE,
  FIRST_OF_DAY,
  FIRST_OF_HOUR,
  FIRST_OF_MONTH,
  FIRST_OF_WEEK,
  FIRST_OF_WEEK_AND_MONTH,
  isTurn,
  LOSS,
  PROFIT,
  receiptOf,
  receivedDepositOf,
  sendOf,
  sentDepositOf,
  sideOf,
  termOf,
  UNLISTED,
  USER,
  VALUE_RANGE_COUNT,
  valueRangeOf,
} from "../classification";
import { allocate, startLayout } from "./memory";

/** The group of the zero address. */
const ZERO_ADDRESS: i32 = -1;

// The number of sums in an entry: tokens, USD at the price of the event and USD at cost; tokens and token-days; tokens and
// USD; a count; counts of those that are active for the first time in their hour, day, week and month.
const SPENT: i32 = 3;
const AGED: i32 = 2;
const AMOUNTS: i32 = 2;
const COUNT: i32 = 1;
const ACTIVE: i32 = 4;

// The first selectors of a family: `total` of cohorts, followed by `users` in sets A and C, and by `sc` and `cex` in set C;
// `all` of exchanges and samples.
const TOTAL: i32 = 0;
const USERS: i32 = 1;
const CONTRACTS: i32 = 2;
const EXCHANGES: i32 = 3;
const ALL: i32 = 0;

const DAY: f64 = 86400;
/** The sender's age in seconds from which `asopr` counts a transfer. */
const LEAST_AGE: f64 = 3600;

/** Columns of the current chunk of events, written by the driver. */
export let bucket: usize = 0;
export let from: usize = 0;
export let to: usize = 0;
export let tokens: usize = 0;
export let price: usize = 0;
export let basis: usize = 0;
export let timestamp: usize = 0;
export let since: usize = 0;
export let sender: usize = 0;
export let receiver: usize = 0;
export let firsts: usize = 0;
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
/** The row of the listed addresses of the first family, in a history of a list; -1 in any other. */
let firstListed: i32 = -1;
/** Per row: the last bucket in which it was used, plus one. */
let lastBucket: usize = 0;

enum Family {
  Spent,
  SpentInProfit,
  SpentAtLoss,
  SpentAged,
  Destroyed,
  Transfers,
  Appeared,
  Funded,
  Emptied,
  Received,
  Sent,
  ToExchange,
  FromExchange,
  CohortToExchanges,
  ExchangesToCohort,
  CohortToContracts,
  ContractsToCohort,
  Minted,
  Burned,
  Active,
  ActiveSenders,
  ActiveReceivers,
  Depositors,
  DepositAddresses,
}
const FAMILIES: i32 = 24;

/** Lays out memory again, clearing what the previous time range left in the tables. */
export function setup(chunk: u32, addresses: u32, rowCount: i32, samples: i32, listed: i32): void {
  startLayout();
  rows = rowCount;
  firstListed = listed;
  bucket = allocate(4 * chunk);
  from = allocate(4 * chunk);
  to = allocate(4 * chunk);
  tokens = allocate(8 * chunk);
  price = allocate(8 * chunk);
  basis = allocate(8 * chunk);
  timestamp = allocate(8 * chunk);
  since = allocate(8 * chunk);
  sender = allocate(2 * chunk);
  receiver = allocate(2 * chunk);
  firsts = allocate(2 * chunk);
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

/** The rows in which an event counts, by what they add up. */
const eventRows: usize = memory.data(4 * 128);
let spentEnd: i32 = 0;
let agedEnd: i32 = 0;
let countEnd: i32 = 0;
let amountsEnd: i32 = 0;
let eventRowCount: i32 = 0;
/** What the event is to each of the rows after the amounts, as an activity: u8. */
const eventActivities: usize = memory.data(128);
/** One past the last row with an activity. */
let activeEnd: i32 = 0;

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
  for (let row = 0; row < rows; row++) store<u32>(capacity + 4 * row, load<u8>(wanted + row) ? buckets : 0);
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
    let i = 0;
    if (spentEnd > 0) {
      const cost = x * load<f64>(basis + 8 * event);
      for (; i < spentEnd; i++) addThree(load<i32>(eventRows + 4 * i), ordinal, x, usd, cost);
    }
    if (agedEnd > spentEnd) {
      const days = Math.max(0, load<f64>(timestamp + 8 * event) - load<f64>(since + 8 * event)) / DAY;
      for (; i < agedEnd; i++) addTwo(load<i32>(eventRows + 4 * i), ordinal, x, x * days);
    }
    for (; i < countEnd; i++) {
      const row = load<i32>(eventRows + 4 * i);
      const isNew = startEntry(row, ordinal);
      const at = sumsOf(row, COUNT);
      store<f64>(at, isNew ? 1 : load<f64>(at) + 1);
    }
    for (; i < amountsEnd; i++) addTwo(load<i32>(eventRows + 4 * i), ordinal, x, usd);
    for (; i < eventRowCount; i++) addActive(load<i32>(eventRows + 4 * i), ordinal, load<u8>(eventActivities + i));
  }
}

function addTwo(row: i32, ordinal: u32, one: f64, two: f64): void {
  const isNew = startEntry(row, ordinal);
  const at = sumsOf(row, AMOUNTS);
  store<f64>(at, isNew ? one : load<f64>(at) + one);
  store<f64>(at, isNew ? two : load<f64>(at, 8) + two, 8);
}

function addThree(row: i32, ordinal: u32, one: f64, two: f64, three: f64): void {
  const isNew = startEntry(row, ordinal);
  const at = sumsOf(row, SPENT);
  store<f64>(at, isNew ? one : load<f64>(at) + one);
  store<f64>(at, isNew ? two : load<f64>(at, 8) + two, 8);
  store<f64>(at, isNew ? three : load<f64>(at, 16) + three, 16);
}

/** Counts an address in each kind of bucket of which the event is its first. */
function addActive(row: i32, ordinal: u32, activity: u32): void {
  const isNew = startEntry(row, ordinal);
  const at = sumsOf(row, ACTIVE);
  const ofDay: f64 = activity >= FIRST_OF_DAY ? 1 : 0;
  const ofWeek: f64 = activity === FIRST_OF_WEEK || activity >= FIRST_OF_WEEK_AND_MONTH ? 1 : 0;
  const ofMonth: f64 = activity >= FIRST_OF_MONTH ? 1 : 0;
  store<f64>(at, isNew ? 1 : load<f64>(at) + 1);
  store<f64>(at, isNew ? ofDay : load<f64>(at, 8) + ofDay, 8);
  store<f64>(at, isNew ? ofWeek : load<f64>(at, 16) + ofWeek, 16);
  store<f64>(at, isNew ? ofMonth : load<f64>(at, 24) + ofMonth, 24);
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
  if (firstListed >= 0 && row >= firstListed) return widthOf(firstRow(<Family>(row - firstListed)));
  if (row < firstRow(Family.Destroyed)) return SPENT;
  if (row < firstRow(Family.Transfers)) return AGED;
  if (row < firstRow(Family.Received)) return COUNT;
  return row < firstRow(Family.Active) ? AMOUNTS : ACTIVE;
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
  // The groups as marked, and without the mark.
  const sourceMarked = groupOf(load<u32>(from + 4 * event));
  const targetMarked = groupOf(load<u32>(to + 4 * event));
  const source = withoutMark(sourceMarked);
  const target = withoutMark(targetMarked);
  const sending = <i32>load<u16>(sender + 2 * event);
  const receiving = <i32>load<u16>(receiver + 2 * event);
  const isTransfer = source !== ZERO_ADDRESS && target !== ZERO_ADDRESS;
  eventRowCount = 0;

  if (isTransfer) {
    const side = sideOf(sending);
    addSpent(Family.Spent, sourceMarked, sending);
    if (side === PROFIT) addSpent(Family.SpentInProfit, sourceMarked, sending);
    else if (side === LOSS) addSpent(Family.SpentAtLoss, sourceMarked, sending);
    const bought = Math.floor(load<f64>(since + 8 * event) + 0.5);
    if (load<f64>(timestamp + 8 * event) - bought >= LEAST_AGE) addSpent(Family.SpentAged, sourceMarked, sending);
  }
  spentEnd = eventRowCount;

  if (source !== ZERO_ADDRESS) addSpent(Family.Destroyed, sourceMarked, sending);
  agedEnd = eventRowCount;

  if (isTransfer) {
    const usd = x * load<f64>(price + 8 * event);
    let sample = 0;
    while (usd >= load<f64>(sampleEdges + 8 * sample)) sample++;
    addRow(firstRow(Family.Transfers) + ALL);
    addRow(firstRow(Family.Transfers) + 1 + sample);
  }
  if (activityOf(receiving) === FIRST_EVER) addHolder(Family.Appeared, targetMarked, receiving);
  if (isTurn(receiving)) addHolder(Family.Funded, targetMarked, receiving);
  if (isTurn(sending)) addHolder(Family.Emptied, sourceMarked, sending);
  countEnd = eventRowCount;

  addUsers(Family.Received, targetMarked, receiving);
  addUsers(Family.Sent, sourceMarked, sending);
  if (target >= FIRST_EXCHANGE && target !== source) {
    if (source < FIRST_EXCHANGE) addRow(firstRow(Family.ToExchange) + ALL);
    addRow(firstRow(Family.ToExchange) + 1 + target - FIRST_EXCHANGE);
  }
  if (source >= FIRST_EXCHANGE && source !== target) {
    if (target < FIRST_EXCHANGE) addRow(firstRow(Family.FromExchange) + ALL);
    addRow(firstRow(Family.FromExchange) + 1 + source - FIRST_EXCHANGE);
  }
  if (isTransfer) {
    if (source < FIRST_EXCHANGE && target >= FIRST_EXCHANGE)
      addCounterparty(Family.CohortToExchanges, sourceMarked, sending);
    if (source >= FIRST_EXCHANGE && target < FIRST_EXCHANGE)
      addCounterparty(Family.ExchangesToCohort, targetMarked, receiving);
    if (source !== CONTRACT && target === CONTRACT) addCounterparty(Family.CohortToContracts, sourceMarked, sending);
    if (source === CONTRACT && target !== CONTRACT) addCounterparty(Family.ContractsToCohort, targetMarked, receiving);
  } else addRow(firstRow(source === ZERO_ADDRESS ? Family.Minted : Family.Burned));
  amountsEnd = eventRowCount;

  const first = load<u16>(firsts + 2 * event);
  activeEnd = amountsEnd;
  addActiveHolder(Family.Active, sourceMarked, sending, activityOf(sending));
  addActiveHolder(Family.Active, targetMarked, receiving, activityOf(receiving));
  addActiveHolder(Family.ActiveSenders, sourceMarked, sending, sendOf(first));
  addActiveHolder(Family.ActiveReceivers, targetMarked, receiving, receiptOf(first));
  if (sentDepositOf(first) >= FIRST_OF_DAY) addRow(firstRow(Family.Depositors));
  setActivity(sentDepositOf(first));
  if (receivedDepositOf(first) >= FIRST_OF_DAY) addRow(firstRow(Family.DepositAddresses));
  setActivity(receivedDepositOf(first));
  return true;
}

/** Adds the rows of an address at an event that is its first of some bucket. */
function addActiveHolder(family: Family, group: i32, classification: i32, activity: u32): void {
  if (activity < FIRST_OF_HOUR) return;
  addHolder(family, group, classification);
  setActivity(activity);
}

/** Sets the activity of the rows that have none yet. */
function setActivity(activity: u32): void {
  for (; activeEnd < eventRowCount; activeEnd++) store<u8>(eventActivities + activeEnd, activity);
}

function groupOf(address: u32): i32 {
  return address === 0 ? ZERO_ADDRESS : <i32>load<u8>(groups + address);
}

function withoutMark(group: i32): i32 {
  return group === ZERO_ADDRESS ? group : group & ~UNLISTED;
}

/** Adds the family's row of listed addresses, if the address is one: the zero address has all bits set. */
function addListed(family: Family, group: i32): void {
  if ((group & UNLISTED) === 0) addRow(firstListed + family);
}

/** Adds the rows of a family of set A, by the sender's group and classification. */
function addSpent(family: Family, source: i32, sending: i32): void {
  if (firstListed >= 0) {
    addListed(family, source);
    return;
  }
  const first = firstRow(family);
  addRow(first + TOTAL);
  if (source !== USER) return;
  addRow(first + USERS);
  addUserRows(first + USERS + 1, sending);
}

/** Adds the rows of a family of set C, by an address's group and classification. */
function addHolder(family: Family, group: i32, classification: i32): void {
  if (firstListed >= 0) {
    addListed(family, group);
    return;
  }
  const first = firstRow(family);
  addRow(first + TOTAL);
  if (group === USER) {
    addRow(first + USERS);
    addUserRows(first + EXCHANGES + 1, classification);
  } else addRow(first + (group === CONTRACT ? CONTRACTS : EXCHANGES));
}

/** Adds the rows of the cohorts of `users` that a classification names, the first of which has row `first`. */
function addUserRows(first: i32, classification: i32): void {
  addRow(first + valueRangeOf(classification));
  addRow(first + VALUE_RANGE_COUNT + balanceCohortOf(classification));
  const firstAge = first + VALUE_RANGE_COUNT + BALANCE_COHORT_COUNT;
  const age = ageCohortOf(classification);
  if (age < AGE_COHORT_COUNT) addRow(firstAge + age);
  addRow(firstAge + AGE_COHORT_COUNT + termOf(classification));
}

/** Adds the rows of a family of set D, by an address's group and classification. */
function addUsers(family: Family, group: i32, classification: i32): void {
  if (firstListed >= 0) {
    addListed(family, group);
    return;
  }
  if (group === USER) addUserRows(firstRow(family), classification);
}

/** Adds the rows of a transfer to or from an exchange or contract, by the group and classification of the other side. */
function addCounterparty(family: Family, group: i32, classification: i32): void {
  if (firstListed >= 0) {
    addListed(family, group);
    return;
  }
  addRow(firstRow(family) + TOTAL);
  if (group === USER) addUserRows(firstRow(family) + 1, classification);
}
