/** What pools and feeds emit when a price changes: the table of their events, and their short form in the journal. */

import { BadPage, type RawLog } from "../../chain/logs/pages.ts";

/** A change, in raw units. Mint and Burn of Uniswap v3 add to what the last Swap or Initialize left. */
export type PoolChange =
  | { kind: "reserves"; reserve0: bigint; reserve1: bigint }
  | { kind: "price"; sqrtPriceX96: bigint; liquidity: bigint; tick: number; amount0: bigint; amount1: bigint }
  | { kind: "liquidity"; lower: number; upper: number; delta: bigint }
  /** `updated`: the block's time as the contract knows it, Unix seconds. */
  | { kind: "answer"; answer: bigint; round: bigint; updated: number };

export interface PriceEvent {
  /** The time of the block, Unix seconds. */
  time: number;
  block: number;
  logIndex: number;
  /** Lower-case. */
  address: string;
  change: PoolChange;
}

/** Whether one event comes before another on the chain: below 0; 0 if they are the same. */
export const chainOrder = (a: PriceEvent, b: PriceEvent): number => a.block - b.block || a.logIndex - b.logIndex;

/** Reads the 32-byte words of a log's data, and its topics. */
interface Words {
  unsigned(index: number): bigint;
  signed(index: number): bigint;
  signedTopic(index: number): bigint;
}

interface EventShape {
  signature: string;
  topic: string;
  topics: number;
  words: number;
  read(words: Words): PoolChange;
}

/** Topics are the Keccak-256 of the signatures, which a test computes. */
const SYNC = {
  topics: 1,
  words: 2,
  read: ({ unsigned }: Words) => ({ kind: "reserves" as const, reserve0: unsigned(0), reserve1: unsigned(1) }),
};

const SWAP = {
  topics: 3,
  read: ({ unsigned, signed }: Words) => ({
    kind: "price" as const,
    sqrtPriceX96: unsigned(2),
    liquidity: unsigned(3),
    tick: Number(signed(4)),
    amount0: signed(0),
    amount1: signed(1),
  }),
};

export const PRICE_EVENTS: readonly EventShape[] = [
  {
    ...SYNC,
    signature: "Sync(uint112,uint112)",
    topic: "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  },
  // Aerodrome's volatile pools.
  {
    ...SYNC,
    signature: "Sync(uint256,uint256)",
    topic: "0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a",
  },
  {
    signature: "Initialize(uint160,int24)",
    topic: "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95",
    topics: 1,
    words: 2,
    // A pool has no liquidity before it is initialised.
    read: ({ unsigned, signed }) => ({
      kind: "price",
      sqrtPriceX96: unsigned(0),
      liquidity: 0n,
      tick: Number(signed(1)),
      amount0: 0n,
      amount1: 0n,
    }),
  },
  {
    ...SWAP,
    signature: "Swap(address,address,int256,int256,uint160,uint128,int24)",
    topic: "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
    words: 5,
  },
  // PancakeSwap v3.
  {
    ...SWAP,
    signature: "Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)",
    topic: "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
    words: 7,
  },
  {
    signature: "Mint(address,address,int24,int24,uint128,uint256,uint256)",
    topic: "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
    topics: 4,
    words: 4,
    read: ({ unsigned, signedTopic }) => ({
      kind: "liquidity",
      lower: Number(signedTopic(2)),
      upper: Number(signedTopic(3)),
      delta: unsigned(1),
    }),
  },
  {
    signature: "Burn(address,int24,int24,uint128,uint256,uint256)",
    topic: "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
    topics: 4,
    words: 3,
    read: ({ unsigned, signedTopic }) => ({
      kind: "liquidity",
      lower: Number(signedTopic(2)),
      upper: Number(signedTopic(3)),
      delta: -unsigned(0),
    }),
  },
  {
    signature: "AnswerUpdated(int256,uint256,uint256)",
    topic: "0x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f",
    topics: 3,
    words: 1,
    read: ({ unsigned, signedTopic }) => ({
      kind: "answer",
      answer: signedTopic(1),
      round: BigInt.asUintN(256, signedTopic(2)),
      updated: Number(unsigned(0)),
    }),
  },
];

const SHAPES = new Map(PRICE_EVENTS.map((shape) => [shape.topic, shape]));

export const TOPICS: readonly string[] = PRICE_EVENTS.map(({ topic }) => topic);

/**
 * Reads the change that a log records.
 *
 * @throws {BadPage} the log is not one of the table's
 */
export function readChange(log: RawLog): PoolChange {
  const shape = SHAPES.get(log.topics[0]!);
  if (!shape || log.topics.length !== shape.topics || log.data.length !== 2 + 64 * shape.words) {
    throw new BadPage(
      `the log ${Number(log.logIndex)} of block ${Number(log.blockNumber)} is not a pool's or a feed's`,
    );
  }
  const unsigned = (index: number) => BigInt(`0x${log.data.slice(2 + 64 * index, 66 + 64 * index)}`);
  return shape.read({
    unsigned,
    signed: (index) => BigInt.asIntN(256, unsigned(index)),
    signedTopic: (index) => BigInt.asIntN(256, BigInt(log.topics[index]!)),
  });
}

const LETTERS = { reserves: "r", price: "p", liquidity: "l", answer: "a" } as const;

/** Events as lines of text, for the journal: time, block, log index, address, letter and numbers. */
export function formatEvents(events: readonly PriceEvent[]): string {
  return events
    .map(({ time, block, logIndex, address, change: { kind, ...numbers } }) =>
      [time, block, logIndex, address, LETTERS[kind], ...Object.values(numbers)].join(" ").concat("\n"),
    )
    .join("");
}

export function* parseEvents(text: string): Generator<PriceEvent> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const [time, block, logIndex, address, letter, ...numbers] = text.slice(at, end).split(" ");
    const place = { time: Number(time), block: Number(block), logIndex: Number(logIndex), address: address! };
    yield { ...place, change: parseChange(letter!, numbers) };
    at = end + 1;
  }
}

function parseChange(letter: string, [a = "", b = "", c = "", d = "", e = ""]: readonly string[]): PoolChange {
  switch (letter) {
    case LETTERS.reserves:
      return { kind: "reserves", reserve0: BigInt(a), reserve1: BigInt(b) };
    case LETTERS.price: {
      const state = { sqrtPriceX96: BigInt(a), liquidity: BigInt(b), tick: Number(c) };
      return { kind: "price", ...state, amount0: BigInt(d), amount1: BigInt(e) };
    }
    case LETTERS.liquidity:
      return { kind: "liquidity", lower: Number(a), upper: Number(b), delta: BigInt(c) };
    default:
      return { kind: "answer", answer: BigInt(a), round: BigInt(b), updated: Number(c) };
  }
}
