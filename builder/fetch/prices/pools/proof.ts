/**
 * Proves that replayed states are the chain's. Nodes leave logs out without an error, so logs can't be believed; what
 * contracts answer of themselves can be compared. Their accumulators add up what stood for how long: a log that is missing
 * shows even if later ones have undone what it did. Source: docs/chain.md#the-proof-of-prices.
 */

import type { Nodes } from "../../chain/nodes/nodes.ts";
import { askEach } from "../../chain/scan/second-opinion.ts";
import { type View, viewsOf } from "./calls.ts";
import type { Facts } from "./pool.ts";
import { POOL_KINDS } from "./pool-kinds.ts";
import type { PriceStates } from "./pool-states.ts";
import type { Rounds } from "./rounds.ts";

/** What is wrong with a contract's logs. */
export interface PriceDifference {
  address: string;
  what: "pool" | "feed";
  /** A clause. */
  why: string;
}

/** What is compared of a feed, for fetch.json. */
export const FEEDS_PROVEN_BY = "latestRound, latestAnswer, latestTimestamp, and rounds without gaps";

/** Rounds that are looked up one by one, at most. */
const MOST_ROUNDS = 200n;

/**
 * Compares all states with the chain's. A contract that differs by one node is asked of all: what most of them say counts,
 * and where as many say one as another, what the logs lead to.
 *
 * @param block of the last event, or a later one
 * @param since from when on the answers of an aggregator without an earlier state were read, Unix seconds
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {Failure} no node answers
 */
export async function priceDifferences(
  nodes: Nodes,
  states: PriceStates,
  block: number,
  since: (aggregator: string) => number,
): Promise<PriceDifference[]> {
  const broken = states.breaks.map(({ address, block, why }): PriceDifference => {
    return { address, what: states.pools.has(address) ? "pool" : "feed", why: `${why}, in block ${block}` };
  });
  const pools = Array.from(states.pools, ([address, { shape, state }]): Compared => {
    const replayed = state.facts;
    const read = async (node?: number) =>
      differenceOf(replayed, await POOL_KINDS[shape.kind].read(viewsOf(nodes, address, block, node), shape, replayed));
    return { address, what: "pool", read };
  });
  const feeds = Array.from(states.rounds, ([address, rounds]): Compared => {
    const read = (node?: number) => roundsDifference(nodes, address, rounds, block, since(address), node);
    return { address, what: "feed", read };
  });
  const compared = [...pools, ...feeds].map(async ({ address, what, read }): Promise<PriceDifference[]> => {
    const first = await read();
    const why = first === undefined ? undefined : await agreedDifference(nodes, { address, what, read }, block, first);
    return why === undefined ? [] : [{ address, what, why }];
  });
  return [...broken, ...(await Promise.all(compared)).flat()];
}

/** A contract that is compared by any node, or by one. */
interface Compared extends Pick<PriceDifference, "address" | "what"> {
  read(node?: number): Promise<string | undefined>;
}

/** What differs by most nodes; what differed first where nothing decides. */
async function agreedDifference(
  nodes: Nodes,
  { address, what, read }: Compared,
  block: number,
  first: string,
): Promise<string | undefined> {
  const asExpected = "what its logs lead to";
  const opinions =
    nodes.active.length > 1
      ? await askEach(nodes, {
          read: async (node) => [(await read(node)) ?? asExpected],
          expected: { values: [asExpected], by: "its logs" },
          nameOf: () => `the state of the ${what} ${address} at block ${block}`,
        })
      : undefined;
  if (!opinions) return first;
  const [right] = opinions.right as string[];
  return right === asExpected ? undefined : right;
}

/** The first fact that differs, of those that the chain tells. */
function differenceOf(replayed: Facts, chain: Facts): string | undefined {
  const name = Object.keys(chain).find((name) => (replayed[name] ?? 0n) !== chain[name]);
  return name && `${name} is ${replayed[name] ?? 0n} by its logs, but ${chain[name]} on the chain`;
}

async function roundsDifference(
  nodes: Nodes,
  address: string,
  rounds: Rounds,
  block: number,
  since: number,
  node?: number,
): Promise<string | undefined> {
  const view = viewsOf(nodes, address, block, node);
  const [[round], [answer], [updated]] = (await Promise.all([
    view("latestRound()"),
    view("latestAnswer()"),
    view("latestTimestamp()"),
  ])) as [bigint[], bigint[], bigint[]];
  const { facts } = rounds;
  const hasAnswered = facts.round !== 0n;
  if (round === undefined || answer === undefined || updated === undefined) {
    return hasAnswered ? "it does not answer latestRound, latestAnswer and latestTimestamp" : undefined;
  }
  if (!hasAnswered) {
    return updated < since ? undefined : `it has no answers by its logs, but on the chain its last round is ${round}`;
  }
  const chain = { round, answer: BigInt.asIntN(256, answer), updated };
  const difference = differenceOf(facts, chain);
  if (difference !== undefined) return difference;
  for (const [first, last] of rounds.gaps) {
    if (last - first >= MOST_ROUNDS) return `its rounds ${first} to ${last} are missing`;
    for (let missing = first; missing <= last; missing++) {
      if ((await answeredAt(view, missing)) !== undefined) return `its round ${missing} is missing`;
    }
  }
  const { first } = rounds;
  if (first === undefined || first <= 1n) return undefined;
  const time = await answeredAt(view, first - 1n);
  // One that can't tell, because its contract has no such view, is not known to be missing.
  return time !== undefined && time >= since && time !== UNKNOWN ? `its round ${first - 1n} is missing` : undefined;
}

const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * When a round was answered, Unix seconds; `UNKNOWN` where the contract does not tell; undefined if it never was: then it has no event. A round that timed out has
 * the answer of an earlier one.
 */
async function answeredAt(view: View, round: bigint): Promise<number | undefined> {
  const [, , , updated, answeredIn] = await view("getRoundData(uint80)", round);
  if (updated !== undefined && answeredIn !== undefined) {
    return updated > 0n && answeredIn === round ? Number(updated) : undefined;
  }
  const [time] = await view("getTimestamp(uint256)", round);
  if (time === undefined) return UNKNOWN;
  return time > 0n ? Number(time) : undefined;
}
