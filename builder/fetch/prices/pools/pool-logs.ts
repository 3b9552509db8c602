/**
 * The events of pools and feeds from one source, in the order of the chain: what came before the first hour, then page by
 * page through the journal.
 */

import { HOUR_SECONDS } from "../../../../data-schema/text.ts";
import { Failure } from "../../../lib/failure.ts";
import { type Block, firstBlocksAt, readBlock } from "../../chain/blocks.ts";
import { readInOrder } from "../../chain/logs/in-order.ts";
import {
  BadPage,
  type BlockRange,
  type LogFilter,
  type LogSource,
  missingParts,
  type RawLog,
} from "../../chain/logs/pages.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import type { StateBlock } from "../../chain/scan/state-block.ts";
import type { ChainMarks } from "../../kept/chain-marks.ts";
import { type Journal, openJournal, removeJournal } from "../../kept/journal.ts";
import { LogHashes, newestOf, READINGS, replacedText } from "../../times/log-hashes.ts";
import { type LogTimes, senderOf, TimeSample, timesOfHeaders } from "../../times/log-times.ts";
import { chainOrder, formatEvents, type PriceEvent, parseEvents, readChange, TOPICS } from "./pool-events.ts";
import { LONGEST_STANDING } from "./pool-states.ts";

/** What is read, whichever the source. */
export interface PoolQuestion {
  nodes: Nodes;
  /** All pools and aggregators, sorted. */
  addresses: readonly string[];
  /** The first hour's begin, Unix seconds, and the first block at or after it. */
  start: number;
  firstBlock: number;
  /** Pools whose state at the first block is not known, each with the block from which on its logs tell it. */
  older: ReadonlyMap<string, number>;
  /** Aggregators of each feed whose last answer before the first block is not known. */
  unknownFeeds: readonly (readonly string[])[];
  /** Blocks of the first page from `firstBlock` on, if it is known how many have few enough logs. */
  firstPage?: number | undefined;
  /** Is told of wrong times in logs. */
  times: LogTimes;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** How far to look back for a feed's last answer, in seconds: most are found in the first. */
const LOOK_BACK = [HOUR_SECONDS, 24 * HOUR_SECONDS, LONGEST_STANDING];

export class PoolLogs {
  readonly #question: PoolQuestion;
  readonly #source: LogSource;
  /** The only node to ask. */
  readonly #node: number | undefined;
  readonly #folder: string;
  readonly #hashes = new LogHashes();
  #older: Journal | undefined;
  #main: Journal | undefined;
  /** What came after the last final block: it is read for the proof alone, and not kept. */
  #newest: PriceEvent[] = [];
  #answers: PriceEvent[] = [];
  /** The logs that were read from the first block on, and their blocks. */
  read = { from: 0, to: -1, rows: 0 };
  /** From when on the answers of an aggregator have been read, Unix seconds, if not from the start. */
  readonly lookedFrom = new Map<string, number>();

  /** @param folder of the journal; a second one, for logs before the first block, lies beside it */
  constructor(question: PoolQuestion, source: LogSource, folder: string, node?: number) {
    this.#question = question;
    this.#source = source;
    this.#folder = folder;
    this.#node = node;
  }

  /** Reads what is missing, up to a block; what is above the last final one is read anew each time. */
  async readUpTo(last: StateBlock): Promise<void> {
    const { addresses, firstBlock, older, onProgress } = this.#question;
    const final = Math.min(last.number, last.final);
    const mark = final === last.number ? last : await readBlock(this.#question.nodes, final);
    const ranges = [...older].filter(([, from]) => from < firstBlock);
    const begin = Math.min(firstBlock, ...ranges.map(([, from]) => from));
    const total = final - begin + 1;
    let done = 0;
    const read = async (folder: string, wanted: readonly string[], range: BlockRange) => {
      const journal = await this.#open(folder, wanted, range, mark);
      const missing = missingParts([range], journal.pages);
      done += lengthOf([range]) - lengthOf(missing);
      onProgress?.(done, total);
      const filter: LogFilter = { address: wanted, topics: [TOPICS] };
      const decode = async (page: readonly RawLog[]) => {
        this.read.rows += page.length;
        return { payload: Buffer.from(formatEvents(await this.#decode(page, last))), newest: newestOf(page) };
      };
      const put = async (page: BlockRange, { payload, newest }: Awaited<ReturnType<typeof decode>>) => {
        await journal.put(page, payload);
        this.#hashes.add(newest);
        done += lengthOf([page]);
        onProgress?.(done, total);
      };
      await this.#source.read(filter, missing, decode, put, this.#options);
      return journal;
    };
    if (ranges.length > 0) {
      const wanted = ranges.map(([address]) => address).sort();
      this.#older ??= await read(`${this.#folder}-older`, wanted, { from: begin, to: firstBlock - 1 });
    }
    if (this.#main === undefined) this.#answers = await this.#lastAnswers(last);
    if (this.#main === undefined) this.read = { from: firstBlock, to: final, rows: 0 };
    this.#main = await read(this.#folder, addresses, { from: firstBlock, to: final });
    const filter: LogFilter = { address: addresses, topics: [TOPICS] };
    const newest = { from: Math.max(firstBlock, final + 1), to: last.number };
    const decode = (page: readonly RawLog[]) => this.#decode(page, last);
    const isThere = newest.from <= newest.to;
    this.#newest = isThere ? await readInOrder(this.#source, filter, [newest], decode, this.#options) : [];
  }

  get #options() {
    const { firstPage } = this.#question;
    // Logs are read from one node alone because some were missing.
    return { firstPage, ...(this.#node !== undefined && { node: this.#node, isRepeated: true }) };
  }

  async #open(folder: string, addresses: readonly string[], range: BlockRange, mark: Block): Promise<Journal> {
    const { nodes } = this.#question;
    const identity = JSON.stringify(["prices", 2, nodes.chainId, addresses]);
    const marks: ChainMarks = { blocks: [mark], hashOf: async (number) => (await readBlock(nodes, number)).hash };
    const journal = await openJournal(folder, identity, { join: (texts) => Buffer.concat(texts), marks });
    await journal.remove(journal.pages.filter(({ from, to }) => from < range.from || to > range.to));
    return journal;
  }

  /**
   * The last answers of feeds before the first block. What is older than a week counts as dead, so it is not looked for:
   * the prices of an hour depend on the week before it alone, wherever a fetch begins.
   */
  async #lastAnswers(last: Block): Promise<PriceEvent[]> {
    const { nodes, start, firstBlock, unknownFeeds } = this.#question;
    const groups = new Set(unknownFeeds);
    if (groups.size === 0) return [];
    const times = LOOK_BACK.map((seconds) => start - seconds);
    const found: PriceEvent[][] = [];
    let before = firstBlock;
    const begins = await firstBlocksAt(nodes, times, { first: await readBlock(nodes, 0), last });
    for (const [index, begin] of begins.entries()) {
      const from = begin?.number ?? firstBlock;
      for (const aggregator of [...groups].flat()) this.lookedFrom.set(aggregator, times[index]!);
      if (groups.size === 0 || from >= before) continue;
      const filter = { address: [...groups].flat(), topics: [TOPICS] };
      const decode = (page: readonly RawLog[]) => this.#decode(page, last);
      const events = await readInOrder(this.#source, filter, [{ from, to: before - 1 }], decode, this.#options);
      const isAnswer = ({ change }: PriceEvent) => change.kind === "answer" && change.answer > 0n;
      for (const group of groups) {
        if (events.some((event) => group.includes(event.address) && isAnswer(event))) groups.delete(group);
      }
      found.unshift(events);
      before = from;
    }
    return found.flat();
  }

  /**
   * The events of a page's logs, in order, with the times of their blocks.
   *
   * @throws {BadPage} a log is not what was asked for, or the times can't be right
   */
  async #decode(logs: readonly RawLog[], last: Block): Promise<PriceEvent[]> {
    const events = logs.map((log): PriceEvent => {
      const place = { block: Number(log.blockNumber), logIndex: Number(log.logIndex) };
      return { time: 0, ...place, address: log.address.toLowerCase(), change: readChange(log) };
    });
    const said = new Map(logs.map((log) => [Number(log.blockNumber), Number(log.blockTimestamp ?? 0)]));
    const times = isPlausible(events, said, last) ? said : await this.#timesOfHeaders(said);
    return events.map((event) => ({ ...event, time: times.get(event.block)! }));
  }

  async #timesOfHeaders(said: ReadonlyMap<number, number>): Promise<Map<number, number>> {
    const { nodes, times } = this.#question;
    const numbers = [...said.keys()].sort((a, b) => a - b);
    const found = await timesOfHeaders(nodes, numbers);
    let latest = 0;
    for (const number of numbers) {
      const time = found.get(number)!;
      if (time < latest) throw new BadPage(`its block ${number} is older than the block before`);
      latest = time;
      times.compare({ number, time }, said.get(number)!, senderOf(this.#source.name, nodes));
    }
    return found;
  }

  /** What was read, in the order of the chain. */
  async *events(): AsyncGenerator<PriceEvent> {
    yield* mergeEvents([journalEvents(this.#older), listed(this.#answers)]);
    yield* journalEvents(this.#main);
    yield* this.#newest;
  }

  /**
   * Compares some blocks, and their times, with headers. What is of blocks that have been replaced is read again.
   *
   * @param areTimesOfHeaders whether the times of logs don't matter
   * @throws {Failure} they are replaced time and again
   */
  async compare(last: StateBlock, areTimesOfHeaders: boolean): Promise<void> {
    const { nodes, times } = this.#question;
    for (let attempt = 1; ; attempt++) {
      const sample = new TimeSample();
      if (!areTimesOfHeaders) for await (const { block, time } of this.events()) sample.add(block, time);
      const logged = this.#hashes.of({ from: 0, to: last.number });
      const replaced = await sample.compare(nodes, times, senderOf(this.#source.name, nodes), logged);
      if (!replaced) return;
      await this.clear();
      if (attempt === READINGS) throw new Failure(replacedText(replaced, nodes.hosts));
      await this.readUpTo(last);
    }
  }

  /** Removes what was read: it is in no price, or can't be right. */
  async clear(): Promise<void> {
    for (const folder of [this.#folder, `${this.#folder}-older`]) await removeJournal(folder);
    this.#main = this.#older = undefined;
    this.#hashes.forget(0);
  }
}

/** Whether the times of logs may be right: they don't decrease, and aggregators wrote the same into their answers. */
function isPlausible(events: readonly PriceEvent[], said: ReadonlyMap<number, number>, last: Block): boolean {
  let latest = 1;
  return events.every(({ block, change }) => {
    const time = said.get(block)!;
    const isRight = time >= latest && time <= last.time && (change.kind !== "answer" || change.updated === time);
    latest = time;
    return isRight;
  });
}

async function* journalEvents(journal: Journal | undefined): AsyncGenerator<PriceEvent> {
  // The journal may lose a page that turns out damaged.
  for (const page of [...(journal?.pages ?? [])]) {
    yield* parseEvents(Buffer.from(await journal!.get(page)).toString());
  }
}

async function* listed(events: readonly PriceEvent[]): AsyncGenerator<PriceEvent> {
  yield* events;
}

/** Merges streams in the order of the chain; an event that several have comes once. */
export async function* mergeEvents(streams: readonly AsyncGenerator<PriceEvent>[]): AsyncGenerator<PriceEvent> {
  const heads = await Promise.all(streams.map(async (stream) => ({ stream, next: await stream.next() })));
  for (;;) {
    const open = heads.filter(({ next }) => !next.done);
    if (open.length === 0) return;
    const [first, ...others] = open.map(({ next }) => next.value as PriceEvent);
    const least = others.reduce((best, event) => (chainOrder(event, best) < 0 ? event : best), first!);
    for (const head of open) {
      if (chainOrder(head.next.value as PriceEvent, least) === 0) head.next = await head.stream.next();
    }
    yield least;
  }
}

/** Yields the events with the times of their blocks' headers. */
export async function* withTimesOfHeaders(events: AsyncIterable<PriceEvent>, nodes: Nodes): AsyncGenerator<PriceEvent> {
  let waiting: PriceEvent[] = [];
  const flush = async function* () {
    const times = await timesOfHeaders(nodes, [...new Set(waiting.map(({ block }) => block))]);
    for (const event of waiting) yield { ...event, time: times.get(event.block)! };
    waiting = [];
  };
  for await (const event of events) {
    if (waiting.length >= AT_ONCE && event.block !== waiting.at(-1)!.block) yield* flush();
    waiting.push(event);
  }
  yield* flush();
}

/** Events whose times are read together. */
const AT_ONCE = 2_000;

const lengthOf = (ranges: readonly BlockRange[]) => ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
