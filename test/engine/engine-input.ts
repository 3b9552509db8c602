/** A reference token as the columns that the engine replays. */

import { CONTRACT, DEPOSIT_ADDRESS, FIRST_EXCHANGE, USER } from "../../builder/engine/classification.ts";
import type { AssetParameters, Groups, History, Prices } from "../../builder/engine/history/history.ts";
import { balanceEdges } from "../../data-schema/asset.ts";
import { EXCHANGE_SELECTORS, type ExchangeSelector } from "../../data-schema/registry/exchanges.ts";
import { replayOrder, type Token, type Transfer, ZERO_ADDRESS } from "../reference/reference.ts";

export interface EngineInput {
  history: History;
  prices: Prices;
  groups: Groups;
  parameters: AssetParameters;
}

/** All events, those at or after `asOf` too: it is the engine that leaves them out. */
export function toEngineInput(token: Token): EngineInput {
  const events = replayOrder({ ...token, asOf: Infinity });
  const ids = addressIds(events);
  const prices = [...token.prices].sort((a, b) => a[0] - b[0]);
  return {
    history: {
      rows: events.length,
      block: float64(events.map((event) => event.block)),
      logIndex: uint32(events.map((event) => event.logIndex)),
      timestamp: float64(events.map((event) => event.timestamp)),
      from: uint32(events.map((event) => ids.get(event.from)!)),
      to: uint32(events.map((event) => ids.get(event.to)!)),
      ...valueColumns(events),
      addresses: uint8([...ids.keys()].flatMap((address) => [...Buffer.from(address.slice(2), "hex")])),
    },
    prices: { timestamp: float64(prices.map(([time]) => time)), usd: float64(prices.map(([, usd]) => usd)) },
    groups: uint8(addressGroups(token, [...ids.keys()])),
    parameters: {
      decimals: token.decimals,
      balanceEdges: balanceEdges(token.maxSupply, token.decimals),
      asOf: token.asOf,
    },
  };
}

/** The zero address is 0; the others count up in order of first appearance, sender before receiver. */
function addressIds(events: Transfer[]): Map<string, number> {
  const order = new Set([ZERO_ADDRESS, ...events.flatMap((event) => [event.from, event.to])]);
  return new Map([...order].map((address, id) => [address, id]));
}

/** The label of each address of a history: its group, with a mark if it is a deposit address. */
export function groupsOf(token: Token, { addresses }: History): Groups {
  const texts = Array.from({ length: addresses.length / 20 }, (_, number) => {
    return `0x${Buffer.from(addresses.subarray(20 * number, 20 * number + 20)).toString("hex")}`;
  });
  return uint8(addressGroups(token, texts));
}

function addressGroups(token: Token, addresses: string[]): number[] {
  const exchanges = new Map(Object.entries(token.exchanges).map(([address, name]) => [address.toLowerCase(), name]));
  const deposits = new Map(
    Object.entries(token.deposits ?? {}).map(([address, name]) => [address.toLowerCase(), name]),
  );
  const contracts = new Set(token.contracts.map((address) => address.toLowerCase()));
  return addresses.map((address) => {
    const name = exchanges.get(address);
    if (name !== undefined) return exchangeGroup(name);
    const deposited = deposits.get(address);
    if (deposited !== undefined) return exchangeGroup(deposited) | DEPOSIT_ADDRESS;
    return contracts.has(address) ? CONTRACT : USER;
  });
}

/** `all` is a selector but no exchange: as a label it is unlisted, and so `other`. */
function exchangeGroup(name: string): number {
  const selector = name === "all" ? -1 : EXCHANGE_SELECTORS.indexOf(name as ExchangeSelector);
  return FIRST_EXCHANGE + (selector === -1 ? EXCHANGE_SELECTORS.indexOf("other") : selector) - 1;
}

/** Little-endian 32-bit words, as many a row as the largest value needs. */
function valueColumns(events: Transfer[]): Pick<History, "valueWords" | "values"> {
  const hexDigits = events.reduce((most, { value }) => Math.max(most, value.toString(16).length), 1);
  const valueWords = Math.ceil(hexDigits / 8);
  const words = events.flatMap(({ value }) =>
    Array.from({ length: valueWords }, (_, word) => Number((value >> BigInt(32 * word)) & 0xffff_ffffn)),
  );
  return { valueWords, values: uint32(words) };
}

function float64(values: number[]): Float64Array<SharedArrayBuffer> {
  const column = new Float64Array(new SharedArrayBuffer(8 * values.length));
  column.set(values);
  return column;
}

function uint32(values: number[]): Uint32Array<SharedArrayBuffer> {
  const column = new Uint32Array(new SharedArrayBuffer(4 * values.length));
  column.set(values);
  return column;
}

function uint8(values: number[]): Uint8Array<SharedArrayBuffer> {
  const column = new Uint8Array(new SharedArrayBuffer(values.length));
  column.set(values);
  return column;
}
