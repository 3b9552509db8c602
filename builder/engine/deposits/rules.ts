/**
 * Deposit addresses: the rules, applied in one pass over the events in order. An address is out as soon as it breaks one,
 * whatever comes after, so each needs a few numbers only. Whether an address fits depends on its own events and on the
 * labels of those on the other side alone: any part of the addresses can be judged by itself.
 * Source: docs/methodology.md#deposit-addresses.
 */

import { CONTRACT, FIRST_EXCHANGE } from "../classification.ts";
import { type Groups, type History, isZero, toBigInt } from "../history.ts";
import { addTo, isAtMostPart, takeFrom } from "./raw-amounts.ts";

/** After a send, an address holds at most this part of what it has sent: one in so many. */
const KEPT_PART = 1000;

/** Seconds from the last receipt to a send, at most. */
const LONGEST_STAY = 86_400;

/** Events in order, as the addresses that are judged see them. */
export interface DepositEvents {
  history: History;
  /** The group of each address, by labels other than those of deposit addresses. */
  groups: Groups;
  /** The number under which an address of the history is judged; 0 if it is not. An address of an exchange never is. */
  judged: Uint32Array;
  /** The number of each address of `OTHER_EXCHANGES`, from 1; 0 for all others. */
  others: Uint32Array;
}

export interface DepositAddress {
  /** Its number in `judged`. */
  number: number;
  /** The group of its exchange. */
  group: number;
  /** The time of its first event, Unix seconds. */
  since: number;
  sends: number;
  /** Raw units that it has sent. */
  sent: bigint;
}

/** The exchange of an address that has sent nothing, and of one that has broken a rule: no exchange has these groups. */
const NOTHING_SENT = 0;
const OUT = 255;

/** Words of bits, one bit for each group. */
const GROUP_WORDS = 2;

export class DepositRules {
  #capacity = 0;
  /** 32-bit words of each sum: one more than the widest value has, so that no sum overflows. */
  #words = 2;
  /** What follows is by the number of the address. */
  #exchange = new Uint8Array(0);
  #since = new Float64Array(0);
  #lastReceipt = new Float64Array(0);
  #sends = new Uint32Array(0);
  /** Where it sends, if its exchange is one of `OTHER_EXCHANGES`. */
  #target = new Uint32Array(0);
  /** The groups of exchanges that it has received from. */
  #payers = new Uint32Array(0);
  #balance = new Uint32Array(0);
  #sent = new Uint32Array(0);

  /** @param addresses one more than the highest number that occurs */
  add({ history, groups, judged, others }: DepositEvents, addresses: number): void {
    const { rows, from, to, timestamp, values, valueWords: own } = history;
    this.#makeRoom(addresses, own + 1);
    const [exchange, since, lastReceipt, payers] = [this.#exchange, this.#since, this.#lastReceipt, this.#payers];
    const [balance, sent, words] = [this.#balance, this.#sent, this.#words];
    for (let row = 0; row < rows; row++) {
      const [source, target] = [from[row]!, to[row]!];
      const sender = judged[source]!;
      const receiver = judged[target]!;
      const isReceiverIn = receiver !== 0 && exchange[receiver] !== OUT;
      const isSenderIn = sender !== 0 && exchange[sender] !== OUT;
      if (!isReceiverIn && !isSenderIn) continue;
      const at = row * own;
      if (source === target || isZero(values, at, own)) continue;
      const time = timestamp[row]!;
      if (isReceiverIn) {
        const payer = groups[source]!;
        const isExchange = payer >= FIRST_EXCHANGE;
        if (source === 0 || payer === CONTRACT || (isExchange && payer === exchange[receiver]))
          exchange[receiver] = OUT;
        else {
          if (isExchange) payers[GROUP_WORDS * receiver + (payer >>> 5)]! |= 1 << (payer & 31);
          if (since[receiver]! < 0) since[receiver] = time;
          lastReceipt[receiver] = time;
          addTo(balance, receiver * words, words, values, at, own);
        }
      }
      if (isSenderIn) {
        const isKept =
          target !== 0 &&
          this.#sendsTo(sender, groups[target]!, others[target]!) &&
          lastReceipt[sender]! >= 0 &&
          time - lastReceipt[sender]! <= LONGEST_STAY &&
          takeFrom(balance, sender * words, words, values, at, own) &&
          isAtMostPart(KEPT_PART, balance, sender * words, words, values, at, own);
        if (isKept) addTo(sent, sender * words, words, values, at, own);
        else exchange[sender] = OUT;
      }
    }
  }

  /** Notes a send to an address of a group. @returns whether an address that sends there may be one of deposits */
  #sendsTo(sender: number, group: number, other: number): boolean {
    const exchange = this.#exchange[sender]!;
    if (group < FIRST_EXCHANGE) return false;
    if (exchange === NOTHING_SENT) {
      if (this.#payers[GROUP_WORDS * sender + (group >>> 5)]! & (1 << (group & 31))) return false;
      this.#exchange[sender] = group;
      this.#target[sender] = other;
    } else if (group !== exchange || this.#target[sender] !== other) return false;
    this.#sends[sender]!++;
    return true;
  }

  #makeRoom(addresses: number, words: number): void {
    if (words > this.#words) {
      [this.#balance, this.#sent] = [this.#balance, this.#sent].map((sums) => widened(sums, this.#words, words)) as [
        Uint32Array<ArrayBuffer>,
        Uint32Array<ArrayBuffer>,
      ];
      this.#words = words;
    }
    if (addresses <= this.#capacity) return;
    const before = this.#capacity;
    this.#capacity = Math.max(addresses, Math.ceil(1.5 * before));
    this.#exchange = grown(this.#exchange, new Uint8Array(this.#capacity));
    this.#since = grown(this.#since, new Float64Array(this.#capacity)).fill(-1, before);
    this.#lastReceipt = grown(this.#lastReceipt, new Float64Array(this.#capacity)).fill(-1, before);
    this.#sends = grown(this.#sends, new Uint32Array(this.#capacity));
    this.#target = grown(this.#target, new Uint32Array(this.#capacity));
    this.#payers = grown(this.#payers, new Uint32Array(GROUP_WORDS * this.#capacity));
    this.#balance = grown(this.#balance, new Uint32Array(this.#words * this.#capacity));
    this.#sent = grown(this.#sent, new Uint32Array(this.#words * this.#capacity));
  }

  /** The addresses that have broken no rule, and have sent, by their numbers. */
  *found(): Generator<DepositAddress> {
    for (let number = 1; number < this.#capacity; number++) {
      const group = this.#exchange[number]!;
      if (group === NOTHING_SENT || group === OUT) continue;
      yield {
        number,
        group,
        since: this.#since[number]!,
        sends: this.#sends[number]!,
        sent: toBigInt(this.#sent, number * this.#words, this.#words),
      };
    }
  }
}

function grown<T extends Uint8Array | Uint32Array | Float64Array>(column: T, into: T): T {
  into.set(column);
  return into;
}

function widened(sums: Uint32Array, words: number, into: number): Uint32Array {
  const wide = new Uint32Array((sums.length / words) * into);
  for (let from = 0, to = 0; from < sums.length; from += words, to += into) {
    for (let k = 0; k < words; k++) wide[to + k] = sums[from + k]!;
  }
  return wide;
}
