/** Blocks in which another node has other logs, with which balances equal the chain's. */

import { ZERO_ADDRESS } from "../../../../data-schema/asset.ts";
import { Failure } from "../../../lib/failure.ts";
import type { BlockRange, LogFilter } from "../../chain/logs/pages.ts";
import { transferFilter } from "../../transfers/decode-logs.ts";
import type { BalanceDifference } from "./first-difference.ts";
import { netOf, readTransferLogs, rowsOf, type Subject, type Transfer } from "./subject.ts";

/** Blocks whose logs another node has. */
export interface WrongRange extends BlockRange {
  /** Transfers that were missing, and that no longer exist. */
  missing: number;
  extra: number;
  /** Nodes whose answers are wrong there. */
  wrongHosts: string[];
  /** Indexes in `nodes.hosts` of those whose logs together are right: with them, balances equal the chain's. */
  nodes: number[];
}

interface NodeAnswer {
  node: number;
  host: string;
  transfers: Transfer[];
}

/** What each node says, those left out that can't say anything. */
export async function answersByNode(
  subject: Subject,
  ranges: readonly BlockRange[],
  parties: ReadonlySet<string>,
  filters: readonly LogFilter[] = [transferFilter(subject.source)],
): Promise<NodeAnswer[]> {
  const answers: NodeAnswer[] = [];
  for (const [node, host] of subject.nodes.hosts.entries()) {
    try {
      const transfers = new Map<string, Transfer>();
      for (const filter of filters) {
        for (const columns of await readTransferLogs(subject, ranges, { of: [node], filter })) {
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
export const keysOf = (transfers: readonly Transfer[]) => transfers.map(keyOf).sort().join("\n");

/** What we and nodes have together: right if each has left out other logs. */
export function together(own: readonly Transfer[], answers: readonly NodeAnswer[]): Transfer[] {
  const all = [own, ...answers.map(({ transfers }) => transfers)].flat();
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}

/** Where another node has other logs of the suspects, with which a balance equals the chain's. */
export async function otherLogs(
  subject: Subject,
  suspects: readonly BalanceDifference[],
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
  const answers = await answersByNode(subject, [range], parties, filters);
  // What all have together goes first, since logs are left out, but hardly ever made up.
  for (const candidate of [together(own, answers), ...answers.map(({ transfers }) => transfers)]) {
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
async function hasTopicsOf(subject: Subject, suspects: readonly BalanceDifference[], own: readonly Transfer[]) {
  if (subject.source.events === "issue-redeem") return false;
  const known = own.find(({ from, to }) => suspects.some(({ address }) => address === from || address === to));
  if (!known) return true;
  const parties = new Set([known.from, known.to]);
  const answers = await answersByNode(
    subject,
    [{ from: known.block, to: known.block }],
    parties,
    topicFilters(subject, parties),
  );
  return answers.some(({ transfers }) => transfers.length > 0);
}

/** Logs whose first or second indexed parameter is one of the addresses. */
export function topicFilters({ source }: Subject, parties: ReadonlySet<string>): LogFilter[] {
  const { address, topics } = transferFilter(source);
  const words = Array.from(parties, (party) => `0x${"0".repeat(24)}${party.slice(2)}`);
  return [
    { address, topics: [topics[0]!, words] },
    { address, topics: [topics[0]!, null, words] },
  ];
}

/** The blocks in which the right transfers differ from ours, as ranges; who has them, and who else is wrong there. */
export function rangesOf(
  own: readonly Transfer[],
  right: readonly Transfer[],
  answers: readonly NodeAnswer[],
): WrongRange[] {
  const [ours, theirs] = [byBlock(own), byBlock(right)];
  const all = answers.map(({ node, host, transfers }) => ({ node, host, blocks: byBlock(transfers) }));
  const blocks = [...new Set([...ours.keys(), ...theirs.keys()])].sort((a, b) => a - b);
  return blocks.flatMap((block): WrongRange[] => {
    const [before, after] = [ours.get(block) ?? NOTHING, theirs.get(block) ?? NOTHING];
    const keysBy = ({ blocks }: (typeof all)[number]) => blocks.get(block) ?? NOTHING;
    const nodes = partsOf(after, all.map(keysBy)).map((index) => all[index]!.node);
    if (isSame(before, after) || nodes.length === 0) return [];
    return [
      {
        from: block,
        to: block,
        nodes,
        missing: lackingIn(before, after),
        extra: lackingIn(after, before),
        wrongHosts: all.filter((answer) => !isSame(keysBy(answer), after)).map(({ host }) => host),
      },
    ];
  });
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Which of some sets together are exactly a whole: one of them if possible, or several that each add something.
 *
 * @returns their indexes; none if they are not it, whichever are taken
 */
function partsOf(whole: ReadonlySet<string>, sets: readonly ReadonlySet<string>[]): number[] {
  const alone = sets.findIndex((set) => isSame(set, whole));
  if (alone >= 0) return [alone];
  const joined = new Set<string>();
  const parts: number[] = [];
  for (const [index, set] of sets.entries()) {
    if (lackingIn(whole, set) > 0 || lackingIn(joined, set) === 0) continue;
    for (const key of set) joined.add(key);
    parts.push(index);
  }
  return isSame(joined, whole) ? parts : [];
}

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
