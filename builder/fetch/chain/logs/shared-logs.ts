/**
 * Readings of few logs that begin at the same time, as those of many quiet assets in a night, share requests: a filter names
 * all their contracts, and each gets the logs of its own blocks. Source: docs/chain.md#many-assets.
 */

import { Gathered } from "../../../lib/gathered.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { OF_THE_NODE } from "../rpc/failures.ts";
import { FEW_LOGS } from "./page-size.ts";
import {
  BadPage,
  type BlockRange,
  joined,
  type LogFilter,
  type LogSource,
  missingParts,
  type RawLog,
  type ReadOptions,
} from "./pages.ts";

/** One of the readings. */
interface Reading {
  addresses: readonly string[];
  topics: LogFilter["topics"];
  /** Ascending. */
  ranges: readonly BlockRange[];
  options: ReadOptions;
  /** Decodes the logs of a part of its blocks, and hands them on. */
  take(logs: readonly RawLog[], part: BlockRange): Promise<void>;
  /** Reads blocks without the others. */
  alone(ranges: readonly BlockRange[]): Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

const blocksOf = (ranges: readonly BlockRange[]) => ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/**
 * A source of logs that puts readings together.
 *
 * @param read reads logs from nodes for one of them
 */
export function sharedLogs(nodes: Nodes, read: LogSource["read"]): LogSource {
  const gathered = new Gathered<Reading>((readings) => {
    const most = Math.max(...nodes.active.map((node) => nodes.known.listLimits.get(node)?.most ?? Infinity));
    for (const group of groupsOf(readings, most)) void readGroup(group, read);
  });
  return {
    name: "rpc",
    read(filter, ranges, decode, onPage, options = {}) {
      const { density, node, isRepeated } = options;
      const wanted = ranges.filter(({ from, to }) => from <= to);
      const isShared = density !== undefined && node === undefined && !isRepeated;
      if (!isShared || density * blocksOf(wanted) > FEW_LOGS) return read(filter, ranges, decode, onPage, options);
      const { topics } = filter;
      return new Promise((resolve, reject) => {
        gathered.add(JSON.stringify(topics), {
          addresses: [filter.address].flat(),
          topics,
          ranges: wanted,
          options,
          take: async (logs, part) => onPage(part, await decode(logs, part)),
          alone: (rest) => read(filter, rest, decode, onPage, options),
          resolve,
          reject,
        });
      });
    },
  };
}

/** Readings that go together: those of which some begin earlier read more for the others, of which little is expected. */
function groupsOf(readings: readonly Reading[], mostAddresses: number): Reading[][] {
  const groups: Reading[][] = [];
  let [addresses, density] = [0, 0];
  for (const reading of readings.toSorted((a, b) => (a.ranges[0]?.from ?? 0) - (b.ranges[0]?.from ?? 0))) {
    const group = groups.at(-1);
    addresses += reading.addresses.length;
    density += reading.options.density!;
    const blocks = blocksOf(joined([...(group ?? []), reading].flatMap(({ ranges }) => ranges)));
    if (group && addresses <= mostAddresses && density * blocks <= FEW_LOGS) group.push(reading);
    else {
      groups.push([reading]);
      [addresses, density] = [reading.addresses.length, reading.options.density!];
    }
  }
  return groups;
}

async function readGroup(group: readonly Reading[], read: LogSource["read"]): Promise<void> {
  const [first] = group as [Reading];
  if (group.length === 1) return first.alone(first.ranges).then(first.resolve, first.reject);
  const done = new Map(group.map((reading) => [reading, [] as BlockRange[]]));
  /** Why a reading takes no more. */
  const failures = new Map<Reading, unknown>();
  const take = async (reading: Reading, logs: readonly RawLog[], page: BlockRange) => {
    const own = new Set(reading.addresses.map((address) => address.toLowerCase()));
    const isOwn = ({ address }: RawLog) => own.has(address.toLowerCase());
    for (const { from, to } of reading.ranges) {
      const part = { from: Math.max(from, page.from), to: Math.min(to, page.to) };
      if (part.from > part.to || failures.has(reading)) continue;
      try {
        await reading.take(
          logs.filter((log) => isOwn(log) && isWithin(Number(log.blockNumber), part)),
          part,
        );
        done.get(reading)!.push(part);
      } catch (error) {
        failures.set(reading, error);
      }
    }
  };
  const filter = { address: [...new Set(group.flatMap(({ addresses }) => addresses))], topics: first.topics };
  const ranges = joined(group.flatMap((reading) => reading.ranges));
  const density = group.reduce((sum, { options }) => sum + options.density!, 0);
  const { signal } = group.find(({ options }) => options.signal)?.options ?? {};
  let failure: { error: unknown } | undefined;
  try {
    const onPage = async (page: BlockRange, logs: readonly RawLog[]) => {
      await Promise.all(group.map((reading) => take(reading, logs, page)));
    };
    await read(filter, ranges, (logs) => logs, onPage, { density, signal });
  } catch (error) {
    failure = { error };
  }
  for (const reading of group) {
    const error = failures.has(reading) ? failures.get(reading) : failure?.error;
    const parts = done.get(reading)!.sort((a, b) => a.from - b.from);
    if (error === undefined) reading.resolve();
    else if (isOfGroup(error)) reading.alone(missingParts(reading.ranges, parts)).then(reading.resolve, reading.reject);
    else reading.reject(error);
  }
}

/** Whether a reading may succeed without the others. Where nothing is answered in time, it would wait as long once more. */
const isOfGroup = (error: unknown) =>
  error instanceof BadPage ||
  (error instanceof NodeFailure && !OF_THE_NODE.has(error.kind) && error.kind !== "timed-out");

const isWithin = (block: number, { from, to }: BlockRange) => block >= from && block <= to;
