/**
 * Whether the events that a kind of contract adds to Transfer move tokens themselves, or come beside a Transfer that says
 * the same: OpenZeppelin's Mint and Burn did either, by its version.
 */

import type { EventKind, Source } from "../../input/asset/source.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../lib/widths.ts";
import type { RawLog } from "../chain/logs/pages.ts";
import { decodeLogs } from "../transfers/decode-logs.ts";
import { EVENT_SHAPES } from "../transfers/event-shapes.ts";

/** What logs show of the events that a kind adds. */
export interface OwnEvents {
  /** Topics of events that came without such a Transfer, and of those that came with one. */
  alone: ReadonlySet<string>;
  beside: ReadonlySet<string>;
}

/**
 * @param logs of all kinds, in order
 * @throws as `decodeLogs`
 */
export function ownEvents(
  logs: readonly RawLog[],
  contract: string,
  events: EventKind,
  owners: NonNullable<Source["owners"]>,
): OwnEvents {
  const [transfer, ...own] = EVENT_SHAPES[events].map(({ topic0 }) => topic0);
  const topicOf = ({ topics }: RawLog) => topics[0]!.toLowerCase();
  const read = logs.filter((log) => topicOf(log) === transfer || own.includes(topicOf(log)));
  const { block, from, to, value } = decodeLogs(read, { contract, events, owners }).columns;
  const hexOf = (bytes: Uint8Array, row: number, width: number) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + row * width, width).toString("hex");
  const keyOf = (row: number) =>
    [block[row], hexOf(from, row, ADDRESS_BYTES), hexOf(to, row, ADDRESS_BYTES), hexOf(value, row, VALUE_BYTES)].join();
  const transfers = new Set(read.flatMap((log, row) => (topicOf(log) === transfer ? [keyOf(row)] : [])));
  const found = { alone: new Set<string>(), beside: new Set<string>() };
  for (const [row, log] of read.entries()) {
    if (topicOf(log) !== transfer) found[transfers.has(keyOf(row)) ? "beside" : "alone"].add(topicOf(log));
  }
  return found;
}

/** The topics of the events that a kind adds to Transfer. */
export const topicsOf = (events: EventKind): string[] => EVENT_SHAPES[events].slice(1).map(({ topic0 }) => topic0);

/** Whether a kind has mints that are no Transfer. */
export const hasOwnMints = (events: EventKind): boolean =>
  EVENT_SHAPES[events]
    .slice(1)
    .some(({ forms }) => Object.values(forms).some((form) => typeof form === "object" && form.from === "zero"));

/** Many contracts have events of these names beside their Transfers: that their code names them says nothing. */
export const OFTEN_BESIDE: ReadonlySet<EventKind> = new Set<EventKind>(["ds-token", "zeppelin-burn"]);
