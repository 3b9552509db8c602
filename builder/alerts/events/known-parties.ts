/** What is known of the addresses that a message names. */

import { USER } from "../../engine/classification.ts";
import { LIST_MEMBER, labelsOf, labelText, listColumns } from "../../input/labels/address-labels.ts";
import { readOwnCohort } from "../../input/labels/own-cohorts.ts";
import type { Survey } from "../../input/survey.ts";

export interface KnownParty {
  /** `0x…`, in lower case. */
  address: string;
  /** An exchange, `deposit address of` one, or `contract`; null without a label. */
  label: string | null;
  /** The own cohorts that list it. */
  cohorts: string[];
}

/** By their addresses. Lists are read one after the other, since each may be long. */
export async function knownParties(
  { labels, lists }: Pick<Survey, "labels" | "lists">,
  addresses: Iterable<string>,
): Promise<Map<string, KnownParty>> {
  const parties = [...new Set(addresses)].map((address): KnownParty => ({ address, label: null, cohorts: [] }));
  const bytes = Buffer.concat(parties.map(({ address }) => Buffer.from(address.slice(2), "hex")));
  const groups = labelsOf(labels)(bytes);
  for (const [id, party] of parties.entries()) if (groups[id] !== USER) party.label = labelText(groups[id]!);
  for (const { cohort, file } of parties.length > 0 ? lists : []) {
    const { address } = await readOwnCohort(cohort, file);
    const members = labelsOf(listColumns(address))(bytes);
    for (const [id, party] of parties.entries()) if (members[id] === LIST_MEMBER) party.cohorts.push(cohort);
  }
  return new Map(parties.map((party) => [party.address, party]));
}
