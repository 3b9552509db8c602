/** What is checked: transfers, and the chain that they come from. */

import { addressTexts } from "../../chain/hex.ts";
import { readInOrder } from "../../chain/logs/in-order.ts";
import { nodeLogs } from "../../chain/logs/node-logs.ts";
import type { BlockRange, LogFilter, RawLog } from "../../chain/logs/pages.ts";
import { unitedLogs } from "../../chain/logs/united-logs.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import { decodeLogs, type EventSource, transferFilter } from "../../transfers/decode-logs.ts";
import type { TransferColumns } from "../../transfers/fetched-columns.ts";
import { valueAt } from "../ledgers/ledger.ts";

export interface Subject {
  nodes: Nodes;
  source: EventSource;
  /** The blocks that `transfers` covers. */
  range: BlockRange;
  /** All transfers of the range, in the order of the chain. Called several times. */
  transfers(): AsyncIterable<TransferColumns>;
}

/** One row of transfers. Addresses are 0x and 40 lower-case digits; values are raw units. */
export interface Transfer {
  block: number;
  logIndex: number;
  from: string;
  to: string;
  value: bigint;
}

interface ReadLogsOptions {
  /** Indexes of nodes, whose logs together are read; without, all nodes share the work. */
  of?: readonly number[] | undefined;
  filter?: LogFilter;
  /** Logs that a block most likely has. */
  density?: number | undefined;
}

/** Reads transfers from nodes: in order, times left out. */
export async function readTransferLogs(
  { nodes, source }: Pick<Subject, "nodes" | "source">,
  ranges: readonly BlockRange[],
  { of, filter = transferFilter(source), density }: ReadLogsOptions = {},
): Promise<TransferColumns[]> {
  const decode = (logs: readonly RawLog[]) => (logs.length > 0 ? [decodeLogs(logs, source).columns] : []);
  const pages = await readInOrder(of ? unitedLogs(nodes, of) : nodeLogs(nodes), filter, ranges, decode, { density });
  return pages.filter(({ rows }) => rows > 0);
}

/** The rows of columns; only those from or to some addresses, if they are named. */
export function* rowsOf(columns: TransferColumns, parties?: ReadonlySet<string>): Generator<Transfer> {
  const keys = parties && new Set(Array.from(parties, (party) => Number.parseInt(party.slice(34), 16)));
  const [froms, tos] = [columns.from, columns.to].map(({ buffer, byteOffset }) => new DataView(buffer, byteOffset));
  for (let row = 0; row < columns.rows; row++) {
    // The last 4 bytes of an address tell nearly all others apart.
    if (keys && !keys.has(froms!.getUint32(20 * row + 16)) && !keys.has(tos!.getUint32(20 * row + 16))) continue;
    const addressAt = (column: Uint8Array) => addressTexts(column.subarray(20 * row, 20 * row + 20))[0]!;
    const [from, to] = [addressAt(columns.from), addressAt(columns.to)];
    if (parties && !parties.has(from) && !parties.has(to)) continue;
    yield {
      block: columns.block[row]!,
      logIndex: columns.logIndex[row]!,
      from,
      to,
      value: valueAt(columns.value, row),
    };
  }
}

/** What transfers change in the balance of an address. */
export function netOf(transfers: Iterable<Transfer>, address: string): bigint {
  let net = 0n;
  for (const { from, to, value } of transfers) net += (to === address ? value : 0n) - (from === address ? value : 0n);
  return net;
}
