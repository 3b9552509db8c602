/** Fetches an asset's inputs from a chain: the steps, in their order. Source: docs/chain.md#fetch. */

import { access } from "node:fs/promises";
import { join } from "node:path";
import { DAY_SECONDS, isoDay, isoTime } from "../../../data-schema/text.ts";
import { type AssetFile, contractDecimals, readAsset } from "../../input/asset/asset.ts";
import type { Source } from "../../input/asset/source.ts";
import {
  type FetchCheck,
  type Fetched,
  type FetchedFile,
  inputsFolder,
  isOfDays,
  isOfHour,
  readFetched,
  TABLES,
  type TableRole,
  transferFiles,
} from "../../input/fetched/fetched.ts";
import { correctingText } from "../../input/fetched/fetched-asset.ts";
import { adoptFormerFiles } from "../../input/fetched/former-files.ts";
import { Failure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { checkSameChain, finalizedBlock } from "../chain/blocks.ts";
import { densityAfter, firstPageOf } from "../chain/logs/page-size.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { checkBalances, lookEarly } from "../check/balances.ts";
import { checkDecimals } from "../check/decimals.ts";
import { FileLedgers } from "../check/ledgers/file-ledgers.ts";
import { takeAssetLock } from "../kept/asset-lock.ts";
import { bringInputs, saveInputs } from "../kept/bucket.ts";
import { commit, finishCommit, stageTable } from "../kept/commit.ts";
import { KeptFacts } from "../kept/kept-facts.ts";
import { tableDigests } from "../kept/table-files.ts";
import { updateContracts } from "../labels/contracts.ts";
import { placeKinds } from "../labels/place-kinds.ts";
import { placeLabels } from "../labels/place-labels.ts";
import { continueFrom, hasFiles } from "../plan/continued.ts";
import { type Estimate, estimate, refuseTooLong } from "../plan/estimate.ts";
import { type FetchPlan, planFetch } from "../plan/fetch-plan.ts";
import { termsOf } from "../plan/file-terms.ts";
import { readHeadersAhead } from "../plan/read-ahead.ts";
import type { AssetFetch, FetchOptions, FetchOutcome } from "../plan/work.ts";
import { archiveOf } from "../prices/archives/archives.ts";
import { updatePrices } from "../prices/update.ts";
import { startOfDay } from "../times/file-periods.ts";
import { LogTimes } from "../times/log-times.ts";
import { openingTransfers, readOpening } from "../transfers/opening.ts";
import { TransferFiles } from "../transfers/transfer-files.ts";

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
 * Fetches an asset up to the last day, or hour, that is complete and final. What was fetched is kept however it ends.
 *
 * @param path of ASSET.json
 * @throws {Failure}
 */
export async function fetchAsset(path: string, options: FetchOptions): Promise<FetchOutcome> {
  const asset = await readAssetToFetch(path);
  const { source, symbol, contract } = asset;
  checkChain(asset, source, options.nodes);
  archiveOf(source.prices)?.check();
  const folder = inputsFolder(path, symbol);
  const { store, dryRun, progress } = options;
  const renamed = await adoptFormerFiles(asset);
  const release = await takeAssetLock(join(folder, ".part"));
  try {
    await finishCommit(folder);
    const { inBucket, gaveWay = [] } = store ? await bringInputs(store, asset, folder, options.repair) : {};
    const recorded = await readFetched(folder);
    progress.step("look at what is there");
    // Headers of blocks that are known to be final are asked for once.
    await finalizedBlock(options.nodes, options.confirmations);
    if (recorded && hasFiles(recorded)) await readHeadersAhead(recorded, { ...options, source, folder });
    const opening = await readOpening(asset);
    const continued = await continueFrom(recorded, { ...options, asset, source, opening, folder });
    // A repair leaves no fewer hours than there were.
    const hours = options.hours || (options.repair && recorded?.hours !== undefined);
    const events = { contract, events: source.events, ...(source.owners && { owners: source.owners }) };
    const notices: string[] = [];
    const note = (text: string) => {
      progress.note(text);
      notices.push(text);
    };
    for (const sentence of renamed) note(sentence);
    if (store && gaveWay.length > 0) note(gaveWayText(gaveWay, store, path));
    const times = new LogTimes(note);
    const identity = `${contract} on chain ${source.chainId}, from block ${source.firstBlock}`;
    const facts = await KeptFacts.open(folder, identity, continued.fetched !== undefined && !options.repair);
    const known = { ...continued, recorded, facts, times };
    const work = { ...options, ...known, hours, asset, source, events, opening, folder, note };
    const outcome = await fetchNewDays(work);
    if (store && inBucket && !dryRun) await saveInputs(store, symbol, folder, inBucket);
    return { ...outcome, notices };
  } finally {
    progress.end();
    await release();
  }
}

const gaveWayText = (files: readonly string[], { name }: ObjectStore, path: string) =>
  `${files.join(", ")} here differed from what ${name} keeps, and gave way to it: what is made anew without --store, or edited, ` +
  `does not last where a bucket keeps the inputs.${files.includes(TABLES.prices) ? ` ${correctingText(path)}` : ""}`;

function checkChain({ path }: AssetFile, { chainId }: Source, nodes: Nodes): void {
  if (nodes.chainId === chainId) return;
  throw new Failure(
    `${path}: "chainId" is ${chainId}, but ${nodes.hosts.join(", ")} is a node of chain ${nodes.chainId}. Give a node of ` +
      `chain ${chainId} with --rpc, or correct "chainId".`,
  );
}

async function fetchNewDays(work: AssetFetch): Promise<Omit<FetchOutcome, "notices">> {
  const { asset, recorded, fetched, damaged } = work;
  const plan = await planFetch(work);
  await checkDecimals(work);
  await checkSameChain(work.nodes, plan.last.number);
  const files = await openFiles(work, plan);
  const outcome = { symbol: asset.symbol, asOf: isoTime(plan.asOf) };

  const expected = await estimateFetch(work, files);
  if (work.dryRun) {
    for (const { file } of [...damaged, ...work.replaced]) work.note(`${file} would be fetched again.`);
    return { ...outcome, status: "planned", files: [], rows: 0, ...(expected && { estimate: expected }) };
  }

  for (const entry of damaged) await files.replaceFile(entry);
  await lookEarly(work, plan, files);
  await files.readPages();
  await files.assemble();
  const ledgers = new FileLedgers(work.folder, files);
  const check = await checkBalances(work, plan, files, ledgers);
  const contracts = await contractsOf(work, plan, files, ledgers);
  const prices = await pricesOf(work, plan);
  const labels = await labelsOf(work);
  const kinds = await kindsOf(work, plan);
  if (work.times.areWrong) await files.useTimesOfHeaders();

  const { entries } = files;
  const again = new Set(work.replaced.map(({ file }) => file));
  const added = files.added.filter(({ file }) => !again.has(file));
  const repaired = [...files.replaced, ...again];
  const days = entries.filter(isOfDays);
  const { version } = labels;
  const checked = check ?? stillTrue(work, files);
  const staged = { prices: prices?.csv, contracts: contracts?.csv, labels: labels.csv, kinds: kinds?.csv };
  for (const role of Object.keys(TABLES) as TableRole[]) {
    const csv = staged[role];
    if (csv !== undefined) await stageTable(work.folder, role, csv);
  }
  const next: Fetched = {
    schema: 2,
    chainId: work.source.chainId,
    contract: asset.contract,
    terms: termsOf(work.source, work.opening),
    asOf: outcome.asOf,
    files: days,
    ...hoursOf(plan, days, entries.filter(isOfHour)),
    ...(version !== undefined && { labels: version }),
    ...(kinds && { kinds: kinds.version }),
    ...(prices && { prices: prices.done }),
    tables: tableDigests({ ...asset, source: work.source }, recorded ?? {}, staged),
    ...repairedBy(recorded, days, repaired),
    ...(checked && { check: checked }),
  };
  const isRecorded = JSON.stringify(next) === JSON.stringify(fetched);
  const hasTables = Object.values(staged).some((csv) => csv !== undefined);
  const isUnchanged = isRecorded && !hasTables && repaired.length === 0 && added.length === 0;
  if (!isUnchanged) await commit(work.folder, next);
  await prices?.clear();
  await files.clear();
  return {
    ...outcome,
    status: isUnchanged ? "unchanged" : "fetched",
    files: added.map(({ file }) => file),
    rows: added.reduce((sum, { rows }) => sum + rows, 0),
    ...(repaired.length > 0 && { repaired }),
    ...(check && { check }),
    ...(contracts && { contracts: { looked: contracts.looked, added: contracts.added } }),
    ...(prices && { prices: { rows: prices.rows, ...(prices.replaced > 0 && { replaced: prices.replaced }) } }),
  };
}

/** Files of days and months that this repair or an earlier one has replaced: why the next build may have fewer transfers. */
function repairedBy(
  recorded: Fetched | undefined,
  days: readonly FetchedFile[],
  repaired: readonly string[],
): Pick<Fetched, "repaired"> {
  const bytesOf = (files: readonly FetchedFile[] | undefined, name: string) =>
    files?.find(({ file }) => file === name)?.sha256;
  // One that was damaged has the bytes again that it had.
  const own = repaired.filter((file) => isOfDays({ file }) && bytesOf(days, file) !== bytesOf(recorded?.files, file));
  const all = [...new Set([...(recorded?.repaired ?? []), ...own])].sort();
  return all.length > 0 ? { repaired: all } : {};
}

/** What the last check says after a fetch without one: a failure until one passes, but no success of files that it has not seen. */
function stillTrue(
  { source, fetched, recorded }: AssetFetch,
  { entries, added }: TransferFiles,
): FetchCheck | undefined {
  const isOfAll = fetched !== undefined && JSON.stringify(entries) === JSON.stringify(transferFiles(fetched));
  // What came after a token's end has no rows.
  const { lastBlock } = source;
  const hasEnded = lastBlock !== undefined && added.every(({ from }) => from > lastBlock);
  const lastCheck = recorded?.check;
  return lastCheck?.status === "failed" || isOfAll || hasEnded ? lastCheck : undefined;
}

/** The running day, unless it has just ended. */
function hoursOf(
  { first, asOf, last }: FetchPlan,
  days: readonly FetchedFile[],
  hours: FetchedFile[],
): Pick<Fetched, "hours"> {
  if (asOf === startOfDay(asOf)) return {};
  const from = (days.at(-1)?.to ?? first.number - 1) + 1;
  return { hours: { files: hours, from, to: last.number, lastHash: last.hash } };
}

async function openFiles(work: AssetFetch, { first, planned, endsDay }: FetchPlan): Promise<TransferFiles> {
  const { source, fetched } = work;
  const { files = [], hours } = fetched ?? {};
  const old = endsDay ? files : [...files, ...(hours?.files ?? [])];
  const opening = work.opening && openingTransfers(work.opening, first);
  const { chainId, lastBlock } = source;
  // A first fetch takes so long that they are read at its end. The portal may not have them.
  const isRead = fetched && work.check !== "none" && work.logs.name === "rpc" && lastBlock === undefined;
  const final = isRead ? await finalizedBlock(work.nodes, work.confirmations) : undefined;
  return TransferFiles.open({
    ...work,
    final,
    old,
    ended: endsDay ? hours : undefined,
    planned,
    first,
    lastBlock,
    opening,
    chainId,
  });
}

/** @throws {Failure} it would take longer than a day */
async function estimateFetch(work: AssetFetch, { missing }: TransferFiles): Promise<Estimate | undefined> {
  const blocks = missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  if (blocks === 0 || (blocks < ESTIMATED_BLOCKS && !work.dryRun)) return undefined;
  if (work.yes && !work.dryRun) return undefined;
  work.progress.step("estimate");
  const { prices } = work.source;
  const expected = await estimate(work, missing, work.requestsPerSecond, {
    files: missing.length,
    isFirst: !work.fetched,
    hasPools: typeof prices === "object" && "pools" in prices,
  });
  if (!work.yes && !work.dryRun) refuseTooLong(expected, work.asset.symbol);
  return expected;
}

/** The code of new addresses. */
async function contractsOf(work: AssetFetch, plan: FetchPlan, files: TransferFiles, ledgers: FileLedgers) {
  const { planned, last, asOf, endsDay } = plan;
  const { nodes, folder, fetched, confirmations, progress } = work;
  const recheck = work.anew.has("contracts");
  const isThere = await access(join(folder, TABLES.contracts)).then(
    () => true,
    () => false,
  );
  const { changed } = files;
  if (planned.length === 0 && changed.length === 0 && isThere && !recheck) return undefined;
  const yesterday = isoDay(startOfDay(asOf) - DAY_SECONDS);
  const updated = await updateContracts({
    nodes,
    folder,
    confirmations,
    recheck,
    progress,
    isFirst: !fetched,
    last: last.number,
    isUndecided: endsDay || work.repair,
    earlier: () => ledgers.earlier(),
    added: [
      { day: yesterday, transfers: files.transfers([...changed, ...files.added.filter(isOfDays)]) },
      { day: isoDay(startOfDay(asOf)), transfers: files.transfers(files.added.filter(isOfHour)) },
    ],
  });
  for (const notice of updated.notices) work.note(notice);
  return updated;
}

async function labelsOf({ folder, source, recorded, anew, note }: AssetFetch) {
  const { chainId, labels } = source;
  const options = { folder, chainId, labels, placed: recorded?.labels, recheck: anew.has("labels") };
  const placed = await placeLabels(options);
  for (const notice of placed.notices) note(notice);
  return placed;
}

/** The kinds of contracts, where ASSET.json takes a cohort of them. */
async function kindsOf(work: AssetFetch, { asOf }: FetchPlan) {
  const { asset, source, folder, nodes, recorded, anew, note } = work;
  if (!asset.cohorts?.some(({ kind }) => kind !== undefined)) return undefined;
  const placed = await placeKinds({
    nodes,
    folder,
    contract: asset.contract,
    chainId: source.chainId,
    prices: source.prices,
    placed: recorded?.kinds,
    recheck: anew.has("kinds") || anew.has("labels"),
    // The last day that the pools are of.
    day: isoDay(asOf - 1),
  });
  for (const notice of placed.notices) note(notice);
  return placed;
}

async function pricesOf(work: AssetFetch, { first, last, asOf }: FetchPlan) {
  const { asset, source, recorded, nodes, logs, folder, confirmations, times, facts } = work;
  const { signal, confirm, repair, replacedFrom, progress, note } = work;
  if (source.prices === undefined) return undefined;
  progress.step("update prices");
  const known = facts.kept("poolLogs");
  const density = known && densityAfter([known]);
  const updated = await updatePrices({
    nodes,
    logs,
    source: source.prices,
    contract: asset.contract,
    decimals: contractDecimals(asset),
    folder,
    first,
    last,
    asOf,
    confirmations,
    times,
    confirm,
    signal,
    onNotice: note,
    previous: recorded?.prices,
    recheck: work.anew.has("prices"),
    repair,
    replacedFrom,
    meet: work.meet,
    firstPage: density === undefined ? undefined : firstPageOf(density),
    onProgress: (done, total) => progress.update(done, total),
  });
  if (updated?.read) await facts.put("poolLogs", updated.read);
  return updated;
}
