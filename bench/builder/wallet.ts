/**
 * Exchange wallets with a receipt and four small sends in every hour, and a sweep of all they have in the end: `wallet.ts METHOD
 * HOURS`. What a piece takes must not depend on how many lots there are.
 */

import { type EventChunk, REPLAY_ROWS } from "../../builder/engine/replay.ts";
import type { LotMethod } from "../../data-schema/registry.ts";
import { type TakenLots, TimedLots } from "./timed-lots.ts";

/** Pieces of small sends, and of the sweeps, and the seconds of CPU time of a piece of each; those of the first have their receipts. */
export type WalletFigures = Record<"pieces" | "sweptPieces" | "secondsAPiece" | "secondsASweptPiece", number>;

const WALLETS = 8;
const RECEIVED = 1_000;
const SENDS = 4;
const SENT = 10;
const HOUR = 3_600;
const START = 1_600_000_000 - (1_600_000_000 % (24 * HOUR));

type Event = [from: number, to: number, value: number, timestamp: number, price: number];

/** Prices have no order, and hardly one occurs twice. */
const priceIn = (hour: number) => 1 + ((hour * 7_919) % 100_003) / 100_003;

/** What wallets receive is minted, and what they send is burnt, so that nobody else has lots. */
function* traffic(hours: number): Generator<Event> {
  for (let hour = 0; hour < hours; hour++) {
    const [time, price] = [START + HOUR * hour, priceIn(hour)];
    for (let wallet = 1; wallet <= WALLETS; wallet++) yield [0, wallet, RECEIVED, time, price];
    for (let send = 1; send <= SENDS; send++) {
      for (let wallet = 1; wallet <= WALLETS; wallet++) yield [wallet, 0, SENT, time + 600 * send, price];
    }
  }
}

function* sweeps(hours: number): Generator<Event> {
  const rest = hours * (RECEIVED - SENDS * SENT);
  for (let wallet = 1; wallet <= WALLETS; wallet++) yield [wallet, 0, rest, START + HOUR * hours, priceIn(hours)];
}

function* chunksOf(events: Generator<Event>): Generator<EventChunk> {
  for (;;) {
    const rows: Event[] = [];
    for (let next = events.next(); !next.done; next = events.next()) {
      if (rows.push(next.value) === REPLAY_ROWS) break;
    }
    if (rows.length === 0) return;
    yield {
      from: Uint32Array.from(rows, ([from]) => from),
      to: Uint32Array.from(rows, ([, to]) => to),
      values: Uint32Array.from(rows, ([, , value]) => value),
      timestamp: Float64Array.from(rows, ([, , , time]) => time),
      price: Float64Array.from(rows, ([, , , , price]) => price),
    };
  }
}

const walletsOf = (method: LotMethod, hours: number): WalletFigures => {
  const lots = new TimedLots({
    method,
    addresses: 1 + WALLETS,
    decimals: 0,
    balanceWords: 2,
    valueWords: 1,
    firstClose: START + 24 * HOUR,
    closes: Math.floor(hours / 24),
  });
  const perPiece = ({ seconds, pieces }: TakenLots) => seconds / pieces;
  const small = lots.take(chunksOf(traffic(hours)));
  const swept = lots.take(chunksOf(sweeps(hours)));
  return {
    pieces: small.pieces,
    sweptPieces: swept.pieces,
    secondsAPiece: perPiece(small),
    secondsASweptPiece: perPiece(swept),
  };
};

const [method, hours] = process.argv.slice(2) as [LotMethod, string];
// The first one has the code compiled.
walletsOf(method, 2_000);
console.log(JSON.stringify(walletsOf(method, Number(hours))));
