/** An asset's files of transfers, old and new, until the new ones are put into place. */

import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FetchedFile, isOfHour } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { count } from "../../lib/terminal/amount-text.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import { type Block, readBlock } from "../chain/blocks.ts";
import { densityAfter } from "../chain/logs/page-size.ts";
import { type BlockRange, missingParts } from "../chain/logs/pages.ts";
import { unitedLogs } from "../chain/logs/united-logs.ts";
import type { Meet } from "../chain/rendezvous.ts";
import type { ChainMarks } from "../kept/chain-marks.ts";
import { stagedFolder } from "../kept/commit.ts";
import { type Journal, openJournal, removeJournal } from "../kept/journal.ts";
import type { PlannedFile } from "../times/boundaries.ts";
import { periodOf } from "../times/file-periods.ts";
import { type LoggedBlock, LogHashes, READINGS, replacedText } from "../times/log-hashes.ts";
import { senderOf, TimeSample, timesOfHeaders } from "../times/log-times.ts";
import { assembleFile, journalTransfers } from "./assemble-files.ts";
import {
  emptyColumns,
  firstRowFrom,
  joinPacked,
  packColumns,
  sliceColumns,
  type TransferColumns,
  unpackColumns,
} from "./fetched-columns.ts";
import { readTransferPages, type TimedRange, type TransferSource } from "./read-transfers.ts";
import { streamTransfers } from "./transfer-file.ts";

export interface TransferFilesOptions extends TransferSource {
  /** `inputs/<SYMBOL>`. */
  folder: string;
  /** Files of earlier fetches, in order. */
  old: readonly FetchedFile[];
  /** Files of the hours of a day that is complete now, and their last block: their rows go to the day's file. */
  ended?: { files: readonly FetchedFile[]; to: number } | undefined;
  /** Files to be written, in order; they follow the old ones. */
  planned: readonly PlannedFile[];
  /** The block with which all files begin. */
  first: Block;
  /** The last block of a token that has ended: no log after it is read. */
  lastBlock?: number | undefined;
  /** The last final block, if logs above the files are read with theirs: for the check, in the same requests. */
  final?: Block | undefined;
  /** Rows before the first block's. */
  opening: TransferColumns | undefined;
  chainId: number;
  signal?: AbortSignal | undefined;
  progress: Progress;
  /** Waits for others that are about to read logs. */
  meet?: Meet | undefined;
}

const PAGES = { join: joinPacked };

export class TransferFiles {
  readonly #options: TransferFilesOptions;
  readonly #identity: string;
  readonly #journal: Journal;
  /** Files that have been staged, by name: new ones, and replacements of old ones. */
  readonly #staged = new Map<string, FetchedFile>();
  /** The staged files whose times are of headers. */
  readonly #timed = new Set<string>();
  readonly #hashes = new LogHashes();
  #above: { to: number; pages: { from: number; columns: TransferColumns }[] } | undefined;

  /** Opens the journal, and drops pages that belong to no file that is planned. */
  static async open(options: TransferFilesOptions): Promise<TransferFiles> {
    const identity = JSON.stringify([options.chainId, options.events]);
    const marks: ChainMarks = {
      blocks: options.planned.map(({ to, lastHash }) => ({ number: to, hash: lastHash })),
      hashOf: async (number) => (await readBlock(options.nodes, number)).hash,
    };
    const journal = await openJournal(pagesFolder(options), identity, { ...PAGES, marks });
    const [from, to] = [options.planned[0]?.from ?? 0, options.planned.at(-1)?.to ?? -1];
    await journal.remove(journal.pages.filter((page) => page.to < from || page.from > to));
    const files = new TransferFiles(options, identity, journal);
    if (options.ended) await files.#takePages({ ...options.ended, from });
    return files;
  }

  private constructor(options: TransferFilesOptions, identity: string, journal: Journal) {
    this.#options = options;
    this.#identity = identity;
    this.#journal = journal;
  }

  /** Makes pages of the rows of hours. */
  async #takePages({ files, from, to }: BlockRange & { files: readonly FetchedFile[] }): Promise<void> {
    const { folder, first } = this.#options;
    const put = async (range: BlockRange, columns: TransferColumns) => {
      for (const part of missingParts([range], this.#journal.pages)) {
        // Opening balances are added again when the day's file is written.
        const start = Math.max(part.from, first.number);
        const rows = sliceColumns(columns, firstRowFrom(columns, start), firstRowFrom(columns, part.to + 1));
        await this.#journal.put(part, packColumns(rows));
      }
    };
    let next = from;
    for (const { file, to } of files) {
      const pieces = [...streamTransfers(join(folder, file))].map(packColumns);
      await put({ from: next, to }, unpackColumns(joinPacked(pieces)));
      next = to + 1;
    }
    await put({ from: next, to }, emptyColumns(0));
  }

  /** All files, as fetch.json lists them. */
  get entries(): FetchedFile[] {
    return [...this.#options.old.map((entry) => this.#staged.get(entry.file) ?? entry), ...this.added];
  }

  /** Files of earlier fetches, as they were. */
  get old(): readonly FetchedFile[] {
    return this.#options.old;
  }

  /** New files. An hour without rows has none. */
  get added(): FetchedFile[] {
    return this.#options.planned.flatMap(({ file }) => this.#staged.get(file) ?? []);
  }

  /** Names of old files that have been fetched again. */
  get replaced(): string[] {
    return this.#options.old.map(({ file }) => file).filter((file) => this.#staged.has(file));
  }

  /** Old files that have been fetched again, and have other transfers now. */
  get changed(): FetchedFile[] {
    return this.#options.old.flatMap(({ file, sha256 }) => {
      const staged = this.#staged.get(file);
      return staged && staged.sha256 !== sha256 ? [staged] : [];
    });
  }

  /** The blocks of the new files that no page covers yet. */
  get missing(): TimedRange[] {
    const { planned, first, lastBlock = Number.POSITIVE_INFINITY } = this.#options;
    const ranges = planned.map(({ from, to, period }) => timed({ from, to: Math.min(to, lastBlock) }, period, first));
    return missingParts(ranges, this.#journal.pages);
  }

  /** Fetches what is missing, up to a block. */
  async readPages(to = Number.POSITIVE_INFINITY): Promise<void> {
    const { progress, planned } = this.#options;
    const missing = this.missing
      .filter(({ from }) => from <= to)
      .map((range) => ({ ...range, to: Math.min(range.to, to) }));
    if (missing.length === 0) return;
    const all = blocksOf(planned);
    progress.step("fetch transfers", all);
    const above = this.#rangeAbove(missing);
    if (above) this.#above = { to: above.to, pages: [] };
    await this.#options.meet?.("logs");
    await this.#read(above ? [...missing, above] : missing, all - blocksOf(this.missing));
  }

  /** The final blocks above the files, if the missing ones reach up to them. */
  #rangeAbove(missing: readonly TimedRange[]): TimedRange | undefined {
    const { planned, final } = this.#options;
    const { to, period } = planned.at(-1)!;
    if (!final || final.number <= to || missing.at(-1)!.to !== to) return undefined;
    return { from: to + 1, to: final.number, bounds: { least: period.end, greatest: final.time } };
  }

  /** The transfers above the files up to a final block, in order, if they have been read. */
  get above(): { to: number; transfers: TransferColumns[] } | undefined {
    if (!this.#above) return undefined;
    const { to, pages } = this.#above;
    return { to, transfers: pages.sort((a, b) => a.from - b.from).map(({ columns }) => columns) };
  }

  async #read(ranges: readonly TimedRange[], alreadyDone: number, of?: readonly number[]): Promise<void> {
    const { progress, signal } = this.#options;
    let [done, rows] = [alreadyDone, 0];
    const last = this.#options.planned.at(-1)?.to ?? Number.POSITIVE_INFINITY;
    const put = async (range: BlockRange, page: TransferColumns, newest: LoggedBlock | undefined) => {
      if (range.from > last) {
        if (page.rows > 0) this.#above!.pages.push({ from: range.from, columns: page });
        return;
      }
      await this.#journal.put(range, packColumns(page));
      this.#hashes.add(newest);
      done += range.to - range.from + 1;
      rows += page.rows;
      progress.update(done);
      progress.detail(`block ${count(range.to)}, ${count(rows)} transfers`);
    };
    progress.update(done);
    const density = densityAfter(this.#options.old);
    await readTransferPages(this.#sourceFor(of), ranges, put, { density, signal });
  }

  /** Certain nodes are asked themselves, not a portal. */
  #sourceFor(of: readonly number[] | undefined): TransferSource {
    const { nodes, logs, events, times } = this.#options;
    return { nodes, events, times, logs: of ? unitedLogs(nodes, of) : logs };
  }

  /** Writes the new files beside the old ones, where nothing reads them yet. */
  async assemble(): Promise<void> {
    const { planned, progress, signal } = this.#options;
    progress.step("write files", planned.length);
    for (const [index, file] of planned.entries()) {
      signal?.throwIfAborted();
      await this.#assembleNew(file);
      progress.update(index + 1);
    }
  }

  async #assembleNew(file: PlannedFile): Promise<void> {
    const again = async (after: number) => {
      await this.#journal.remove(this.#journal.pages.filter(({ to }) => to >= after));
      await this.#read(this.missing, 0);
    };
    const entry = await this.#assemble(file, this.#journal, this.#options.logs.name, again);
    if (entry.rows > 0 || !isOfHour(entry)) this.#staged.set(file.file, entry);
    else {
      this.#staged.delete(file.file);
      await rm(join(stagedFolder(this.#options.folder), file.file));
    }
  }

  /**
   * Writes a file, and compares some of its times and blocks with headers.
   *
   * @param readAgain the pages that end at or after a block
   * @throws {Failure} blocks that were final have been replaced; pages of the old ones are gone
   */
  async #assemble(
    file: Pick<PlannedFile, "file" | "from" | "to" | "lastHash">,
    journal: Journal,
    source: FetchedFile["source"],
    readAgain: (after: number) => Promise<void>,
  ): Promise<FetchedFile> {
    const { folder, nodes, times } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const sample = new TimeSample();
      const transfers = this.#withOpening(file, sampled(journalTransfers(journal, file), sample));
      const entry = await assembleFile(stagedFolder(folder), file, transfers, source);
      this.#timed.delete(file.file);
      const logged = this.#hashes.of(file);
      if (logged.length > 0) logged.push({ number: file.to, hash: file.lastHash });
      const replaced = await sample.compare(nodes, times, senderOf(source, nodes), logged);
      if (!replaced) return entry;
      this.#hashes.forget(replaced.after);
      const isOfEnd = replaced.logged === file.lastHash;
      if (isOfEnd || attempt === READINGS) throw new Failure(replacedText(replaced, nodes.hosts));
      await readAgain(replaced.after);
    }
  }

  /** Gives all files that have been written the times of headers: those of logs are wrong somewhere. */
  async useTimesOfHeaders(): Promise<void> {
    const { folder, progress, signal } = this.#options;
    const left = [...this.#staged.values()].filter(({ file }) => !this.#timed.has(file));
    if (left.length === 0) return;
    progress.step("read times of headers", left.length);
    for (const [index, entry] of left.entries()) {
      signal?.throwIfAborted();
      const path = join(stagedFolder(folder), entry.file);
      const before = `${path}.before`;
      await rename(path, before);
      const rows = this.#withTimesOfHeaders(streamTransfers(before));
      this.#staged.set(entry.file, await assembleFile(stagedFolder(folder), entry, rows, entry.source));
      await rm(before);
      this.#timed.add(entry.file);
      progress.update(index + 1);
    }
  }

  async *#withTimesOfHeaders(transfers: Iterable<TransferColumns>): AsyncGenerator<TransferColumns> {
    const { nodes, first } = this.#options;
    for (const columns of transfers) {
      const { rows, block, time } = columns;
      // Opening balances have the first block's time.
      const numbers = [...new Set(block.subarray(0, rows))].filter((number) => number >= first.number);
      const times = await timesOfHeaders(nodes, numbers);
      for (let row = 0; row < rows; row++) time[row] = times.get(block[row]!) ?? time[row]!;
      yield columns;
    }
  }

  async *#withOpening(
    { from }: BlockRange,
    transfers: AsyncIterable<TransferColumns>,
  ): AsyncGenerator<TransferColumns> {
    const { opening, first } = this.#options;
    if (opening && from === first.number) yield opening;
    yield* transfers;
  }

  /** The transfers of some files, or of all, in order: called after `assemble`, as often as needed. */
  async *transfers(of: readonly FetchedFile[] = this.entries): AsyncGenerator<TransferColumns> {
    const { folder } = this.#options;
    for (const { file } of of) {
      yield* streamTransfers(join(this.#staged.has(file) ? stagedFolder(folder) : folder, file));
    }
  }

  /** The transfers of the first pages, before any file is written. */
  async *firstTransfers(range: BlockRange): AsyncGenerator<TransferColumns> {
    yield* this.#withOpening(range, journalTransfers(this.#journal, range));
  }

  /**
   * Fetches the pages of new files that have some blocks again, and writes their files again.
   *
   * @param of indexes of the only nodes to ask
   * @param isExact fetches these blocks alone, and keeps the rest of the pages
   */
  async replacePages(ranges: readonly BlockRange[], of: readonly number[], isExact = false): Promise<void> {
    const { planned, progress } = this.#options;
    const wrong = this.#journal.pages.filter((page) => ranges.some((range) => overlap(page, range)));
    for (const page of wrong) {
      const columns = unpackColumns(await this.#journal.get(page));
      await this.#journal.remove([page]);
      for (const rest of isExact ? missingParts([page], ranges) : []) {
        const rows = sliceColumns(columns, firstRowFrom(columns, rest.from), firstRowFrom(columns, rest.to + 1));
        await this.#journal.put(rest, packColumns(rows));
      }
    }
    progress.step("fetch wrong pages again", blocksOf(wrong));
    await this.#read(this.missing, 0, of);
    for (const file of planned) if (wrong.some((page) => overlap(page, file))) await this.#assembleNew(file);
  }

  /**
   * Fetches an old file again. It replaces the old one when the new files are put into place.
   *
   * @param of indexes of the only nodes to ask; without, all share the work
   */
  async replaceFile(entry: FetchedFile, of?: readonly number[]): Promise<void> {
    const { folder, first, lastBlock = Number.POSITIVE_INFINITY, progress, signal, logs } = this.#options;
    const pages = join(folder, ".part", "repair");
    // Pages of another repair may be from the node that was wrong.
    await rm(pages, { recursive: true, force: true });
    const journal = await openJournal(pages, this.#identity, PAGES);
    const { from, to } = entry;
    const range = timed({ from, to: Math.min(to, lastBlock) }, periodOf(entry.file), first);
    progress.step(`fetch ${entry.file} again`, blocksOf([range]));
    let done = 0;
    const put = async (page: BlockRange, columns: TransferColumns, newest: LoggedBlock | undefined) => {
      await journal.put(page, packColumns(columns));
      this.#hashes.add(newest);
      done += page.to - page.from + 1;
      progress.update(done);
    };
    const read = async (ranges: readonly TimedRange[]) =>
      readTransferPages(this.#sourceFor(of), ranges, put, signal ? { signal } : {});
    const again = async (after: number) => {
      await journal.remove(journal.pages.filter(({ to }) => to >= after));
      await read(missingParts([range], journal.pages));
    };
    await read([range]);
    const source = of ? "rpc" : logs.name;
    this.#staged.set(entry.file, await this.#assemble(entry, journal, source, again));
    await rm(pages, { recursive: true, force: true });
  }

  /** Removes the pages: their files are in place. */
  async clear(): Promise<void> {
    await removeJournal(pagesFolder(this.#options));
  }
}

const pagesFolder = ({ folder }: Pick<TransferFilesOptions, "folder">) => join(folder, ".part", "transfers");

const timed = ({ from, to }: BlockRange, { start, end }: { start: number; end: number }, first: Block): TimedRange => ({
  from,
  to,
  bounds: { least: Math.max(start, first.time), greatest: end - 1 },
});

/** Hands transfers on, and adds their blocks to a sample. */
async function* sampled(
  transfers: AsyncIterable<TransferColumns>,
  sample: TimeSample,
): AsyncGenerator<TransferColumns> {
  for await (const columns of transfers) {
    const { rows, block, time } = columns;
    for (let row = 0; row < rows; row++) sample.add(block[row]!, time[row]!);
    yield columns;
  }
}

const overlap = (a: BlockRange, b: BlockRange) => a.from <= b.to && b.from <= a.to;

const blocksOf = (ranges: readonly BlockRange[]) =>
  ranges.reduce((sum, { from, to }) => sum + Math.max(0, to - from + 1), 0);
