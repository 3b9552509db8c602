/**
 * Why balances differ from the chain's: logs that a node left out, a token whose balances don't follow from its events,
 * or balances from before its first event. Source: docs/chain.md#the-check.
 */

import { type BalanceDifference, type FirstDifference, firstDifference } from "./first-difference.ts";
import { answersByNode, keysOf, otherLogs, rangesOf, together, type WrongRange } from "./other-logs.ts";
import { type OtherReading, otherReading } from "./other-reading.ts";
import { netOf, rowsOf, type Subject, type Transfer } from "./subject.ts";

export type DifferenceCause =
  | { kind: "omitted"; ranges: WrongRange[] }
  | OtherReading
  /** One address has more and another less by the same amount, and no node has the log. */
  | { kind: "missing"; block: number; from: string; to: string; value: bigint }
  /** A balance changed in a block without a transfer. */
  | { kind: "rebasing"; address: string; block: number }
  /** A balance changed by another amount than the transfers of a block say. */
  | { kind: "fee"; address: string; block: number; logged: bigint; moved: bigint }
  /** A balance is wrong from the first block on. */
  | { kind: "opening"; address: string; block: number }
  /** A balance that can't be read. */
  | { kind: "unreadable"; address: string }
  /** All balances are right, but totalSupply fails. */
  | { kind: "no supply" }
  /** All nodes give the same logs. */
  | { kind: "unknown" };

/** Addresses that are looked at. Those with few transfers tell as much as others, with less to read. */
const SUSPECTS = 100;
/** Their transfers, at most. */
const MOST_MOVES = 100_000;
/** Suspects whose logs are asked for again: as many as providers take in a filter. */
const FILTERED = 10;

/**
 * Finds the cause of differences.
 *
 * @param block where balances were compared; the subject's range ends there
 * @param newFrom first block of what was fetched now: looked at first
 */
export async function findCause(
  subject: Subject,
  differences: readonly BalanceDifference[],
  { block, newFrom }: { block: number; newFrom: number },
): Promise<DifferenceCause> {
  const suspects = suspectsOf(differences);
  if (suspects.length === 0) {
    const [unreadable] = differences;
    return unreadable ? { kind: "unreadable", address: unreadable.address } : { kind: "unknown" };
  }
  const parties = new Set(suspects.map(({ address }) => address));
  const ours: Transfer[] = [];
  for await (const columns of subject.transfers()) for (const row of rowsOf(columns, parties)) ours.push(row);
  const { from } = subject.range;
  const first = await firstDifference(subject, suspects, ours, { from, to: block });
  const cause = first && (await causeInBlock(subject, first, ours));
  if (cause?.kind === "omitted") return cause;
  const few = suspects.slice(0, FILTERED);
  const parts = [
    { from: Math.max(newFrom, from), to: block },
    { from, to: Math.min(newFrom - 1, block) },
  ];
  for (const part of cause ? [] : parts.filter(({ from, to }) => from <= to)) {
    const ranges = await otherLogs(subject, few, ours, part);
    if (ranges.length > 0) return { kind: "omitted", ranges };
  }
  return (await otherReading(subject, few, ours, { from, to: block })) ?? cause ?? { kind: "unknown" };
}

function suspectsOf(differences: readonly BalanceDifference[]): BalanceDifference[] {
  const ordered = differences
    .filter(({ chain }) => chain !== undefined)
    .sort((a, b) => a.moves - b.moves || (a.address < b.address ? -1 : 1));
  let moves = 0;
  return ordered.slice(0, SUSPECTS).filter((one, i) => {
    moves += one.moves;
    return i === 0 || moves <= MOST_MOVES;
  });
}

/** Compares a block's logs, and what a balance did in it, with those of each node. */
async function causeInBlock(
  subject: Subject,
  { block, address, balance, others }: FirstDifference,
  ours: readonly Transfer[],
): Promise<DifferenceCause> {
  const own = ours.filter(isOf(address));
  const before = netOf(
    own.filter((transfer) => transfer.block < block),
    address,
  );
  const moved = balance - before;
  const ownThere = own.filter((transfer) => transfer.block === block);
  const answers = await answersByNode(subject, [{ from: block, to: block }], new Set([address]));
  const candidates = [...answers.map(({ transfers }) => transfers), together(ownThere, answers)];
  const right = candidates.find((transfers) => netOf(transfers, address) === moved);
  if (right && keysOf(right) !== keysOf(ownThere)) {
    const ranges = rangesOf(ownThere, right, answers);
    if (ranges.length > 0) return { kind: "omitted", ranges };
  }
  // The contract's own first block: what was there before came without an event.
  if (block === subject.range.from) return { kind: "opening", address, block };
  const there = ours.filter((transfer) => transfer.block === block);
  const short = others.find(({ address, more }) => more < 0n && there.some(({ to }) => to === address));
  if (short) {
    const logged = netOf(there, short.address);
    return { kind: "fee", address: short.address, block, logged, moved: logged + short.more };
  }
  const [one, other, ...rest] = others;
  if (one && other && rest.length === 0 && one.more === -other.more) {
    const [from, to] = one.more < 0n ? [one.address, other.address] : [other.address, one.address];
    return { kind: "missing", block, from, to, value: one.more < 0n ? -one.more : one.more };
  }
  return { kind: "rebasing", address, block };
}

const isOf =
  (address: string) =>
  ({ from, to }: Transfer) =>
    from === address || to === address;
