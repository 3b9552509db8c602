/**
 * A look at the first pages of a first fetch: tokens whose balances don't follow from their events are told before hours
 * of fetching. Logs that are missing are left to the check at the end, which can mend them.
 */

import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { Failure } from "../../lib/failure.ts";
import { VALUE_BYTES } from "../../lib/widths.ts";
import { addressTexts } from "../chain/hex.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { readBalances, StateUnavailable } from "../chain/scan/scan.ts";
import { isStillThere, type StateBlock, stateBlock } from "../chain/scan/state-block.ts";
import { emptyColumns } from "../transfers/fetched-columns.ts";
import { openingBlock } from "../transfers/opening.ts";
import { type DifferenceCause, findCause } from "./causes/cause.ts";
import { problemsOf } from "./causes/describe.ts";
import type { BalanceDifference } from "./causes/first-difference.ts";
import { netOf, readTransferLogs, rowsOf, type Subject, type Transfer } from "./causes/subject.ts";
import { Ledger } from "./ledgers/ledger.ts";

/** Holders that are compared: enough to tell the kind of a token. */
const MOST = 5_000;
/** Blocks below that at which states are read, whose states ordinary nodes may still have: the first of these that they do. */
const WINDOWS = [100, 40, 10];

/**
 * @param subject the first pages; where it ends, its holders are compared if a node has the state
 * @throws {Failure} a rebasing or fee-on-transfer token, or one with balances from before its first event
 */
export async function checkEarly(subject: Subject, confirmations?: number): Promise<void> {
  const ledger = new Ledger();
  for await (const columns of subject.transfers()) ledger.apply(columns);
  const holders = ledger.addresses.pick(ledger.numbers("holders").slice(0, MOST));
  await checkHolders(subject, ledger, holders);
  const block = await stateBlock(subject.nodes, confirmations);
  if (await checkRecent(subject, block, holders)) return;
  await checkRecent(subject, await stateBlock(subject.nodes, confirmations, 0, block.number), holders);
}

/** All holders at the end of the first pages. */
async function checkHolders(subject: Subject, ledger: Ledger, holders: Uint8Array): Promise<void> {
  const block = subject.range.to;
  const numbers = ledger.addresses.numbersOf(holders, "find");
  const found = await leastDiffering(subject.nodes, async (node) => {
    const balances = await balancesAt(subject, holders, block, node);
    if (!balances) return undefined;
    const differences = addressTexts(holders).flatMap((address, i): BalanceDifference[] => {
      const [replayed, chain] = [ledger.balance(numbers[i]!), balances[i]];
      return chain === replayed ? [] : [{ address, replayed, chain, moves: ledger.moves(numbers[i]!) }];
    });
    return { differences };
  });
  if (!found || found.differences.length === 0) return;
  const { differences } = found;
  refuse(subject, block, holders.length / 20, differences, await causeOf(subject, differences, block));
}

/**
 * What the balances of active addresses, and of some holders, did in the last blocks.
 *
 * @returns whether a node had their states
 */
async function checkRecent(subject: Subject, block: StateBlock, holders: Uint8Array): Promise<boolean> {
  const { number: last } = block;
  for (const length of WINDOWS) {
    const first = last - length;
    if (first < subject.range.from) continue;
    const before = await balancesAt(subject, holders.subarray(0, 20), first);
    if (!before) continue;
    const recent = await readTransferLogs(subject, [{ from: first + 1, to: last }]);
    const transfers: Transfer[] = recent.flatMap((columns) => [...rowsOf(columns)]);
    const active = new Set(transfers.flatMap(({ from, to }) => [from, to]));
    for (const holder of addressTexts(holders)) active.add(holder);
    active.delete(ZERO_ADDRESS);
    const addresses = [...active].slice(0, MOST);
    const bytes = Buffer.from(addresses.map((address) => address.slice(2)).join(""), "hex");
    const found = await leastDiffering(subject.nodes, async (node) => {
      const old = await balancesAt(subject, bytes, first, node);
      const now = old && (await balancesAt(subject, bytes, last, node));
      if (!now) return undefined;
      const differences = addresses.flatMap((address, i): BalanceDifference[] => {
        const moves = transfers.filter(({ from, to }) => from === address || to === address);
        const replayed = (old[i] ?? 0n) + netOf(moves, address);
        return now[i] === replayed ? [] : [{ address, replayed, chain: now[i], moves: moves.length }];
      });
      return { old, differences };
    });
    if (!found) continue;
    const { old, differences } = found;
    if (differences.length === 0) return true;
    // What addresses had before enters as if it came with the block before.
    const opening = openingColumns(openingBlock(first), bytes, old);
    const range = { from: first, to: last };
    const window: Subject = { ...subject, range, transfers: () => iterate([opening, ...recent]) };
    const cause = await causeOf(window, differences, last);
    if (await isStillThere(subject.nodes, block)) refuse(subject, last, addresses.length, differences, cause);
    return true;
  }
  return false;
}

/**
 * Compares with the states of any node, and where something differs, with those of each alone, until nothing does: a node
 * whose states are wrong is found at the end.
 *
 * @param compare undefined if there are no states
 */
async function leastDiffering<T extends { differences: BalanceDifference[] }>(
  nodes: Nodes,
  compare: (node?: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  let found = await compare();
  for (const node of nodes.active.length > 1 ? nodes.active : []) {
    if (!found || found.differences.length === 0) return found;
    // Where a node does not tell, one that is wrong may be the only one that does: that is left to the check at the end.
    found = await compare(node);
  }
  return found;
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Mints of what addresses have. */
function openingColumns(block: number, addresses: Uint8Array, balances: readonly (bigint | undefined)[]) {
  const columns = emptyColumns(balances.length);
  columns.block.fill(block);
  columns.to.set(addresses);
  for (const [row, balance = 0n] of balances.entries()) {
    columns.logIndex[row] = row;
    columns.value.set(Buffer.from(balance.toString(16).padStart(2 * VALUE_BYTES, "0"), "hex"), VALUE_BYTES * row);
  }
  return columns;
}

const causeOf = (
  subject: Subject,
  differences: readonly BalanceDifference[],
  block: number,
): Promise<DifferenceCause> => findCause(subject, differences, { block, newFrom: subject.range.from });

type Balances = (bigint | undefined)[];

/** @returns undefined if no node, or not the one that is named, has the state */
async function balancesAt(
  { nodes, source }: Subject,
  addresses: Uint8Array,
  block: number,
  node?: number,
): Promise<Balances | undefined> {
  try {
    return await readBalances(nodes, source.contract, addresses, block, node === undefined ? {} : { node });
  } catch (error) {
    if (error instanceof StateUnavailable || (node !== undefined && error instanceof Failure)) return undefined;
    throw error;
  }
}

const LEFT_TO_THE_END: readonly DifferenceCause["kind"][] = ["omitted", "missing", "unreadable", "unknown"];

/** Only what more fetching can't change is refused. */
function refuse(
  { nodes, source }: Subject,
  block: number,
  compared: number,
  differences: readonly BalanceDifference[],
  cause: DifferenceCause,
): void {
  if (LEFT_TO_THE_END.includes(cause.kind)) return;
  const found = { block, compared, hosts: nodes.hosts, differences, cause, overdraft: undefined };
  const [problem] = problemsOf({ ...found, supply: { chain: 0n } });
  throw new Failure(`${source.contract} can't be fetched. ${problem}`);
}
