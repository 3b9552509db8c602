/** Logs → transfers. Sees every log of a fetch, so it allocates nothing for one. */

import type { EventKind } from "../../input/asset/source.ts";
import { Failure } from "../../lib/failure.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../lib/widths.ts";
import { BadPage, type LogFilter, type RawLog } from "../chain/logs/pages.ts";
import { EVENT_SHAPES, type EventForm, type EventShape, type Field } from "./event-shapes.ts";
import { emptyColumns, type TransferColumns } from "./fetched-columns.ts";

/** Which logs to decode, and what they don't tell. */
export interface EventSource {
  contract: string;
  events: EventKind;
  /** The owners whose balance Issue and Redeem move, from which block on; ascending. */
  owners?: readonly { fromBlock: number; address: string }[];
}

/** What to ask a node for. */
export function transferFilter({ contract, events }: EventSource): LogFilter {
  const topics = EVENT_SHAPES[events].map(({ topic0 }) => topic0);
  return { address: contract, topics: topics.length === 1 ? topics : [topics] };
}

/** A decoded page, whose times are still to be completed. */
export interface DecodedPage {
  /** Times are 0 where the logs have none, or differ. */
  columns: TransferColumns;
  /** The blocks that have logs, ascending. */
  blocks: { number: number; hash: string; firstRow: number }[];
}

const NO_DIGIT = 0x80;
/** What each character stands for. */
const DIGITS = new Uint8Array(1 << 16).fill(NO_DIGIT);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** `0x` and one word. */
const WORD_DIGITS = 64;
const CLEAN = "0".repeat(WORD_DIGITS - 2 * ADDRESS_BYTES);

/**
 * Decodes the logs of a page, sorted by block and log index.
 *
 * @throws {BadPage} a node can't have taken these logs from a chain, so another may answer better
 * @throws {Failure} the contract records its transfers in another way; names the block and log index
 */
export function decodeLogs(logs: readonly RawLog[], source: EventSource): DecodedPage {
  const shapes = new Map(EVENT_SHAPES[source.events].map((shape) => [shape.topic0, shape]));
  const columns = emptyColumns(logs.length);
  const blocks: DecodedPage["blocks"] = [];
  const { block, logIndex, time, from, to, value } = columns;
  let last = { number: -1, hash: "", time: -1, text: "" };
  for (let row = 0; row < logs.length; row++) {
    const log = logs[row]!;
    if (log.blockNumber !== last.text) {
      const [number, hash] = [Number(log.blockNumber), log.blockHash];
      if (!(number > last.number)) throw new BadPage(`its logs are not in the order of blocks at block ${number}`);
      last = { number, hash, time: timeOf(log), text: log.blockNumber };
      blocks.push({ number, hash, firstRow: row });
    } else if (log.blockHash !== last.hash) {
      throw new BadPage(`it has two blocks ${last.number}: ${last.hash} and ${log.blockHash}`);
    } else if (last.time !== 0 && timeOf(log) !== last.time) {
      // Its header knows better.
      last.time = 0;
      time[blocks.at(-1)!.firstRow] = 0;
    }
    const form = formOf(log, shapes, source.contract);
    block[row] = last.number;
    logIndex[row] = Number(log.logIndex);
    time[row] = last.time;
    if (log.data.length !== 2 + WORD_DIGITS * form.words) {
      throw new BadPage(`${placeOf(log)} has ${log.data.length / 2 - 1} bytes of data instead of ${32 * form.words}`);
    }
    writeAddress(log, form.from, source, from, ADDRESS_BYTES * row);
    writeAddress(log, form.to, source, to, ADDRESS_BYTES * row);
    writeValue(log, form.value, value, VALUE_BYTES * row);
  }
  return { columns, blocks };
}

/** Nodes that don't know a block's time leave it out or send 0. */
const timeOf = ({ blockTimestamp }: RawLog) => (blockTimestamp === undefined ? 0 : Number(blockTimestamp));

const placeOf = (log: RawLog) => `the log ${Number(log.logIndex)} of block ${Number(log.blockNumber)}`;

function formOf(log: RawLog, shapes: ReadonlyMap<string, EventShape>, contract: string): EventForm {
  const shape = shapes.get(log.topics[0]!) ?? shapes.get(log.topics[0]!.toLowerCase());
  if (shape === undefined) throw new BadPage(`${placeOf(log)} is another event`);
  const form = shape.forms[log.topics.length];
  if (typeof form === "object") return form;
  const name = shape.signature.split("(")[0];
  const why = form ?? `it has ${log.topics.length - 1} indexed parameters, as no contract of this kind has`;
  throw new Failure(
    `${contract} can't be fetched: of the event ${name} in ${placeOf(log)}, ${why}. Name another contract, or bring its ` +
      "transfers as a file.",
  );
}

function writeAddress(log: RawLog, field: Field, source: EventSource, into: Uint8Array, at: number): void {
  if (field === "zero") return;
  if (field === "owner") {
    writeHex(ownerOf(log, source), 2, ADDRESS_BYTES, into, at, log);
    return;
  }
  const text = "topic" in field ? log.topics[field.topic]! : log.data;
  const start = "topic" in field ? 2 : 2 + WORD_DIGITS * field.word;
  // What is not an address may be a token's number, or damage: both would make up an address.
  if (!text.startsWith(CLEAN, start)) throw new BadPage(`${placeOf(log)} has more than an address where one belongs`);
  writeHex(text, start + CLEAN.length, ADDRESS_BYTES, into, at, log);
}

function writeValue(log: RawLog, field: Field, into: Uint8Array, at: number): void {
  if (typeof field === "string") throw new Error(`A value can't be ${field}.`);
  const text = "topic" in field ? log.topics[field.topic]! : log.data;
  writeHex(text, "topic" in field ? 2 : 2 + WORD_DIGITS * field.word, VALUE_BYTES, into, at, log);
}

/** Decodes `bytes` bytes from the digits of a text. A table of digits is as fast as Node's own decoder, which needs a copy. */
function writeHex(text: string, start: number, bytes: number, into: Uint8Array, at: number, log: RawLog): void {
  let seen = text.length >= start + 2 * bytes ? 0 : NO_DIGIT;
  for (let byte = 0; byte < bytes; byte++) {
    const high = DIGITS[text.charCodeAt(start + 2 * byte)]!;
    const low = DIGITS[text.charCodeAt(start + 2 * byte + 1)]!;
    seen |= high | low;
    into[at + byte] = (high << 4) | low;
  }
  if (seen & NO_DIGIT) throw new BadPage(`${placeOf(log)} has characters that are not hexadecimal digits`);
}

function ownerOf(log: RawLog, { contract, owners = [] }: EventSource): string {
  const block = Number(log.blockNumber);
  const owner = owners.findLast(({ fromBlock }) => fromBlock <= block);
  if (owner) return owner.address;
  throw new Failure(
    `${contract} can't be fetched: ${placeOf(log)} moves the balance of the contract's owner, who is not known at that ` +
      'block. Add the owner to "owners" of "source" in ASSET.json, with the first block from which that holds.',
  );
}
