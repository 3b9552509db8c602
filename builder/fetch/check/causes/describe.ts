/** What the check says of what it found. Pure: the same findings give the same sentences. */

import { ZERO_ADDRESS } from "../../../../data-schema/asset.ts";
import { count, counted } from "../../../lib/terminal/amount-text.ts";
import type { MissingTransfers } from "../ledgers/ledger.ts";
import type { DifferenceCause } from "./cause.ts";
import type { BalanceDifference } from "./first-difference.ts";
import type { WrongRange } from "./other-logs.ts";
import type { Supply } from "./supply.ts";

/** Addresses that a failed check names. */
const NAMED = 10;

export interface Findings {
  block: number;
  /** The blocks before this one are in older files. */
  newFrom?: number | undefined;
  /** Addresses compared. */
  compared: number;
  /** Host and port of each node. */
  hosts: readonly string[];
  differences: readonly BalanceDifference[];
  overdraft: MissingTransfers | undefined;
  supply: Supply;
  /** Undefined if nothing differs. */
  cause: DifferenceCause | undefined;
  /** What nodes say against each other, a sentence: no other cause is known then. */
  contradiction?: string | undefined;
}

/** Sentences for the user, the most important first; none if all is equal. */
export function problemsOf(findings: Findings): string[] {
  const { block, compared, differences, overdraft, supply, cause, contradiction } = findings;
  if (!cause) return [];
  const named = [...differences].sort((a, b) => (a.address < b.address ? -1 : 1)).slice(0, NAMED);
  const more = differences.length - named.length;
  return [
    cause.kind === "omitted" ? causeText(cause, findings) : (contradiction ?? causeText(cause, findings)),
    ...(differences.length > 0
      ? [
          `${counted(differences.length, "balance")} of ${count(compared)} compared at block ${block} ` +
            `${differences.length === 1 ? "differs" : "differ"}:`,
        ]
      : []),
    ...named.map(({ address, replayed, chain }) =>
      chain === undefined
        ? `${address}: ${signed(replayed)} by its transfers, but balanceOf fails on the chain.`
        : `${address}: ${signed(replayed)} by its transfers, ${chain} on the chain.`,
    ),
    ...(more > 0 ? [`… and ${count(more)} more ${more === 1 ? "address" : "addresses"}.`] : []),
    ...(overdraft ? [overdraftText(overdraft)] : []),
    ...(supply.problem ? [supply.problem] : []),
  ];
}

/** A balance as a signed number: modulo 2^256, it is below 0 if transfers to its address are missing. */
const signed = (balance: bigint): bigint => BigInt.asIntN(256, balance);

function overdraftText({ address, block, logIndex, balance, value }: MissingTransfers): string {
  return (
    `In block ${block}, log ${logIndex}, ${address} sends ${value} but has only ${balance} by its transfers: ` +
    "transfers to it are missing before."
  );
}

function causeText(cause: DifferenceCause, { hosts, newFrom = 0 }: Findings): string {
  switch (cause.kind) {
    case "omitted":
      return cause.ranges.slice(0, NAMED).map(rangeText).join(" ");
    case "reading":
      return (
        `With "events": "${cause.events}" in "source" of ASSET.json, the balances are the chain's. Correct that, remove the ` +
        "asset's folder in inputs, and with --store that of the bucket, and run soprano fetch again."
      );
    case "twins":
      return (
        "The contract fires two Transfer events for each movement, so its logs say twice what moves: Soprano can't measure " +
        "it."
      );
    case "missing":
      return (
        `In block ${cause.block}, ${cause.value} moved from ${cause.from} to ${cause.to}, but the logs of ` +
        `${hosts.join(", ")} don't say so: a log was left out. Add an --rpc URL of another provider and run soprano ` +
        `fetch again${cause.block < newFrom ? " with --repair" : ""}: it is then found and added.`
      );
    case "rebasing":
      return (
        `${whose(cause.address)} changed in block ${cause.block} without a transfer that says so: balances ` +
        "change without transfers in a rebasing token, which Soprano can't measure." +
        doubt(hosts)
      );
    case "fee":
      return (
        `The balance of ${cause.address} changed by ${cause.moved} in block ${cause.block}, but its transfers say ` +
        `${cause.logged}: receivers get less than the event says in a fee-on-transfer token, which Soprano can't measure.` +
        doubt(hosts)
      );
    case "opening":
      return (
        `${whose(cause.address)} differs from block ${cause.block} on, the first one: if the contract is older, ` +
        'correct "firstBlock" in ASSET.json; tokens from before its first event, such as a constructor makes, belong in ' +
        'the file that "openingBalances" names.'
      );
    case "unreadable":
      return (
        `balanceOf fails for ${cause.address} on the chain, so its balance can't be checked. Add an --rpc URL of another ` +
        "provider, in case the node is wrong; Soprano can't measure a contract that does this for many holders."
      );
    case "no supply":
      return (
        "All balances that were compared are right, but without the supply the check can't tell whether others are " +
        "missing. Add an --rpc URL of another provider, in case the node is wrong; Soprano can't measure a contract " +
        "without totalSupply."
      );
    case "unknown":
      return hosts.length > 1
        ? `The balances differ from the chain's, and all nodes (${hosts.join(", ")}) give the same logs. Either all of ` +
            "them lack some, so add an --rpc URL of another provider; or the token's balances don't follow from its " +
            "transfers, as with rebasing and fee-on-transfer tokens, which Soprano can't measure." +
            FIRST_BLOCK
        : `The balances differ from the chain's: ${hosts[0]} has left out logs, or the token's balances don't follow ` +
            "from its transfers, as with rebasing and fee-on-transfer tokens, which Soprano can't measure. Add an --rpc " +
            "URL of another provider and run soprano fetch again: logs that were left out are then found and added." +
            FIRST_BLOCK;
  }
}

const FIRST_BLOCK = ' Or the contract is older than "firstBlock" in ASSET.json: then correct that.';

/** Nobody else can be asked whether there is another log. */
const doubt = (hosts: readonly string[]) =>
  hosts.length === 1 ? ` Or ${hosts[0]} has left one out: add an --rpc URL of another provider to find out.` : "";

const whose = (address: string) => (address === ZERO_ADDRESS ? "The supply" : `The balance of ${address}`);

/** `Blocks 5 to 9: HOST left out 1 transfer.` */
export function rangeText({ from, to, missing, extra, wrongHosts }: WrongRange): string {
  const where = from === to ? `Block ${from}` : `Blocks ${from} to ${to}`;
  const hosts = wrongHosts.length > 0 ? wrongHosts.join(", ") : "the node that was asked first";
  const what = [
    ...(missing > 0 ? [`left out ${counted(missing, "transfer")}`] : []),
    ...(extra > 0 ? [`sent ${counted(extra, "transfer")} that the chain does not have`] : []),
  ];
  return `${where}: ${hosts} ${what.join(" and ")}.`;
}
