/** Fetches an asset's inputs from a chain: the steps, in their order. Source: docs/chain.md#fetch. */

import { join } from "node:path";
import { type Block, finalizedBlock, readBlock } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes.ts";
import type { LogSource } from "../chain/pages.ts";
import { Failure } from "../failure.ts";
import { type AssetFile, readAsset } from "../input/asset.ts";
import { type FetchCheck, type Fetched, type FetchedFile, inputsFolder, readFetched } from "../input/fetched.ts";
import type { Source } from "../input/source.ts";
import { count } from "../terminal/amounts.ts";
import type { Progress } from "../terminal/progress.ts";
import { assembleFile, journalTransfers } from "./assemble.ts";
import { type PlannedFile, planFiles } from "./boundaries.ts";
import { packColumns, type TransferColumns } from "./columns.ts";
import { commit, finishCommit, stagedFolder } from "./commit.ts";
import { type Journal, openJournal } from "./journal.ts";
import { takeLock } from "./lock.ts";
import { openingTransfers } from "./opening.ts";
import { DAY_SECONDS, days, firstPeriods, isoDay, isoTime, startOfDay } from "./periods.ts";
import { placeLabels } from "./place-labels.ts";
import { checkLastHashes, damagedFiles } from "./present-files.ts";
import { missingParts, readTransfers, type TimedRange, type TransferSource } from "./read-transfers.ts";

export interface FetchOptions {
  nodes: Nodes;
  logs: LogSource;
  /** The last day to fetch: its midnight, Unix seconds. Default: the last one that is complete and final. */
  until?: number | undefined;
  /** Blocks above a final one; by default, the chain's own finality counts. */
  confirmations?: number | undefined;
  /** Looks again at what is otherwise kept for good. */
  recheck?: "contracts" | "labels" | undefined;
  /** Fetches files again that have changed or are wrong. */
  repair?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress: Progress;
}

/** What a fetch did. */
export interface FetchOutcome {
  symbol: string;
  /** `unchanged`: the last final day had been fetched already. */
  status: "fetched" | "unchanged";
  /** Everything before is complete: ISO 8601. */
  asOf: string;
  /** The new files, and the transfers in them. */
  files: string[];
  rows: number;
  check?: FetchCheck;
  /** Addresses that were looked at for the first time, and those of them that are contracts. */
  contracts?: { looked: number; added: number };
  /** New rows of prices.csv. */
  prices?: { rows: number };
}

/** An asset that is being fetched. */
interface Work extends TransferSource {
  asset: AssetFile;
  source: Source;
  /** `inputs/<SYMBOL>`. */
  folder: string;
  /** What earlier fetches have left; undefined before the first. */
  fetched: Fetched | undefined;
  options: FetchOptions;
}

/**
 * Fetches an asset up to the last day that is complete and final. What was fetched is kept however it ends.
 *
 * @param path of ASSET.json
 * @throws {Failure}
 */
export async function fetchAsset(path: string, options: FetchOptions): Promise<FetchOutcome> {
  const asset = await readAsset(path);
  const { source, symbol } = asset;
  if (!source) {
    throw new Failure(
      `${path} has no "source": it names files of its own. Run \`soprano init\` to make one that is fetched.`,
    );
  }
  checkChain(asset, source, options.nodes);
  const folder = inputsFolder(path, symbol);
  const release = await takeLock(join(folder, ".part"));
  try {
    await finishCommit(folder);
    const recorded = await readFetched(folder);
    const fetched = recorded && recorded.files.length > 0 ? recorded : undefined;
    const { contract } = asset;
    const events = { contract, events: source.events, ...(source.owners && { owners: source.owners }) };
    const { nodes, logs } = options;
    return await fetchNewDays({ nodes, logs, events, asset, source, folder, fetched, options });
  } finally {
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

async function fetchNewDays(work: Work): Promise<FetchOutcome> {
  const { asset, folder, fetched, nodes, options } = work;
  const { progress } = options;
  progress.step("look at what is there");
  if (fetched) await checkPresent(work, fetched);

  const final = await finalizedBlock(nodes, options.confirmations);
  const asOf = chooseAsOf(final, options.until);
  if (fetched && asOf <= Date.parse(fetched.asOf) / 1000) {
    return { symbol: asset.symbol, status: "unchanged", asOf: fetched.asOf, files: [], rows: 0 };
  }
  const first = await readBlock(nodes, asOfFirst(work));
  const planned = await plan(work, first, final, asOf);
  const journal = await openJournal(join(folder, ".part", "transfers"), identityOf(work));
  await readPages(work, planned, first, journal);
  const files = await assemble(work, planned, journal, first);

  const labels = await placeLabels({
    ...{ folder, chainId: work.source.chainId, labels: work.source.labels, placed: fetched?.labels },
    recheck: options.recheck === "labels",
  });
  for (const notice of labels.notices) progress.note(notice);
  await labels.commit();
  await commit(folder, {
    schema: 1,
    chainId: work.source.chainId,
    contract: asset.contract,
    asOf: isoTime(asOf),
    files: [...(fetched?.files ?? []), ...files],
    ...(labels.version !== undefined && { labels: labels.version }),
    ...(fetched?.check && { check: fetched.check }),
  });
  await journal.remove([...journal.pages]);
  progress.end();
  return {
    ...{ symbol: asset.symbol, status: "fetched", asOf: isoTime(asOf) },
    files: files.map(({ file }) => file),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** The block with which the new files begin. */
const asOfFirst = ({ fetched, source }: Work) => (fetched ? fetched.files.at(-1)!.to + 1 : source.firstBlock);

/** @throws {Failure} earlier files are of another asset or chain, or have changed */
async function checkPresent({ asset, source, folder, nodes }: Work, fetched: Fetched): Promise<void> {
  const now = { chainId: source.chainId, contract: asset.contract, firstBlock: source.firstBlock };
  const then = { chainId: fetched.chainId, contract: fetched.contract, firstBlock: fetched.files[0]!.from };
  for (const key of ["chainId", "contract", "firstBlock"] as const) {
    if (now[key] === then[key]) continue;
    throw new Failure(
      `${asset.path}: "${key}" is ${now[key]}, but ${folder} was fetched for ${then[key]}. Correct it, or remove that folder ` +
        "to fetch everything again.",
    );
  }
  const [damaged] = await damagedFiles(folder, fetched);
  if (damaged) {
    throw new Failure(
      `${join(folder, damaged.entry.file)} ${damaged.why}: restore it, or run soprano fetch with --repair, which fetches it again.`,
    );
  }
  await checkLastHashes(nodes, folder, fetched);
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

/** The new files and their blocks. */
async function plan(work: Work, first: Block, final: Block, asOf: number): Promise<PlannedFile[]> {
  const { asset, folder, fetched, nodes, source } = work;
  if (first.number > final.number || first.time >= asOf) {
    throw new Failure(
      `${asset.path}: its first block, ${first.number}, is of ${isoTime(first.time)}, and that day is not complete and final ` +
        "yet. Run this again a day later.",
    );
  }
  const periods = fetched ? days(Date.parse(fetched.asOf) / 1000, asOf) : firstPeriods(first.time, asOf);
  const identity = `chain ${source.chainId}, from block ${source.firstBlock}`;
  return planFiles(nodes, periods, { first, last: final }, join(folder, ".part"), identity);
}

/** What pages of the journal depend on. */
const identityOf = ({ source, events }: Work) => JSON.stringify([source.chainId, events]);

/** Fetches the pages that the journal does not have. */
async function readPages(work: Work, planned: PlannedFile[], first: Block, journal: Journal): Promise<void> {
  const { progress, signal } = work.options;
  const [from, to] = [planned[0]!.from, planned.at(-1)!.to];
  await journal.remove(journal.pages.filter((page) => page.to < from || page.from > to));
  const ranges = planned.map(({ from, to, period }): TimedRange => {
    const bounds = { least: Math.max(period.start, first.time), greatest: period.end - 1 };
    return { from, to, bounds };
  });
  const missing = missingParts(ranges, journal.pages);
  const blocks = (list: readonly { from: number; to: number }[]) =>
    list.reduce((sum, range) => sum + Math.max(0, range.to - range.from + 1), 0);
  const all = blocks(ranges);
  let done = all - blocks(missing);
  let rows = 0;
  progress.step("fetch transfers", all);
  progress.update(done);
  await readTransfers(
    work,
    missing,
    async (range, page) => {
      await journal.put(range, packColumns(page));
      done += range.to - range.from + 1;
      rows += page.rows;
      progress.update(done);
      progress.detail(`block ${count(range.to)}, ${count(rows)} transfers`);
    },
    signal ? { signal } : {},
  );
}

/** Writes the new files beside the old ones, where nothing reads them yet. */
async function assemble(work: Work, planned: PlannedFile[], journal: Journal, first: Block): Promise<FetchedFile[]> {
  const { asset, fetched, folder, logs, options } = work;
  const opening = fetched ? undefined : await openingTransfers(asset, first);
  const files: FetchedFile[] = [];
  options.progress.step("write files", planned.length);
  for (const file of planned) {
    options.signal?.throwIfAborted();
    const transfers = withOpening(files.length === 0 ? opening : undefined, journalTransfers(journal, file));
    files.push(await assembleFile(stagedFolder(folder), file, transfers, logs.name));
    options.progress.update(files.length);
  }
  return files;
}

async function* withOpening(opening: TransferColumns | undefined, transfers: AsyncIterable<TransferColumns>) {
  if (opening) yield opening;
  yield* transfers;
}
