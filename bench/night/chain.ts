/**
 * A made-up chain of many quiet tokens, by arithmetic: a block a minute for three years. Each token was minted to fifty
 * holders over time, and last two days ago. The second half of the tokens has two pools each, one of them priced by a feed
 * that all share.
 */

import { SELECTORS } from "../../builder/fetch/chain/selectors.ts";
import { type Chain, type Log, TRANSFER, word } from "../node/chain.ts";

const GENESIS = Date.UTC(2023, 0, 1) / 1000;
export const BLOCK_SECONDS = 60;
const DAY_BLOCKS = 86_400 / BLOCK_SECONDS;
const HOUR_BLOCKS = 3_600 / BLOCK_SECONDS;

const SYNC = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
const ANSWER = "0x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f";

const MINTS = 300;
const HOLDERS = 50;
const VALUE = 10n ** 18n;
const RESERVES = [10n ** 24n, 2n * 10n ** 24n] as const;

export const FIRST_BLOCK = 10;

const addressOf = (kind: number, index: number, part = 0) =>
  `0x${(2n ** 152n + BigInt(kind) * 2n ** 64n + BigInt(index) * 2n ** 8n + BigInt(part)).toString(16).padStart(40, "0")}`;

export const tokenOf = (index: number) => addressOf(1, index);
export const poolOf = (index: number, which: 0 | 1) => addressOf(2, index, which);
const holderOf = (index: number, holder: number) => addressOf(3, index, holder);
const QUOTE = addressOf(4, 0);
export const FEED = addressOf(5, 0);
const AGGREGATOR = addressOf(6, 0);

type Calls = Record<string, (block: number, parameter: string) => string>;

export class QuietChain implements Chain {
  readonly genesis = GENESIS;
  readonly blockSeconds = BLOCK_SECONDS;
  readonly tokens: number;
  /** The last block of all transfers. */
  readonly lastMint: number;
  readonly #step: number;
  readonly #contracts = new Map<string, { calls: Calls; logs(from: number, to: number): Log[] }>();

  /** @param days until the night that is measured */
  constructor(tokens: number, days: number) {
    this.tokens = tokens;
    this.lastMint = (days - 2) * DAY_BLOCKS;
    this.#step = Math.floor((this.lastMint - FIRST_BLOCK) / MINTS);
    for (let index = 0; index < tokens; index++) {
      this.#contracts.set(tokenOf(index), this.#token(index));
      for (const which of [0, 1] as const) this.#contracts.set(poolOf(index, which), this.#pool(index, which));
    }
    this.#contracts.set(QUOTE, { calls: { [SELECTORS["decimals()"]]: () => word(18) }, logs: () => [] });
    this.#contracts.set(FEED, this.#feed());
    this.#contracts.set(AGGREGATOR, this.#aggregator());
  }

  call(to: string, data: string, block: number): string | undefined {
    return this.#contracts.get(to)?.calls[data.slice(0, 10)]?.(block, data.slice(10));
  }

  isContract(address: string): boolean {
    return this.#contracts.has(address);
  }

  logs(addresses: readonly string[], from: number, to: number): Log[] {
    const found = addresses.flatMap((address) => this.#contracts.get(address)?.logs(from, to) ?? []);
    return found.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  }

  /** Mints up to a block. */
  #minted = (block: number) =>
    block < FIRST_BLOCK ? 0 : Math.min(MINTS, Math.floor((block - FIRST_BLOCK) / this.#step) + 1);

  #token(index: number) {
    const calls: Calls = {
      [SELECTORS["decimals()"]]: () => word(18),
      [SELECTORS["totalSupply()"]]: (block) => word(BigInt(this.#minted(block)) * VALUE),
      [SELECTORS["balanceOf(address)"]]: (block, parameter) => {
        const holder = Array.from({ length: HOLDERS }, (_, one) => holderOf(index, one)).indexOf(
          `0x${parameter.slice(24)}`,
        );
        const minted = this.#minted(block);
        const count = holder < 0 ? 0 : Math.ceil(Math.max(0, minted - holder) / HOLDERS);
        return word(BigInt(count) * VALUE);
      },
    };
    const logs = (from: number, to: number) => {
      const [first, end] = [this.#minted(from - 1), this.#minted(to)];
      return Array.from({ length: Math.max(0, end - first) }, (_, i): Log => {
        const mint = first + i;
        return {
          block: FIRST_BLOCK + mint * this.#step,
          logIndex: index,
          address: tokenOf(index),
          topics: [TRANSFER, `0x${word(0)}`, `0x${word(BigInt(holderOf(index, mint % HOLDERS)))}`],
          data: `0x${word(VALUE)}`,
        };
      });
    };
    return { calls, logs };
  }

  /** A pool that nobody has used since it was filled. */
  #pool(index: number, which: 0 | 1) {
    const address = poolOf(index, which);
    const filled = FIRST_BLOCK + 1;
    const isThere = (block: number) => block >= filled;
    const calls: Calls = {
      [SELECTORS["token0()"]]: () => word(BigInt(tokenOf(index))),
      [SELECTORS["token1()"]]: () => word(BigInt(QUOTE)),
      [SELECTORS["getReserves()"]]: (block) =>
        [...(isThere(block) ? [...RESERVES, GENESIS + filled * BLOCK_SECONDS] : [0, 0, 0])].map(word).join(""),
      [SELECTORS["price0CumulativeLast()"]]: () => word(0),
      [SELECTORS["price1CumulativeLast()"]]: () => word(0),
    };
    const log: Log = {
      block: filled,
      logIndex: 1_000 + 2 * index + which,
      address,
      topics: [SYNC],
      data: `0x${RESERVES.map(word).join("")}`,
    };
    return { calls, logs: (from: number, to: number) => (from <= filled && filled <= to ? [log] : []) };
  }

  #feed() {
    const calls: Calls = {
      [SELECTORS["decimals()"]]: () => word(8),
      [SELECTORS["aggregator()"]]: () => word(BigInt(AGGREGATOR)),
      [SELECTORS["phaseId()"]]: () => word(1),
      [SELECTORS["phaseAggregators(uint16)"]]: () => word(BigInt(AGGREGATOR)),
    };
    return { calls, logs: () => [] };
  }

  /** An answer an hour. */
  #aggregator() {
    const answerOf = (round: number) => 2_000_00000000 + (round % 97) * 1_000_000;
    const timeOf = (round: number) => GENESIS + round * HOUR_BLOCKS * BLOCK_SECONDS;
    const roundAt = (block: number) => Math.floor(block / HOUR_BLOCKS);
    const calls: Calls = {
      [SELECTORS["latestRound()"]]: (block) => word(roundAt(block)),
      [SELECTORS["latestAnswer()"]]: (block) => word(answerOf(roundAt(block))),
      [SELECTORS["latestTimestamp()"]]: (block) => word(timeOf(roundAt(block))),
      [SELECTORS["getRoundData(uint80)"]]: (_, parameter) => {
        const round = Number(`0x${parameter}`);
        return [round, answerOf(round), timeOf(round), timeOf(round), round].map(word).join("");
      },
    };
    const logs = (from: number, to: number) => {
      const first = Math.max(1, Math.ceil(from / HOUR_BLOCKS));
      return Array.from({ length: Math.max(0, roundAt(to) - first + 1) }, (_, i): Log => {
        const round = first + i;
        return {
          block: round * HOUR_BLOCKS,
          logIndex: 9_999,
          address: AGGREGATOR,
          topics: [ANSWER, `0x${word(answerOf(round))}`, `0x${word(round)}`],
          data: `0x${word(timeOf(round))}`,
        };
      });
    };
    return { calls, logs };
  }
}
