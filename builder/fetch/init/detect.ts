/**
 * Tells how a contract records its transfers, and what it gave out without an event. Where a node keeps the states of the
 * time, each way is replayed over the first logs and compared with the contract's own balances; where none does, over the
 * last blocks whose states nodes keep. `soprano fetch` proves the choice over the whole history.
 */

import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { EVENT_KINDS, type EventKind, type Source } from "../../input/asset/source.ts";
import { Failure } from "../../lib/failure.ts";
import { count } from "../../lib/terminal/amount-text.ts";
import { BadPage, type BlockRange, type RawLog } from "../chain/logs/pages.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { ifKept } from "../chain/scan/creation.ts";
import type { StateBlock } from "../chain/scan/state-block.ts";
import { mostBlocked } from "../check/blocked.ts";
import { EVENT_SHAPES } from "../transfers/event-shapes.ts";
import { withoutTwins } from "../transfers/twins.ts";
import type { Contract } from "./contract.ts";
import { creatorsAt } from "./creators.ts";
import { type EarlyLogs, readEarlyLogs, readFirstOf, readLogs } from "./early-logs.ts";
import { hasOwnMints, OFTEN_BESIDE, type OwnEvents, ownEvents, topicsOf } from "./own-events.ts";
import { findOwners } from "./owners.ts";
import { type Replayed, replay } from "./replay-logs.ts";
import type { TokenContract } from "./token-contract.ts";

/** Raw units of an address, before the first log. */
export interface OpeningBalance {
  address: string;
  value: bigint;
}

export interface Detected {
  events: EventKind;
  owners?: NonNullable<Source["owners"]>;
  /** Empty if every token came with an event. */
  opening: OpeningBalance[];
  /** Sentences for the user. */
  notices: string[];
}

/** Addresses whose balances are compared, at most. */
const COMPARED = 50;

/** Blocks over which changes of balances are compared where old states are gone: nodes keep about 128 of them. */
const RECENT_BLOCKS = 16;

/** What a kind of contract makes of the logs. */
interface Candidate {
  events: EventKind;
  owners: NonNullable<Source["owners"]>;
}

/** Events in the code by which it counts as naming a kind's. */
const NAMED_BY_CODE = 2;

/** Whether balances follow from logs: yes, not, or there was nothing to compare. */
type Verdict = {
  isRight: boolean | undefined;
  opening: OpeningBalance[];
  problem?: string;
  /** Addresses for which balanceOf fails. */
  blocked?: string[];
};

/** What was found of a kind. */
interface Judged {
  candidate: Candidate;
  /** Over the first logs. */
  replayed: Replayed;
  own: OwnEvents;
  verdict: Verdict;
}

/**
 * @param at a block whose state nodes have
 * @param given opening balances that the user knows
 * @throws {Failure} the contract records its transfers in a way that Soprano does not read, or its balances do not follow
 *   from any of its events
 */
export async function detectEvents(
  nodes: Nodes,
  token: TokenContract,
  { firstBlock, at, given }: { firstBlock: number; at: StateBlock; given?: readonly OpeningBalance[] | undefined },
): Promise<Detected> {
  const { contract } = token;
  const last = Math.min(at.number, at.final);
  const early = await readEarlyLogs(nodes, contract.address, { from: firstBlock, to: last });
  const recent: EarlyLogs = { from: Math.max(firstBlock, at.number - RECENT_BLOCKS + 1), to: at.number, logs: [] };
  recent.logs = (await readLogs(nodes, contract.address, recent)) ?? [];
  /** Logs from the first on, where they are kept. */
  const logs = early?.logs ?? recent.logs;
  const notices: string[] = [];
  if (!early) notices.push("The nodes do not keep the contract's first logs: soprano fetch needs one that does.");

  const named = await firstNamed(nodes, token, logs, { from: (early?.to ?? last) + 1, to: last });
  const seen = inOrder([...logs, ...named, ...recent.logs]);
  const kinds = EVENT_KINDS.filter((events) => events === "erc20" || isPlausible(events, token.code, seen));
  const judged: Judged[] = [];
  for (const events of kinds) {
    const owners = events === "issue-redeem" ? await findOwners(nodes, contract, firstBlock, at) : undefined;
    if (owners?.length === 0) continue;
    const candidate: Candidate = { events, owners: owners ?? [] };
    try {
      const replayed = replay(logs, contract.address, events, candidate.owners);
      const own = ownEvents(seen, contract.address, events, candidate.owners);
      judged.push({ candidate, replayed, own, verdict: await judge(nodes, contract, candidate, early, recent, given) });
    } catch (error) {
      // The logs are of this kind's events, but not of their form.
      if (!(error instanceof BadPage) && (events === "erc20" || !(error instanceof Failure))) throw error;
    }
  }
  const thatAre = (isRight: boolean | undefined) => judged.filter(({ verdict }) => verdict.isRight === isRight);
  const chosen = likeliest(thatAre(true)) ?? likeliest(thatAre(undefined)) ?? judged[0];
  if (!chosen) throw new Failure(`${contract.address} has logs that can't be those of a token. Check the address.`);
  const { candidate, verdict, replayed } = chosen;
  if (verdict.isRight === false) {
    const [first, newest] = [onceEach(early), onceEach(recent)];
    const hasTwins = (first ?? newest).logs.length < logs.length;
    const isTwice = hasTwins && (await judge(nodes, contract, candidate, first, newest, given)).isRight !== false;
    throw new Failure(`${contract.address} can't be added up: ${isTwice ? TWICE : verdict.problem}`);
  }
  const { blocked = [] } = verdict;
  if (blocked.length > 0) {
    notices.push(
      `balanceOf fails for ${blocked.sort().join(", ")}: blocked, most likely. All others that init looked at are right.`,
    );
  }
  if (logs.length === 0) notices.push("The contract has not recorded any transfer where init has looked.");
  const opening = given
    ? [...given]
    : verdict.isRight
      ? verdict.opening
      : await guessOpening(nodes, token, candidate, replayed, firstBlock, notices);
  return {
    events: candidate.events,
    ...(candidate.events === "issue-redeem" && { owners: candidate.owners }),
    opening,
    notices,
  };
}

/** Whether a contract has recorded an event that a kind adds to Transfer, or its code names some of them. */
function isPlausible(events: EventKind, code: string, logs: EarlyLogs["logs"]): boolean {
  const own = topicsOf(events);
  const named = own.filter((topic0) => code.toLowerCase().includes(topic0.slice(2)));
  const needed = Math.min(own.length, NAMED_BY_CODE);
  return named.length >= needed || logs.some(({ topics }) => own.includes(topics[0]!.toLowerCase()));
}

/**
 * Logs of the events whose names say nothing, where the code has them and the first logs do not: they may come late, as a
 * token's first burn does.
 */
async function firstNamed(nodes: Nodes, { contract, code }: TokenContract, logs: readonly RawLog[], range: BlockRange) {
  const present = new Set(logs.map(({ topics }) => topics[0]!.toLowerCase()));
  const found: RawLog[] = [];
  for (const topic0 of new Set([...OFTEN_BESIDE].flatMap(topicsOf))) {
    if (present.has(topic0) || !code.toLowerCase().includes(topic0.slice(2))) continue;
    found.push(...(await readFirstOf(nodes, contract.address, topic0, range)));
  }
  return found;
}

/** Each log once, in the order of the chain. */
function inOrder(logs: readonly RawLog[]): RawLog[] {
  const placeOf = ({ blockNumber, logIndex }: RawLog) => [Number(blockNumber), Number(logIndex)] as const;
  const each = new Map(logs.map((log) => [placeOf(log).join(), { log, place: placeOf(log) }]));
  return [...each.values()].sort(({ place: a }, { place: b }) => a[0] - b[0] || a[1] - b[1]).map(({ log }) => log);
}

/**
 * Picks a kind where balances do not decide, as while nobody has minted: one whose events come without a Transfer.
 * A contract that mints by Transfer needs no other events for it; one that has such events needs them sooner or later.
 */
function likeliest(judged: readonly Judged[]): Judged | undefined {
  const plain = judged.find(({ candidate }) => candidate.events === "erc20");
  const others = judged.filter(
    ({ candidate: { events }, own }) =>
      events !== "erc20" &&
      own.beside.size === 0 &&
      (own.alone.size > 0 || !OFTEN_BESIDE.has(events)) &&
      !(plain?.replayed.hasMint && hasOwnMints(events)),
  );
  const [best] = others.sort(
    (a, b) =>
      b.own.alone.size - a.own.alone.size ||
      EVENT_SHAPES[a.candidate.events].length - EVENT_SHAPES[b.candidate.events].length,
  );
  return best ?? plain ?? judged[0];
}

/** Logs without the second of each two that say the same. */
function onceEach<T extends EarlyLogs | undefined>(range: T): T {
  const keyOf = ({ blockNumber, topics, data }: RawLog) => {
    const words = [...topics.slice(1), data].map((hex) => hex.slice(2)).join("");
    return `${Number(blockNumber)} ${topics[0]} ${words}`.toLowerCase();
  };
  return range && { ...range, logs: withoutTwins(range.logs, keyOf) };
}

const TWICE =
  "it fires two Transfer events for each movement, so its logs say twice what moves. Soprano can't read it.";

async function judge(
  nodes: Nodes,
  contract: Contract,
  candidate: Candidate,
  early: EarlyLogs | undefined,
  recent: EarlyLogs,
  given: readonly OpeningBalance[] | undefined,
): Promise<Verdict> {
  const atStart = early && (await ifKept(() => judgeEarly(nodes, contract, candidate, early, given)));
  return (
    atStart ?? (await ifKept(() => judgeRecent(contract, candidate, recent))) ?? { isRight: undefined, opening: [] }
  );
}

/** Compares balances after the first logs with opening balances and logs. */
async function judgeEarly(
  nodes: Nodes,
  contract: Contract,
  { events, owners }: Candidate,
  { from, to, logs }: EarlyLogs,
  given: readonly OpeningBalance[] | undefined,
): Promise<Verdict> {
  const first = replay(
    logs.filter(({ blockNumber }) => Number(blockNumber) === from),
    contract.address,
    events,
    owners,
  );
  const all = replay(logs, contract.address, events, owners);
  const addresses = [...all.changes.keys()].slice(0, COMPARED);
  const opening: OpeningBalance[] = [...(given ?? [])];
  const supply = (await contract.number("totalSupply()", from)) ?? 0n;
  let missing = supply - first.supply - opening.reduce((sum, { value }) => sum + value, 0n);
  if (given && missing !== 0n) {
    const problem =
      `at block ${from} its supply is ${supply}; its events and the balances of --opening come to ${supply - missing}. ` +
      "Correct the file: it has every balance, in raw units, that no event explains.";
    return { isRight: false, opening, problem };
  }
  if (events !== "weth9" && missing > 0n) {
    const candidates = new Set([...owners.slice(0, 1).map(({ address }) => address)]);
    for (const address of await creatorsAt(nodes, contract.address, from)) candidates.add(address);
    for (const address of [...all.overdrawn, ...addresses, contract.address]) candidates.add(address);
    for (const address of candidates) {
      const value = ((await contract.balance(address, from)) ?? 0n) - (first.changes.get(address) ?? 0n);
      if (value <= 0n) continue;
      opening.push({ address, value });
      missing -= value;
      if (missing <= 0n) break;
    }
    if (missing !== 0n) {
      const problem =
        `at block ${from} its supply is ${supply}, of which ${missing} raw units came without an event and are with none of the ` +
        `${count(candidates.size)} addresses that init looked at. Find their holders with a block explorer, and give them as --opening FILE, a CSV with the columns address and value (raw units).`;
      return { isRight: false, opening: [], problem };
    }
  }
  const started = new Map(opening.map(({ address, value }) => [address, value]));
  const expected = new Map(
    [...new Set([...addresses, ...started.keys()])].map((address) => [
      address,
      (started.get(address) ?? 0n) + (all.changes.get(address) ?? 0n),
    ]),
  );
  if (expected.size === 0) return { isRight: undefined, opening };
  return { ...(await compare(contract, expected, undefined, { from, to })), opening };
}

/** Compares changes of balances over the last final blocks with their logs. */
async function judgeRecent(contract: Contract, { events, owners }: Candidate, recent: EarlyLogs): Promise<Verdict> {
  const { changes } = replay(recent.logs, contract.address, events, owners);
  const some = new Map([...changes].slice(0, COMPARED));
  if (some.size === 0) return { isRight: undefined, opening: [] };
  const verdict = await compare(contract, some, recent.from - 1, recent);
  // Right over some blocks, which says nothing about the start.
  return { ...verdict, isRight: verdict.isRight && undefined, opening: [] };
}

/**
 * Compares balances at the end of a range with those expected.
 *
 * @param expected balances, or their changes since the block `since`
 */
async function compare(
  contract: Contract,
  expected: ReadonlyMap<string, bigint>,
  since: number | undefined,
  { from, to }: { from: number; to: number },
): Promise<Omit<Verdict, "opening">> {
  const differences = await Promise.all(
    [...expected].map(async ([address, value]) => {
      const before = since === undefined ? 0n : ((await contract.balance(address, since)) ?? 0n);
      const after = await contract.balance(address, to);
      return { address, value, actual: after === undefined ? undefined : after - before };
    }),
  );
  const others = differences.filter(({ address }) => address !== ZERO_ADDRESS);
  const blocked = others.filter(({ actual }) => actual === undefined).map(({ address }) => address);
  const isLeftOut = blocked.length < others.length && blocked.length <= mostBlocked(others.length);
  const wrong = others.filter(({ value, actual }) => value !== actual && !(isLeftOut && actual === undefined));
  const [first] = wrong;
  if (!first) return { isRight: true, blocked };
  const what = since === undefined ? "balance" : "change of balance";
  const problem =
    `by the events of blocks ${from} to ${to}, the ${what} of ${first.address} is ${first.value}, but balanceOf ${first.actual === undefined ? "fails" : `says ${first.actual}`}` +
    `${wrong.length > 1 ? `; ${wrong.length} of ${expected.size} addresses differ` : ""}. ` +
    "So it is a rebasing token, one that takes a fee on transfers, or one that moves tokens without an event. Soprano can't read it.";
  return { isRight: false, problem };
}

/** What the logs say about tokens without an event where old states are gone. */
async function guessOpening(
  nodes: Nodes,
  { contract, totalSupply }: TokenContract,
  { events }: Candidate,
  { overdrawn, hasMint }: Replayed,
  firstBlock: number,
  notices: string[],
): Promise<OpeningBalance[]> {
  if (events === "weth9" || overdrawn.size === 0) return [];
  const [address] = overdrawn;
  const creators = await creatorsAt(nodes, contract.address, firstBlock);
  if (overdrawn.size === 1 && !hasMint && creators.includes(address!)) {
    notices.push(
      `${address} created the contract and sends tokens that no event gave it: it is taken to have had all of them from the start. ` +
        "soprano fetch proves it, or says what differs.",
    );
    return [{ address: address!, value: totalSupply }];
  }
  notices.push(
    `${[...overdrawn].slice(0, 3).join(", ")}${overdrawn.size > 3 ? ` and ${overdrawn.size - 3} more` : ""} sent tokens that no event gave them: ` +
      "the contract gave some out without an event. A node that keeps old states (an archive node) finds out how many; or give them as --opening FILE, a CSV with the columns address and value (raw units).",
  );
  return [];
}
