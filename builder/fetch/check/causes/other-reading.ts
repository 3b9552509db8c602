/** Whether balances would be right if the contract's events were read in another way. */

import { ZERO_ADDRESS } from "../../../../data-schema/asset.ts";
import { EVENT_KINDS, type EventKind } from "../../../input/asset/source.ts";
import type { BlockRange } from "../../chain/logs/pages.ts";
import { EVENT_SHAPES } from "../../transfers/event-shapes.ts";
import { openingBlock } from "../../transfers/opening.ts";
import { withoutTwins } from "../../transfers/twins.ts";
import type { BalanceDifference } from "./first-difference.ts";
import { answersByNode, topicFilters } from "./other-logs.ts";
import { netOf, type Subject, type Transfer } from "./subject.ts";

export type OtherReading =
  /** The contract records its transfers as another kind does. */
  | { kind: "reading"; events: EventKind }
  /** It fires each Transfer twice. */
  | { kind: "twins" };

/** Kinds that can be tried, those with the fewest events first. Issue and Redeem name nobody. */
const TRIED = EVENT_KINDS.filter((kind) => kind !== "issue-redeem").sort(
  (a, b) => EVENT_SHAPES[a].length - EVENT_SHAPES[b].length,
);

/** @param ours the transfers of the suspects in the range, as they were read */
export async function otherReading(
  subject: Subject,
  suspects: readonly BalanceDifference[],
  ours: readonly Transfer[],
  range: BlockRange,
): Promise<OtherReading | undefined> {
  const { source } = subject;
  const holders = suspects.filter(({ address }) => address !== ZERO_ADDRESS);
  if (holders.length === 0) return undefined;
  const explains = (transfers: readonly Transfer[]) =>
    holders.every(
      ({ address, replayed, chain }) => chain === replayed - netOf(ours, address) + netOf(transfers, address),
    );
  const parties = new Set(holders.map(({ address }) => address));
  // No event explains these.
  const opening = ours.filter(({ block }) => block <= openingBlock(range.from));
  // Where the same events explain it, logs were missing.
  for (const events of [source.events, ...TRIED.filter((kind) => kind !== source.events)]) {
    const other: Subject = { ...subject, source: { ...source, events } };
    const answers = await answersByNode(other, [range], parties, topicFilters(other, parties));
    if (answers.some(({ transfers }) => explains([...opening, ...transfers]))) {
      return events === source.events ? undefined : { kind: "reading", events };
    }
  }
  const once = withoutTwins(ours, ({ block, from, to, value }) => [block, from, to, value].join());
  return explains(once) ? { kind: "twins" } : undefined;
}
