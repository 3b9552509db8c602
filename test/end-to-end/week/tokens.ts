/** Tokens on one chain, which live a day at a time, and what each of their days must be published as. */

import { createHash } from "node:crypto";
import { type Anvil, openAnvil, type Transaction } from "../../fetch/chain/anvil.ts";
import { encode } from "../../fetch/chain/contracts.ts";
import { deployToken } from "../../fetch/chain/pools.ts";

const DAY = 86_400;
const UNIT = 10n ** 18n;

/** A day at its close: what `supply`, `num_addresses` and `num_transfers` of all addresses are. */
export interface ExpectedDay {
  supply: number;
  holders: number;
  transfers: number;
}

interface Token {
  address: string;
  balances: Map<string, bigint>;
  days: ExpectedDay[];
}

export class Tokens {
  readonly anvil: Anvil;
  /** The first midnight of the tokens, Unix seconds. */
  readonly start: number;
  readonly #tokens = new Map<string, Token>();
  #day = 0;

  private constructor(anvil: Anvil, start: number) {
    this.anvil = anvil;
    this.start = start;
  }

  /** Creates the tokens; the caller closes them. */
  static async open(symbols: readonly string[], start: number): Promise<Tokens> {
    const anvil = await openAnvil({ timestamp: start - 10 * DAY });
    const tokens = new Tokens(anvil, start);
    for (const symbol of symbols) {
      const address = await deployToken(anvil, `Token ${symbol}`, symbol);
      tokens.#tokens.set(symbol, { address, balances: new Map(), days: [] });
    }
    await anvil.mine(start + 60);
    return tokens;
  }

  close(): Promise<void> {
    return this.anvil.stop();
  }

  get symbols(): string[] {
    return [...this.#tokens.keys()];
  }

  addressOf(symbol: string): string {
    return this.#tokens.get(symbol)!.address;
  }

  /** The days of a token so far, the first one first. */
  daysOf(symbol: string): readonly ExpectedDay[] {
    return this.#tokens.get(symbol)!.days;
  }

  /** Lets a day pass, and makes it final. */
  async live(): Promise<void> {
    const deeds = this.symbols.map((symbol, index) => this.#deedsOf(symbol, index));
    const midnight = this.start + this.#day * DAY;
    // Two blocks, of which the second has what the receivers of the first send on.
    for (const [block, hours] of [6, 15].entries()) {
      await this.anvil.sendAll(deeds.flatMap((both) => both[block]!));
      await this.anvil.mine(midnight + hours * 3_600);
    }
    await this.anvil.mine(midnight + DAY + 12, 4);
    for (const { balances, days } of this.#tokens.values()) {
      const held = [...balances.values()].filter((balance) => balance > 0n);
      const supply = Number(held.reduce((sum, balance) => sum + balance, 0n) / UNIT);
      days.push({ supply, holders: held.length, transfers: 0 });
    }
    for (const [index, symbol] of this.symbols.entries()) {
      const moves = deeds[index]!.flat();
      this.#tokens.get(symbol)!.days.at(-1)!.transfers = moves.filter(({ isTransfer }) => isTransfer).length;
    }
    this.#day++;
  }

  /** A mint to a founder, payments to a newcomer and of that one to another, and, on some days, a burn. */
  #deedsOf(symbol: string, index: number): [Deed[], Deed[]] {
    const day = this.#day;
    const founder = person(symbol, 0);
    const [newcomer, other] = [person(symbol, 2 * day + 1), person(symbol, 2 * day + 2)];
    const token = this.#tokens.get(symbol)!;
    const first = [
      mint(token, founder, 1_000 + 10 * index + day),
      transfer(token, founder, newcomer, 100 + day),
      ...(day > 0 ? [transfer(token, founder, person(symbol, 1), 7)] : []),
    ];
    const second = [
      // On odd days all of it, which leaves no holder.
      transfer(token, newcomer, other, day % 2 === 1 ? 100 + day : 40),
      ...((day + index) % 3 === 0 ? [burn(token, founder, 5 + day)] : []),
    ];
    return [first, second];
  }
}

interface Deed extends Transaction {
  isTransfer: boolean;
}

const person = (symbol: string, number: number): string =>
  `0x${createHash("sha256").update(`person ${number} of ${symbol}`).digest("hex").slice(0, 40)}`;

function add({ balances }: Token, owner: string, tokens: number): void {
  balances.set(owner, (balances.get(owner) ?? 0n) + BigInt(tokens) * UNIT);
}

function mint(token: Token, to: string, tokens: number): Deed {
  add(token, to, tokens);
  return { to: token.address, data: encode("Token", "mint", to, BigInt(tokens) * UNIT), isTransfer: false };
}

function transfer(token: Token, from: string, to: string, tokens: number): Deed {
  add(token, from, -tokens);
  add(token, to, tokens);
  return { from, to: token.address, data: encode("Token", "transfer", to, BigInt(tokens) * UNIT), isTransfer: true };
}

function burn(token: Token, from: string, tokens: number): Deed {
  add(token, from, -tokens);
  return { from, to: token.address, data: encode("Token", "burn", BigInt(tokens) * UNIT), isTransfer: false };
}
