/** What the first logs of a contract amount to, if it records its transfers in a certain way. */

import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import type { EventKind, Source } from "../../input/asset/source.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../lib/widths.ts";
import type { RawLog } from "../chain/logs/pages.ts";
import { decodeLogs } from "../transfers/decode-logs.ts";
import { EVENT_SHAPES } from "../transfers/event-shapes.ts";

export interface Replayed {
  /** Change of the balance of each address, raw units; without the zero address. */
  changes: Map<string, bigint>;
  /** Mints minus burns. */
  supply: bigint;
  hasMint: boolean;
  /** Addresses that sent more than they had received. */
  overdrawn: Set<string>;
}

/**
 * @param logs of all kinds, in order
 * @throws {Failure} the contract records its transfers in a way that Soprano does not read
 * @throws {BadPage} the logs are not of this kind
 */
export function replay(
  logs: readonly RawLog[],
  contract: string,
  events: EventKind,
  owners: NonNullable<Source["owners"]> = [],
): Replayed {
  const topics = new Set(EVENT_SHAPES[events].map(({ topic0 }) => topic0));
  const own = logs.filter((log) => topics.has(log.topics[0]!.toLowerCase()));
  const { columns } = decodeLogs(own, { contract, events, owners });
  const replayed: Replayed = { changes: new Map(), supply: 0n, hasMint: false, overdrawn: new Set() };
  for (let row = 0; row < columns.rows; row++) {
    const from = hexOf(columns.from, row, ADDRESS_BYTES);
    const to = hexOf(columns.to, row, ADDRESS_BYTES);
    const value = BigInt(hexOf(columns.value, row, VALUE_BYTES));
    if (from === ZERO_ADDRESS) {
      replayed.supply += value;
      replayed.hasMint = true;
    } else if (change(replayed, from, -value) < 0n) {
      replayed.overdrawn.add(from);
    }
    if (to === ZERO_ADDRESS) replayed.supply -= value;
    else change(replayed, to, value);
  }
  return replayed;
}

function change({ changes }: Replayed, address: string, value: bigint): bigint {
  const balance = (changes.get(address) ?? 0n) + value;
  changes.set(address, balance);
  return balance;
}

const hexOf = (bytes: Uint8Array, row: number, width: number) =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset + row * width, width).toString("hex")}`;
