/**
 * Why balances differ from the chain's: logs that a node left out, a token whose balances don't follow from its events,
 * or balances from before its first event. Source: docs/chain.md#the-check.
 */

import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import type { Nodes } from "../../chain/nodes.ts";
import type { BlockRange, LogFilter } from "../../chain/pages.ts";
import { readBalances, StateUnavailable } from "../../chain/scan.ts";
import { Failure } from "../../failure.ts";
import { transferFilter } from "../decode.ts";
import { netOf, readTransferLogs, rowsOf, type Subject, type Transfer } from "./subject.ts";
import { readTotalSupply } from "./supply.ts";

/** An address whose balance differs. */
export interface Difference {
  /** 0x and 40 lower-case digits. */
  address: string;
  /** By the transfers, raw units; negative if the address sends what it never had. */
  replayed: bigint;
  /** On the chain; undefined if `balanceOf` fails. */
  chain: bigint | undefined;
  /** Transfers from and to the address. */
  moves: number;
}

/** Blocks whose logs another node has. */
export interface WrongRange extends BlockRange {
  /** Transfers that were missing, and that no longer exist. */
  missing: number;
  extra: number;
  /** Nodes whose answers are wrong there. */
  wrongHosts: string[];
  /** Index in `nodes.hosts` of one whose answer is right: with it, balances equal the chain's. */
  node: number;
}

export type Cause =
  | { kind: "omitted"; ranges: WrongRange[] }
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
/** Of them, the addresses whose logs are asked for again: as many as providers take in a filter. */
const FILTERED = 10;

/**
 * Finds the cause of differences.
 *
 * @param block where balances were compared; the subject's range ends there
 * @param newFrom first block of what was fetched now: looked at first
 */
export async function findCause(
  subject: Subject,
  differences: readonly Difference[],
  { block, newFrom }: { block: number; newFrom: number },
): Promise<Cause> {
  const suspects = suspectsOf(differences);
  if (suspects.length === 0) {
    const [unreadable] = differences;
    return unreadable ? { kind: "unreadable", address: unreadable.address } : { kind: "unknown" };
  }
  const parties = new Set(suspects.map(({ address }) => address));
  const ours: Transfer[] = [];
  for await (const columns of subject.transfers()) ours.push(...rowsOf(columns, parties));
  const { from } = subject.range;
  const first = await firstDifference(subject, suspects, ours, { from, to: block });
  const cause = first && (await causeInBlock(subject, first, ours));
  if (cause) return cause;
  const parts = [
    { from: Math.max(newFrom, from), to: block },
    { from, to: Math.min(newFrom - 1, block) },
  ];
  for (const part of parts.filter(({ from, to }) => from <= to)) {
    const ranges = await otherLogs(subject, suspects.slice(0, FILTERED), ours, part);
    if (ranges.length > 0) return { kind: "omitted", ranges };
  }
  return { kind: "unknown" };
}

function suspectsOf(differences: readonly Difference[]): Difference[] {
  const ordered = differences
    .filter(({ chain }) => chain !== undefined)
    .sort((a, b) => a.moves - b.moves || (a.address < b.address ? -1 : 1));
  let moves = 0;
  return ordered.slice(0, SUSPECTS).filter((one, i) => {
    moves += one.moves;
    return i === 0 || moves <= MOST_MOVES;
  });
}

/** Where a balance went wrong. */
interface FirstDifference {
  block: number;
  address: string;
  /** On the chain, after the block. */
  balance: bigint;
  /** All addresses that differ after the block, and what they have more on the chain. */
  others: { address: string; more: bigint }[];
}

/**
 * The first block at whose end a balance differs, by bisection.
 *
 * @param range at its end balances differ
 * @returns undefined if no node has the states
 */
async function firstDifference(
  { nodes, source }: Subject,
  suspects: readonly Difference[],
  ours: readonly Transfer[],
  range: BlockRange,
): Promise<FirstDifference | undefined> {
  const bytes = Buffer.from(suspects.map(({ address }) => address.slice(2)).join(""), "hex");
  const isOfSupply = suspects[0]!.address === ZERO_ADDRESS;
  /** Those that differ after a block. */
  const wrongAt = async (block: number) => {
    const balances = isOfSupply
      ? [await readMinted(nodes, source.contract, block)]
      : await readBalances(nodes, source.contract, bytes, block);
    const replayed = new Map<string, bigint>();
    const move = (address: string, by: bigint) => replayed.set(address, (replayed.get(address) ?? 0n) + by);
    for (const { from, to, value } of ours.filter((transfer) => transfer.block <= block)) {
      move(from, -value);
      move(to, value);
    }
    return suspects.flatMap(({ address }, i) => {
      // Before the contract was created, balanceOf fails and nobody has anything.
      const balance = balances[i] ?? 0n;
      const more = balance - (replayed.get(address) ?? 0n);
      return more === 0n ? [] : [{ address, balance, more }];
    });
  };
  try {
    let [low, high] = [range.from, range.to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await wrongAt(middle)).length > 0) high = middle;
      else low = middle + 1;
    }
    const wrong = await wrongAt(high);
    // An address without a transfer there tells most.
    const moved = new Set(ours.filter(({ block }) => block === high).flatMap(({ from, to }) => [from, to]));
    const telling = wrong.find(({ address }) => !moved.has(address)) ?? wrong[0];
    return telling && { block: high, ...telling, others: wrong };
  } catch (error) {
    if (error instanceof StateUnavailable || error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * What the zero address would have if it had minted everything. What was sent to it is burnt, also where totalSupply
 * still counts it.
 *
 * @throws {Failure} no node has the state
 */
async function readMinted(nodes: Nodes, contract: string, block: number): Promise<bigint | undefined> {
  const [burnt = 0n] = await readBalances(nodes, contract, Buffer.alloc(20), block);
  const supply = await readTotalSupply(nodes, contract, block);
  return supply === undefined ? undefined : burnt - supply;
}

/** Compares a block's logs, and what a balance did in it, with those of each node. */
async function causeInBlock(
  subject: Subject,
  { block, address, balance, others }: FirstDifference,
  ours: readonly Transfer[],
): Promise<Cause> {
  const own = ours.filter(isOf(address));
  const before = netOf(
    own.filter((transfer) => transfer.block < block),
    address,
  );
  const moved = balance - before;
  const ownThere = own.filter((transfer) => transfer.block === block);
  const answers = await answersOf(subject, [{ from: block, to: block }], new Set([address]));
  const right = answers.find(({ transfers }) => netOf(transfers, address) === moved);
  if (right && keysOf(right.transfers) !== keysOf(ownThere)) {
    return { kind: "omitted", ranges: rangesOf(ownThere, right.transfers, answers) };
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

interface Answer {
  node: number;
  host: string;
  transfers: Transfer[];
}

/** What each node says, those left out that can't say anything. */
async function answersOf(
  subject: Subject,
  ranges: readonly BlockRange[],
  parties: ReadonlySet<string>,
  filters: readonly LogFilter[] = [transferFilter(subject.source)],
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [node, host] of subject.nodes.hosts.entries()) {
    try {
      const transfers = new Map<string, Transfer>();
      for (const filter of filters) {
        for (const columns of await readTransferLogs(subject, ranges, { node, filter })) {
          for (const transfer of rowsOf(columns, parties)) transfers.set(keyOf(transfer), transfer);
        }
      }
      answers.push({ node, host, transfers: [...transfers.values()] });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return answers;
}

const keyOf = ({ block, logIndex, from, to, value }: Transfer) => `${block} ${logIndex} ${from} ${to} ${value}`;
const keysOf = (transfers: readonly Transfer[]) => transfers.map(keyOf).sort().join("\n");

/** Where another node has other logs of the suspects, with which a balance equals the chain's. */
async function otherLogs(
  subject: Subject,
  suspects: readonly Difference[],
  ours: readonly Transfer[],
  range: BlockRange,
): Promise<WrongRange[]> {
  const parties = new Set(suspects.map(({ address }) => address));
  const own = ours.filter(
    ({ block, from, to }) => block >= range.from && block <= range.to && (parties.has(from) || parties.has(to)),
  );
  // Deposits and withdrawals name the zero address nowhere.
  const isNamed = subject.source.events === "erc20" || !parties.has(ZERO_ADDRESS);
  const isIndexed = isNamed && (await hasTopicsOf(subject, suspects, own));
  const filters = isIndexed ? topicFilters(subject, parties) : [transferFilter(subject.source)];
  const answers = await answersOf(subject, [range], parties, filters);
  // Nodes may leave out different logs: then what all of them have together is right. It goes first, since logs are left
  // out, but hardly ever made up.
  const all = [own, ...answers.map(({ transfers }) => transfers)].flat();
  const together = [...new Map(all.map((one) => [keyOf(one), one])).values()];
  for (const candidate of [together, ...answers.map(({ transfers }) => transfers)]) {
    const right = suspects.filter(
      ({ address, replayed, chain }) => chain === replayed - netOf(own, address) + netOf(candidate, address),
    );
    const proven = new Set(right.map(({ address }) => address));
    const only = (transfers: readonly Transfer[]) =>
      transfers.filter(({ from, to }) => proven.has(from) || proven.has(to));
    const known = answers.map((answer) => ({ ...answer, transfers: only(answer.transfers) }));
    const ranges = rangesOf(only(own), only(candidate), known);
    if (ranges.length > 0) return ranges;
  }
  return [];
}

/** The standard's events have both parties in topics; so do WETH9's. Contracts that index neither are read whole. */
async function hasTopicsOf(subject: Subject, suspects: readonly Difference[], own: readonly Transfer[]) {
  if (subject.source.events === "issue-redeem") return false;
  const known = own.find(({ from, to }) => suspects.some(({ address }) => address === from || address === to));
  if (!known) return true;
  const parties = new Set([known.from, known.to]);
  const answers = await answersOf(
    subject,
    [{ from: known.block, to: known.block }],
    parties,
    topicFilters(subject, parties),
  );
  return answers.some(({ transfers }) => transfers.length > 0);
}

/** Logs whose first or second indexed parameter is one of the addresses. */
function topicFilters({ source }: Subject, parties: ReadonlySet<string>): LogFilter[] {
  const { address, topics } = transferFilter(source);
  const words = Array.from(parties, (party) => `0x${"0".repeat(24)}${party.slice(2)}`);
  return [
    { address, topics: [topics[0]!, words] },
    { address, topics: [topics[0]!, null, words] },
  ];
}

/** The blocks in which the right transfers differ from ours, as ranges; who has them, and who else is wrong there. */
function rangesOf(own: readonly Transfer[], right: readonly Transfer[], answers: readonly Answer[]): WrongRange[] {
  const [ours, theirs] = [byBlock(own), byBlock(right)];
  const all = answers.map(({ node, host, transfers }) => ({ node, host, blocks: byBlock(transfers) }));
  const blocks = [...new Set([...ours.keys(), ...theirs.keys()])].sort((a, b) => a - b);
  return blocks.flatMap((block): WrongRange[] => {
    const [before, after] = [ours.get(block) ?? NOTHING, theirs.get(block) ?? NOTHING];
    const isRight = ({ blocks }: (typeof all)[number]) => isSame(blocks.get(block) ?? NOTHING, after);
    const source = all.find(isRight);
    if (isSame(before, after) || !source) return [];
    return [
      {
        ...{ from: block, to: block, node: source.node },
        missing: lackingIn(before, after),
        extra: lackingIn(after, before),
        wrongHosts: all.filter((answer) => !isRight(answer)).map(({ host }) => host),
      },
    ];
  });
}

const NOTHING: ReadonlySet<string> = new Set();

/** How many of the others a set lacks. */
const lackingIn = (set: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...others].filter((key) => !set.has(key)).length;

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size === b.size && lackingIn(a, b) === 0;

/** The keys of transfers by their block. */
function byBlock(transfers: readonly Transfer[]): Map<number, Set<string>> {
  const blocks = new Map<number, Set<string>>();
  for (const transfer of transfers) {
    const keys = blocks.get(transfer.block) ?? new Set();
    keys.add(keyOf(transfer));
    blocks.set(transfer.block, keys);
  }
  return blocks;
}
