/** Rules of transfers and holders of an asset → when they fire on days that are published. */

import { tmpdir } from "node:os";
import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { BUCKET_SECONDS, isOwnCohort } from "../../../data-schema/registry.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { isoDay } from "../../../data-schema/text.ts";
import { closePrice } from "../../engine/history.ts";
import { type LabelColumns, listColumns } from "../../input/labels/address-labels.ts";
import { readOwnCohort } from "../../input/labels/own-cohorts.ts";
import type { Survey } from "../../input/survey.ts";
import { logName, transactionHashes } from "../../input/transfers/transaction-hashes.ts";
import type { Failure } from "../../lib/failure.ts";
import { temporaryFolder } from "../../lib/files/temporary-folder.ts";
import { count, decimalText } from "../../lib/terminal/amount-text.ts";
import { NotPublished } from "../../published/read/published-series.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { EventRule, HolderRule, TransfersRule } from "../alert-rules.ts";
import { readAssetInputs } from "./asset-inputs.ts";
import { type BalanceChange, Holders } from "./holder-changes.ts";
import { type KnownParty, knownParties } from "./known-parties.ts";
import { type LargeTransfer, LargeTransfers, MOST_A_DAY } from "./large-transfers.ts";
import { type EventInput, readClose, readEvents, surveyEvents } from "./read-events.ts";

/** A transfer, mint or burn for which a rule fires. */
export interface TransferFiring extends Omit<LargeTransfer, "from" | "to"> {
  /** Null of a mint. */
  from: KnownParty | null;
  /** Null of a burn. */
  to: KnownParty | null;
  /** The hash of its transaction; null if no file tells it. */
  hash: string | null;
}

/** A day on which a rule of a holder fires. */
export interface HolderFiring {
  /** Start of the day, Unix seconds. */
  t: number;
  holder: KnownParty;
  /** Whole tokens at its end, and a day before. */
  balance: number;
  before: number;
  /** USD per token at its end; 0 if there was none yet. */
  price: number;
}

export type EventFired =
  | { kind: "transfers"; rule: TransfersRule; firing: TransferFiring }
  | { kind: "holder"; rule: HolderRule; firing: HolderFiring };

/** What a rule has seen of an asset: the last day, and its last block if that is known. */
export interface Seen {
  /** Unix seconds. Days that begin after it are new. */
  last: number;
  block?: number;
}

export interface AssetEvents {
  /** The path of its ASSET.json. */
  path: string;
  store: ObjectStore;
  manifest: Manifest;
  /** Start of the last day that is published. */
  last: number;
  /** The transfers of each published day, neither mints nor burns. */
  transfersByDay(): Promise<ReadonlyMap<number, number>>;
}

export interface EventsFound {
  /** The last block of what is published; undefined if no rule needed to know. */
  block?: number;
  fired: EventFired[];
  /** Why single rules were not evaluated. */
  failures: Map<EventRule, Failure>;
  /** What a rule leaves out. */
  notices: string[];
}

/**
 * Evaluates the days that rules have not seen. Of a rule that is new, nothing but the last block is looked up.
 *
 * @throws {Failure} the inputs are not those of what is published
 */
export async function findEventFirings(
  rules: readonly { rule: EventRule; seen: Seen | undefined }[],
  events: AssetEvents,
): Promise<EventsFound> {
  const fresh = rules.flatMap(({ rule, seen }) => (seen && seen.last < events.last ? [{ rule, seen }] : []));
  const found: EventsFound = { fired: [], failures: new Map(), notices: [] };
  if (fresh.length === 0 && rules.every(({ seen }) => seen)) return found;
  const folder = temporaryFolder(tmpdir(), "soprano-alerts");
  try {
    const close = await readClose(events.path, events.manifest, events.store, folder.path);
    found.block = close.checkpoint.lastEvent.block;
    if (fresh.length > 0) await readAndJudge(fresh, events, { close, folder: folder.path, found });
    return found;
  } finally {
    folder.remove();
  }
}

/** The first day that a rule has not seen. */
const firstDay = ({ last }: Seen) => Math.floor(last / BUCKET_SECONDS.day) * BUCKET_SECONDS.day + BUCKET_SECONDS.day;

async function readAndJudge(
  fresh: readonly { rule: EventRule; seen: Seen }[],
  { path, store, manifest, last, transfersByDay }: AssetEvents,
  { close, folder, found }: { close: Awaited<ReturnType<typeof readClose>>; folder: string; found: EventsFound },
): Promise<void> {
  const { first } = manifest.resolutions.day;
  const from = Math.max(first ?? 0, Math.min(...fresh.map(({ seen }) => firstDay(seen))));
  const blocks = fresh.map(({ seen }) => seen.block ?? -1);
  const after = blocks.includes(-1) ? undefined : Math.min(...blocks);
  const days = { manifest, from, end: last + BUCKET_SECONDS.day };
  const asset = await readAssetInputs(path, store, days, folder);
  const input = await surveyEvents(asset, { store, days, folder });

  const lists = await readLists(fresh, input.survey);
  const transfers: { rule: TransfersRule; large: LargeTransfers }[] = [];
  const holding: { rule: HolderRule; from: number }[] = [];
  for (const { rule, seen } of fresh) {
    const missing = rule.kind === "transfers" && [rule.terms.from, rule.terms.to].find((one) => lacks(one, lists));
    if (missing) found.failures.set(rule, new NotPublished(manifest.symbol, `own cohort ${missing}.`));
    else if (rule.kind === "holder") holding.push({ rule, from: firstDay(seen) });
    else transfers.push({ rule, large: new LargeTransfers(rule.terms, firstDay(seen), asset.decimals, lists) });
  }
  const holders = new Holders(holding.map(({ rule }) => rule.terms.address));
  await readEvents(input, { store, days, after, published: await transfersByDay(), folder }, (share) => {
    for (const { large } of transfers) large.add(share);
    holders.add(share);
  });

  const large = transfers.map(({ rule, large }) => ({ rule, ...large.found() }));
  for (const { rule, crowded } of large) {
    for (const { day, count: all } of crowded) {
      found.notices.push(
        `${rule.name}: ${count(all)} transfers of ${manifest.symbol} on ${isoDay(day)} are as large; the ${MOST_A_DAY} largest fire. Raise "at least".`,
      );
    }
  }
  const balances = holding.length > 0 ? holders.balances(close.rows(), close.words) : new Map<string, bigint>();
  const changed = holding.map(({ rule, from }) => {
    const changes = holders.changes(rule.terms, from, balances.get(rule.terms.address)!);
    return { rule, changes };
  });
  found.fired.push(...(await described(input, after, large, changed)));
}

const lacks = (party: string | undefined, lists: ReadonlyMap<string, LabelColumns>) =>
  isOwnCohort(party) && !lists.has(party);

/** The addresses of the own cohorts that rules name, by the cohorts that the asset has. */
async function readLists(
  rules: readonly { rule: EventRule }[],
  { lists }: Pick<Survey, "lists">,
): Promise<Map<string, LabelColumns>> {
  const named = new Set(
    rules.flatMap(({ rule }) => (rule.kind === "transfers" ? [rule.terms.from, rule.terms.to] : [])),
  );
  const read = new Map<string, LabelColumns>();
  for (const { cohort, file } of lists) {
    if (named.has(cohort)) read.set(cohort, listColumns((await readOwnCohort(cohort, file)).address));
  }
  return read;
}

/** What was found, with all that a message tells. */
async function described(
  { asset, survey }: EventInput,
  after: number | undefined,
  large: readonly { rule: TransfersRule; transfers: LargeTransfer[] }[],
  changed: readonly { rule: HolderRule; changes: BalanceChange[] }[],
): Promise<EventFired[]> {
  const all = large.flatMap(({ transfers }) => transfers);
  const hashes = await transactionHashes(asset.contract, survey, all, after);
  const moved = changed.filter(({ changes }) => changes.length > 0).map(({ rule }) => rule.terms.address);
  const sides = all.flatMap(({ from, to }) => [from, to]).filter((address) => address !== ZERO_ADDRESS);
  const parties = await knownParties(survey, [...sides, ...moved]);
  const tokens = (raw: bigint) => Number(decimalText(raw, asset.decimals));
  return [
    ...large.flatMap(({ rule, transfers }) =>
      transfers.map((transfer): EventFired => {
        const hash = hashes.get(logName(transfer)) ?? null;
        const [from, to] = [parties.get(transfer.from) ?? null, parties.get(transfer.to) ?? null];
        return { kind: "transfers", rule, firing: { ...transfer, from, to, hash } };
      }),
    ),
    ...changed.flatMap(({ rule, changes }) =>
      changes.map(({ t, balance, before }): EventFired => {
        const price = closePrice(survey.prices, t + BUCKET_SECONDS.day);
        const holder = parties.get(rule.terms.address)!;
        return { kind: "holder", rule, firing: { t, holder, balance: tokens(balance), before: tokens(before), price } };
      }),
    ),
  ];
}
