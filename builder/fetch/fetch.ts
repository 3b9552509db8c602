/** Fetches an asset's inputs from a chain: the steps, in their order. Source: docs/chain.md#fetch. */

import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Block, checkSameChain, finalizedBlock, readBlock } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes.ts";
import type { LogSource } from "../chain/pages.ts";
import { Failure } from "../failure.ts";
import { type AssetFile, readAsset } from "../input/asset.ts";
import { type FetchCheck, type Fetched, type FetchedFile, inputsFolder, readFetched } from "../input/fetched.ts";
import type { Source } from "../input/source.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Progress } from "../terminal/progress.ts";
import { type PlannedFile, planFiles } from "./boundaries.ts";
import { bringInputs, saveInputs } from "./bucket.ts";
import { checkEarly } from "./check/early.ts";
import { checkAndMend } from "./check/mend.ts";
import { commit, finishCommit, recordOnly, stagedFolder } from "./commit.ts";
import { CONTRACTS_NAME, readContracts, updateContracts } from "./contracts.ts";
import type { EventSource } from "./decode.ts";
import { writeDurably } from "./durable.ts";
import { type Estimate, estimate, refuseTooLong } from "./estimate.ts";
import { takeLock } from "./lock.ts";
import { type Opening, openingTransfers, readOpening } from "./opening.ts";
import { DAY_SECONDS, days, firstPeriods, isoDay, isoTime, startOfDay } from "./periods.ts";
import { placeLabels } from "./place-labels.ts";
import { checkLastHashes, damagedFiles } from "./present-files.ts";
import { checkBinancePair } from "./prices/binance.ts";
import { updatePrices } from "./prices/update.ts";
import { checkTerms, termsOf } from "./terms.ts";
import { TransferFiles } from "./transfer-files.ts";

export interface FetchOptions {
  nodes: Nodes;
  logs: LogSource;
  /** The last day to fetch: its midnight, Unix seconds. Default: the last one that is complete and final. */
  until?: number | undefined;
  /** Blocks above a final one; by default, the chain's own finality counts. */
  confirmations?: number | undefined;
  /** Compares balances with the chain before new files are put into place. */
  check: boolean;
  /** Holders to compare, at most. */
  checkLimit: number;
  /** Looks again at what is otherwise kept for good. */
  recheck?: "contracts" | "labels" | undefined;
  /** Fetches files again that have changed or are wrong. */
  repair?: boolean | undefined;
  /** Of each node, if the user says; for the estimate. */
  requestsPerSecond?: number | undefined;
  /** Ends with the estimate. */
  dryRun?: boolean | undefined;
  /** Goes ahead however long it takes. */
  yes?: boolean | undefined;
  /** Where the inputs are kept between fetches. */
  store?: ObjectStore | undefined;
  signal?: AbortSignal | undefined;
  progress: Progress;
}

/** What a fetch did. */
export interface FetchOutcome {
  symbol: string;
  /** `unchanged`: there was nothing new. `planned`: a dry run. */
  status: "fetched" | "unchanged" | "planned";
  /** Everything before is complete: ISO 8601. In a dry run: would be. */
  asOf: string;
  /** The new files, and the transfers in them. */
  files: string[];
  rows: number;
  /** Older files that --repair has fetched again: the next build is a full one if their transfers have changed. */
  repaired?: string[];
  /** Of a dry run that has something to fetch. */
  estimate?: Estimate;
  check?: FetchCheck;
  /** What the user was told beside it. */
  notices: string[];
  /** Addresses that were looked at for the first time, and those of them that are contracts. */
  contracts?: { looked: number; added: number };
  /** New rows of prices.csv. */
  prices?: { rows: number };
}

/** An asset that is being fetched. */
interface Work extends FetchOptions {
  asset: AssetFile;
  source: Source;
  events: EventSource;
  opening: Opening | undefined;
  /** `inputs/<SYMBOL>`. */
  folder: string;
  /** What earlier fetches have left; undefined before the first. */
  fetched: Fetched | undefined;
  /** The check of the last fetch, which may have left nothing else. */
  lastCheck: FetchCheck | undefined;
  note(text: string): void;
}

/** What a run will fetch. */
interface Plan {
  /** Of the whole asset. */
  first: Block;
  /** The last one before `asOf`. */
  last: Block;
  /** Midnight after the last day, Unix seconds. */
  asOf: number;
  /** New files; none if there is nothing new. */
  planned: PlannedFile[];
}

/** Below this, an estimate would take as long as the fetch. */
const ESTIMATED_BLOCKS = 100_000;

/**
 * Reads an ASSET.json that says where its inputs come from.
 *
 * @throws {Failure} as `readAsset`; or it has no source
 */
export async function readAssetToFetch(path: string): Promise<AssetFile & { source: Source }> {
  const asset = await readAsset(path);
  const { source } = asset;
  if (source) return { ...asset, source };
  throw new Failure(
    `${path} has no "source", so there is nothing to fetch. soprano init writes asset files that have one.`,
  );
}

/**
 * Fetches an asset up to the last day that is complete and final. What was fetched is kept however it ends.
 *
 * @param path of ASSET.json
 * @throws {Failure}
 */
export async function fetchAsset(path: string, options: FetchOptions): Promise<FetchOutcome> {
  const asset = await readAssetToFetch(path);
  const { source, symbol, contract } = asset;
  checkChain(asset, source, options.nodes);
  checkPriceSource(source);
  const folder = inputsFolder(path, symbol);
  const { store, dryRun, progress } = options;
  const release = await takeLock(join(folder, ".part"));
  try {
    await finishCommit(folder);
    const inBucket = store && (await bringInputs(store, symbol, folder)).inBucket;
    const recorded = await readFetched(folder);
    const fetched = recorded && recorded.files.length > 0 ? recorded : undefined;
    const opening = await readOpening(asset);
    const events = { contract, events: source.events, ...(source.owners && { owners: source.owners }) };
    const notices: string[] = [];
    const note = (text: string) => {
      progress.note(text);
      notices.push(text);
    };
    const lastCheck = recorded?.check;
    const work = { ...options, asset, source, events, opening, folder, fetched, lastCheck, note };
    const outcome = await fetchNewDays(work);
    if (store && inBucket && !dryRun) await saveInputs(store, symbol, folder, inBucket);
    return { ...outcome, notices };
  } finally {
    progress.end();
    await release();
  }
}

function checkChain({ path }: AssetFile, { chainId }: Source, nodes: Nodes): void {
  if (nodes.chainId === chainId) return;
  throw new Failure(
    `${path}: "chainId" is ${chainId}, but ${nodes.hosts.join(", ")} is a node of chain ${nodes.chainId}. Give a node of ` +
      `chain ${chainId} with --rpc, or correct "chainId".`,
  );
}

/** What could be known only when prices are fetched would cost a whole fetch. */
function checkPriceSource({ prices }: Source): void {
  if (typeof prices === "object" && "binance" in prices) checkBinancePair(prices.binance);
}

async function fetchNewDays(work: Work): Promise<Omit<FetchOutcome, "notices">> {
  const { asset, fetched, progress } = work;
  progress.step("look at what is there");
  const damaged = fetched ? await checkPresent(work, fetched) : [];
  const plan = await planDays(work);
  await checkSameChain(work.nodes, plan.last.number);
  const files = await openFiles(work, plan);
  const outcome = { symbol: asset.symbol, asOf: isoTime(plan.asOf) };

  const expected = await estimateFetch(work, files);
  if (work.dryRun) {
    for (const { file } of damaged) work.note(`${file} would be fetched again.`);
    return { ...outcome, status: "planned", files: [], rows: 0, ...(expected && { estimate: expected }) };
  }

  for (const entry of damaged) await files.replaceFile(entry);
  await lookEarly(work, plan, files);
  await files.readPages();
  await files.assemble();
  const check = await checkBalances(work, plan, files);
  const contracts = await contractsOf(work, plan, files);
  const prices = await pricesOf(work, plan);
  const labels = await labelsOf(work);

  const { entries, replaced } = files;
  const { version } = labels;
  const checked = check ?? stillTrue(work, entries);
  const next: Fetched = {
    schema: 1,
    chainId: work.source.chainId,
    contract: asset.contract,
    terms: termsOf(work.source, work.opening),
    asOf: outcome.asOf,
    files: entries,
    ...(version !== undefined && { labels: version }),
    ...(prices && { prices: prices.done }),
    ...(checked && { check: checked }),
  };
  const isRecorded = JSON.stringify(next) === JSON.stringify(fetched);
  const isUnchanged = isRecorded && contracts?.csv === undefined && replaced.length === 0;
  await labels.commit();
  await prices?.commit();
  if (!isUnchanged) await commit(work.folder, next);
  await files.clear();
  const added = entries.slice(fetched?.files.length ?? 0);
  return {
    ...outcome,
    status: isUnchanged && !prices?.rows ? "unchanged" : "fetched",
    files: added.map(({ file }) => file),
    rows: added.reduce((sum, { rows }) => sum + rows, 0),
    ...(replaced.length > 0 && { repaired: replaced }),
    ...(check && { check }),
    ...(contracts && { contracts: { looked: contracts.looked, added: contracts.added } }),
    ...(prices && { prices: { rows: prices.rows } }),
  };
}

/** What the last check says after a fetch without one: a failure until one passes, but no success of files that it has not seen. */
function stillTrue({ fetched, lastCheck }: Work, entries: readonly FetchedFile[]): FetchCheck | undefined {
  const isOfAll = JSON.stringify(entries) === JSON.stringify(fetched?.files);
  return lastCheck?.status === "failed" || isOfAll ? lastCheck : undefined;
}

/**
 * Compares what earlier fetches have left with fetch.json, ASSET.json and the chain.
 *
 * @returns files to be fetched again, with --repair
 * @throws {Failure} they are of another asset or chain, or have changed
 */
async function checkPresent({ asset, source, opening, folder, nodes, repair, recheck }: Work, fetched: Fetched) {
  checkTerms(asset, source, termsOf(source, opening), folder, fetched);
  const damaged = await damagedFiles(folder, fetched);
  if (damaged.length > 0 && !repair) {
    const { entry, why } = damaged[0]!;
    throw new Failure(
      `${join(folder, entry.file)} ${why}: restore it, or run soprano fetch with --repair, which fetches it again.`,
    );
  }
  // It is needed at the very end: hours later, on a first night after a long pause.
  await readContracts(folder, { isFirst: false, recheck: recheck === "contracts" });
  await checkLastHashes(nodes, folder, fetched);
  return damaged.map(({ entry }) => entry);
}

async function planDays(work: Work): Promise<Plan> {
  const { asset, folder, fetched, nodes, source, confirmations, until } = work;
  const final = await finalizedBlock(nodes, confirmations);
  const asOf = chooseAsOf(final, until);
  const isNotFinal = (day: string) =>
    new Failure(`${asset.path}: its first block, ${source.firstBlock}, ${day}. Run this again a day later.`);
  if (source.firstBlock > final.number) throw isNotFinal("is not final yet");
  const first = await readBlock(nodes, source.firstBlock);
  if (until !== undefined && first.time >= asOf) {
    throw new Failure(
      `${asset.path}: its first block, ${source.firstBlock}, is of ${isoTime(first.time)}, after --until ${isoDay(until)}.`,
    );
  }
  if (first.time >= asOf) throw isNotFinal(`is of ${isoTime(first.time)}, and no day since is complete and final`);
  const complete = fetched ? Date.parse(fetched.asOf) / 1000 : undefined;
  if (fetched && complete !== undefined && asOf <= complete) {
    return { first, last: await readBlock(nodes, fetched.files.at(-1)!.to), asOf: complete, planned: [] };
  }
  const start = fetched ? await readBlock(nodes, fetched.files.at(-1)!.to + 1) : first;
  const periods = complete === undefined ? firstPeriods(first.time, asOf) : days(complete, asOf);
  const identity = `chain ${source.chainId}, from block ${source.firstBlock}`;
  const planned = await planFiles(nodes, periods, { first: start, last: final }, join(folder, ".part"), identity);
  return { first, last: await readBlock(nodes, planned.at(-1)!.to), asOf, planned };
}

/** Midnight after the last day to fetch. */
function chooseAsOf(final: Block, until: number | undefined): number {
  const latest = startOfDay(final.time);
  const wanted = until === undefined ? latest : until + DAY_SECONDS;
  if (wanted <= latest) return wanted;
  throw new Failure(
    `--until ${isoDay(until!)} is not complete and final yet: the last final block, ${final.number}, is of ` +
      `${isoTime(final.time)}. The last day that can be fetched is ${isoDay(latest - DAY_SECONDS)}.`,
  );
}

async function openFiles(work: Work, { first, planned }: Plan): Promise<TransferFiles> {
  const { source, fetched } = work;
  const opening = work.opening && openingTransfers(work.opening, first);
  return TransferFiles.open({ ...work, old: fetched?.files ?? [], planned, first, opening, chainId: source.chainId });
}

/** @throws {Failure} it would take longer than a day */
async function estimateFetch(work: Work, { missing }: TransferFiles): Promise<Estimate | undefined> {
  const blocks = missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  if (blocks === 0 || (blocks < ESTIMATED_BLOCKS && !work.dryRun)) return undefined;
  if (work.yes && !work.dryRun) return undefined;
  work.progress.step("estimate");
  const expected = await estimate(work, missing, work.requestsPerSecond);
  if (!work.yes && !work.dryRun) refuseTooLong(expected, work.asset.symbol);
  return expected;
}

/** The first blocks of an asset: a page of most nodes. */
const EARLY_BLOCKS = 500;

/**
 * Looks at the balances after the first blocks of a first fetch.
 *
 * @throws {Failure} the token's balances don't follow from its transfers, which more of them would not change
 */
async function lookEarly(work: Work, { first, planned }: Plan, files: TransferFiles): Promise<void> {
  const { nodes, events, fetched, confirmations, check } = work;
  const range = { from: first.number, to: first.number + EARLY_BLOCKS - 1 };
  if (fetched || !check || planned.length === 0 || planned.at(-1)!.to <= range.to) return;
  await files.readPages(range.to);
  const transfers = () => files.firstTransfers(range);
  await checkEarly({ nodes, source: events, range, transfers }, confirmations);
}

/**
 * Compares the balances of all files with the chain's.
 *
 * @returns undefined if there is no need to
 * @throws {Failure} they differ; nothing has been put into place, and fetch.json says that the check failed
 */
async function checkBalances(work: Work, plan: Plan, files: TransferFiles): Promise<FetchCheck | undefined> {
  const { asset, source, folder, nodes, events, fetched, confirmations, checkLimit, repair = false, progress } = work;
  const isChecked = plan.planned.length === 0 && fetched?.check?.status === "passed" && !repair;
  if (isChecked) return undefined;
  if (!work.check) {
    work.note("Balances were not compared with the chain: the next fetch without --no-check compares them.");
    return undefined;
  }
  const old = fetched?.files ?? [];
  const { check, notices } = await checkAndMend({
    ...{ nodes, source: events, confirmations, limit: checkLimit, repair, progress, files: old },
    range: { from: plan.first.number, to: plan.last.number },
    newFrom: (old.at(-1)?.to ?? plan.first.number - 1) + 1,
    transfers: () => files.transfers(),
    replacePages: (ranges, node, isExact) => files.replacePages(ranges, node, isExact),
    replaceFile: (file, node) => files.replaceFile(file, node),
  });
  for (const notice of notices) work.note(notice);
  if (check.status === "passed") return check;
  const nothingYet: Fetched = {
    ...{
      schema: 1,
      chainId: source.chainId,
      contract: asset.contract,
      terms: termsOf(source, work.opening),
      files: [],
    },
    asOf: isoTime(startOfDay(plan.first.time)),
  };
  await recordOnly(folder, { ...(fetched ?? nothingYet), check });
  throw new Failure(`${asset.symbol}: ${(check.problems ?? []).join("\n")}`);
}

/** The code of new addresses. The table is staged if it changes. */
async function contractsOf(work: Work, { planned, last, asOf }: Plan, files: TransferFiles) {
  const { nodes, folder, fetched, confirmations, progress } = work;
  const recheck = work.recheck === "contracts";
  const isThere = await access(join(folder, CONTRACTS_NAME)).then(
    () => true,
    () => false,
  );
  if (planned.length === 0 && isThere && !recheck) return undefined;
  const updated = await updateContracts({
    ...{ nodes, folder, confirmations, recheck, progress, isFirst: !fetched, last: last.number },
    day: isoDay(asOf - DAY_SECONDS),
    earlier: () => files.transfers("old"),
    added: () => files.transfers("new"),
  });
  for (const notice of updated.notices) work.note(notice);
  if (updated.csv !== undefined) {
    await mkdir(stagedFolder(folder), { recursive: true });
    await writeDurably(join(stagedFolder(folder), CONTRACTS_NAME), updated.csv);
  }
  return updated;
}

async function labelsOf({ folder, source, fetched, recheck, note }: Work) {
  const { chainId, labels } = source;
  const options = { folder, chainId, labels, placed: fetched?.labels, recheck: recheck === "labels" };
  const placed = await placeLabels(options);
  for (const notice of placed.notices) note(notice);
  return placed;
}

async function pricesOf(work: Work, { first, last, asOf }: Plan) {
  const { asset, source, fetched, nodes, logs, folder, signal, progress, note } = work;
  if (source.prices === undefined) return undefined;
  progress.step("update prices");
  return updatePrices({
    ...{ nodes, logs, source: source.prices, contract: asset.contract, decimals: asset.decimals },
    ...{ folder, first, last, asOf, previous: fetched?.prices, signal, onNotice: note },
    onProgress: (done, total) => progress.update(done, total),
  });
}
