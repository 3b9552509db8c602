/** Whom a rule means, among the addresses of events. Pure. */

import { EXCHANGE_SELECTORS } from "../../../data-schema/registry.ts";
import { CONTRACT, DEPOSIT_ADDRESS, FIRST_EXCHANGE, USER } from "../../engine/classification.ts";
import type { Groups } from "../../engine/history.ts";
import { type LabelColumns, LIST_MEMBER, labelsOf, listColumns } from "../../input/labels/address-labels.ts";
import type { Party } from "../event-rules.ts";

/** The addresses of some events, by their numbers there; 0 is the zero address. */
export interface Addressed {
  /** 20 bytes each. */
  addresses: Uint8Array;
  /** The label of each, with the mark of deposit addresses. */
  labels: Groups;
}

/** Whether the address of a number is meant. */
type Test = (id: number) => boolean;

/** Whom each name means, by the label; exchanges are meant by their own names. */
const BY_LABEL: Readonly<Record<string, (label: number) => boolean>> = {
  users: (label) => label === USER,
  sc: (label) => label === CONTRACT,
  cex: (label) => label >= FIRST_EXCHANGE,
  ...Object.fromEntries(
    EXCHANGE_SELECTORS.slice(1).map((name, index) => [name, (label: number) => label === FIRST_EXCHANGE + index]),
  ),
};

/**
 * Who a party is, of any events.
 *
 * @param lists the addresses of own cohorts, by name
 */
export function partyOf(
  party: Party | undefined,
  lists: ReadonlyMap<string, LabelColumns>,
): (events: Addressed) => Test {
  if (party === undefined) return () => () => true;
  if (party === "mint" || party === "burn") return () => (id) => id === 0;
  const byLabel = BY_LABEL[party];
  if (byLabel)
    return ({ labels }) =>
      (id) =>
        id !== 0 && byLabel(labels[id]! & ~DEPOSIT_ADDRESS);
  const listed = labelsOf(lists.get(party) ?? listColumns(Buffer.from(party.slice(2), "hex")));
  return ({ addresses }) => {
    const members = listed(addresses);
    return (id) => members[id] === LIST_MEMBER;
  };
}
