/**
 * The state of the simulated economy, and the ways to compose a transfer. A composed transfer is always covered by its
 * sender's balance. What the accounts do with it is in behaviours.ts.
 */

import {
  Accounts,
  EXCHANGES,
  type Exchange,
  KINDS,
  NO_EXCHANGE,
  type Role,
  SMART_WALLET_ROLE,
  USER_ROLE,
} from "./accounts.ts";
import { Delay } from "./delay.ts";
import { HIGH_PER_TOKEN, Ledger, LOW_DIGITS, ZERO } from "./ledger.ts";
import type { Regime } from "./market.ts";
import { type Random, WeightedChoice } from "./random.ts";

/** Whole tokens that can ever be minted. */
export const MAX_SUPPLY = 1_000_000_000;

/** Minted to the vesting contract at the start. */
export const VESTED_TOKENS = 150_000_000;

const TEAM_MEMBERS = 6;

/** Seconds from a deposit to its sweep by the exchange, and from an arbitrageur's purchase to its sale. */
const SWEEP_AFTER = 1_200;
const FORWARD_AFTER = 120;

/** How long stakes are locked. */
const LOCK_DAYS = [30, 180, 720] as const;

const SMART_WALLET_SHARE = 0.005;

/** Share of due arrivals that become a deposit address, when a user deposits. */
const DEPOSIT_ADDRESS_SHARE = 0.35;

/** With this many overdue arrivals, every transfer opens an account; with fewer, it does so by this chance. */
const MAX_OVERDUE = 8;
const ARRIVAL_CHANCE = 0.3;

/** The smallest purchase from a seller who has plenty; the median is about three times that. */
const PURCHASE_USD = 40;
/** A seller with this many tokens sells half as much as one with plenty. */
const SCARCE_TOKENS = 1_500_000;
/** Share of purchases of a round number of tokens. */
const ROUND_PURCHASE = 0.3;

/** A holder of at least so many tokens seldom acts, and then mostly with a small part of them. */
const WHALE_TOKENS = 500_000;
const WHALE_ACTS = 0.1;
const WHALE_PART = 0.1;

/** Dust that users leave behind: up to this many ten-thousandths of a token. */
const DUST_HIGH = 3_000;

/** How much of a balance a user spends. */
const SPENDING_WEIGHTS = { all: 36, allButDust: 6, round: 22, part: 36 } as const;
const SPENDINGS = new WeightedChoice(Object.entries(SPENDING_WEIGHTS), ([, weight]) => weight);

/** The largest 1, 2 or 5 times a power of ten that is not above `tokens`; unchanged below one token. */
function roundDown(tokens: number): number {
  if (tokens < 1) return tokens;
  let power = 1;
  while (power * 10 <= tokens) power *= 10;
  return power * (tokens >= power * 5 ? 5 : tokens >= power * 2 ? 2 : 1);
}

export class Economy {
  readonly random: Random;
  readonly accounts: Accounts;
  readonly ledger: Ledger;

  readonly treasury: number;
  readonly vesting: number;
  readonly staking: number;
  readonly pool: number;
  readonly team: number[];
  readonly exchanges: Exchange[];
  readonly #business: WeightedChoice<Exchange>;

  /** Tokens paid so far of each emission in behaviours.ts. */
  readonly emitted: number[] = [];

  /** Unix seconds. */
  now = 0;
  /** Elapsed share of the history, 0 to 1. */
  elapsed = 0;
  priceUsd = 1;
  regime: Regime = "calm";

  /** The transfer composed last: accounts, and the amount as in ledger.ts. */
  from = ZERO;
  to = ZERO;
  high = 0;
  low = 0;

  /** The role of `to`, if the transfer opens that account. */
  #newcomer: Role = USER_ROLE;
  /** Accounts that transfers should have opened by now, and those that they have opened. */
  #arrivalsDue = 0;
  #arrivals = 0;

  /** Users who are or were whales; some more than once. */
  readonly #whales: number[] = [];

  readonly #sweeps = new Delay<number>(SWEEP_AFTER);
  readonly #forwards = new Delay<number>(FORWARD_AFTER);
  readonly #locks = LOCK_DAYS.map((days) => new Delay<{ staker: number; high: number; low: number }>(days * 86_400));

  /** @param addresses accounts at the end, without the zero address */
  constructor(addresses: number, random: Random) {
    this.random = random;
    this.accounts = new Accounts(addresses + 1);
    this.ledger = new Ledger(addresses + 1);
    const institution = (exchange = NO_EXCHANGE, contract = false) =>
      this.accounts.open({ kind: KINDS.institution, exchange, contract });
    this.treasury = institution();
    this.vesting = institution(NO_EXCHANGE, true);
    this.staking = institution(NO_EXCHANGE, true);
    this.pool = institution(NO_EXCHANGE, true);
    this.team = Array.from({ length: TEAM_MEMBERS }, () => this.accounts.open(USER_ROLE));
    this.exchanges = EXCHANGES.map(({ business, hotWallets, contractVault = false }, position) => ({
      position,
      business,
      hot: Array.from({ length: hotWallets }, () => institution(position)),
      cold: institution(position, contractVault),
      deposits: [],
    }));
    this.#business = new WeightedChoice(this.exchanges, ({ business }) => business);
  }

  /** Tokens that may still be minted. */
  get mintable(): number {
    return MAX_SUPPLY - this.ledger.mintedHigh / HIGH_PER_TOKEN;
  }

  // Choosing accounts. The zero address stands for nobody.

  exchange(): Exchange {
    return this.#business.draw(this.random);
  }

  hotWallet({ hot }: Exchange): number {
    return hot[this.random.below(hot.length)]!;
  }

  /** A user with tokens. */
  holder(): number {
    for (let attempt = 0; attempt < 4; attempt++) {
      const user = this.accounts.activeUser(this.random);
      const isMoved = !this.#isWhale(user) || this.random.chance(WHALE_ACTS);
      if (isMoved && !this.ledger.isEmpty(user)) return user;
    }
    return ZERO;
  }

  /** A user with many tokens. */
  whale(): number {
    const whale = this.#whales[this.random.below(this.#whales.length)] ?? ZERO;
    return this.#isWhale(whale) ? whale : ZERO;
  }

  #isWhale(user: number): boolean {
    return this.ledger.high[user]! >= WHALE_TOKENS * HIGH_PER_TOKEN;
  }

  /** A user without tokens: a newcomer, if one is due. */
  emptyUser(): number {
    if (this.#isArrivalDue()) return this.newcomer();
    for (let attempt = 0; attempt < 8; attempt++) {
      const user = this.accounts.activeUser(this.random);
      if (this.ledger.isEmpty(user)) return user;
    }
    return ZERO;
  }

  /** A user to receive tokens: a newcomer, if one is due. */
  receiver(): number {
    return this.#isArrivalDue() ? this.newcomer() : this.accounts.activeUser(this.random);
  }

  /** The account that the next transfer to it opens. */
  newcomer(): number {
    this.#newcomer = this.random.chance(SMART_WALLET_SHARE) ? SMART_WALLET_ROLE : USER_ROLE;
    return this.accounts.next;
  }

  /** A user's deposit address at an exchange: the same until the exchange opens another. */
  depositAddress({ position, deposits, hot }: Exchange, user: number): number {
    if (this.#isArrivalDue() && (deposits.length === 0 || this.random.chance(DEPOSIT_ADDRESS_SHARE))) {
      this.#newcomer = { kind: KINDS.deposit, exchange: position, contract: false };
      return this.accounts.next;
    }
    return deposits[user % deposits.length] ?? hot[0]!;
  }

  /** Makes more arrivals due; may be a fraction. */
  expectArrivals(accounts: number): void {
    this.#arrivalsDue += accounts;
  }

  #isArrivalDue(): boolean {
    const behind = this.#arrivalsDue - this.#arrivals;
    return behind >= 1 && (behind >= MAX_OVERDUE || this.random.chance(ARRIVAL_CHANCE));
  }

  // Composing a transfer. Each returns false when that is impossible.

  compose(from: number, to: number, high: number, low: number): boolean {
    if (from !== ZERO && !this.ledger.covers(from, high, low)) return false;
    this.from = from;
    this.to = to;
    this.high = high;
    this.low = low;
    return true;
  }

  /** Rounded to a ten-thousandth of a token, like amounts that people type. */
  sendRounded(from: number, to: number, tokens: number): boolean {
    const high = Math.floor(tokens * HIGH_PER_TOKEN);
    return high > 0 && this.compose(from, to, high, 0);
  }

  /** Sends an amount exact to the last raw unit, like those that contracts compute. */
  sendPrecise(from: number, to: number, tokens: number): boolean {
    const halfBase = 10 ** (LOW_DIGITS / 2);
    const low = this.random.below(halfBase) * halfBase + this.random.below(halfBase);
    return this.compose(from, to, Math.floor(tokens * HIGH_PER_TOKEN), low);
  }

  sendAll(from: number, to: number): boolean {
    return !this.ledger.isEmpty(from) && this.compose(from, to, this.ledger.high[from]!, this.ledger.low[from]!);
  }

  /**
   * A purchase from `from`: mostly small, seldom large, never more than `share` of its balance. The smaller the balance
   * the smaller the purchases, so that exchanges don't run dry in a long history.
   */
  sell(from: number, to: number, share: number): boolean {
    const { random } = this;
    const held = this.ledger.tokens(from);
    const most = held * share;
    const typicalUsd = (PURCHASE_USD * held) / (held + SCARCE_TOKENS);
    let tokens = (typicalUsd * random.heavyTail()) / this.priceUsd;
    if (tokens > most) tokens = most * random.unit();
    return random.chance(ROUND_PURCHASE)
      ? this.sendRounded(from, to, roundDown(tokens))
      : this.sendPrecise(from, to, tokens);
  }

  /** A user sends all, nearly all, a round number or a part of its tokens. */
  spend(from: number, to: number): boolean {
    const { random, ledger } = this;
    const tokens = ledger.tokens(from);
    const [spending] = SPENDINGS.draw(random);
    const isWhale = this.#isWhale(from);
    // The product of two random numbers: small parts are more likely.
    const part = random.unit() * random.unit() * (isWhale ? WHALE_PART : 1);
    if (spending === "round") return this.sendRounded(from, to, roundDown(tokens * part));
    if (spending === "part" || isWhale) return this.sendPrecise(from, to, tokens * part);
    const dustHigh = spending === "allButDust" ? random.below(DUST_HIGH) : 0;
    return dustHigh > 0 && ledger.high[from]! > dustHigh
      ? this.compose(from, to, ledger.high[from]! - dustHigh, ledger.low[from]!)
      : this.sendAll(from, to);
  }

  // Following up earlier transfers.

  /** Schedules an arbitrageur's sale of what it bought. */
  forwardSoon(account: number): void {
    this.#forwards.put(account, this.now);
  }

  /** Schedules the end of the stake that was just composed. */
  lock(): void {
    const stake = { staker: this.from, high: this.high, low: this.low };
    this.#locks[this.random.below(LOCK_DAYS.length)]!.put(stake, this.now);
  }

  /** A user with a stake. */
  staker(): number {
    const lock = this.#locks[this.random.below(LOCK_DAYS.length)]!;
    return lock.peek(this.random.unit())?.staker ?? ZERO;
  }

  /** Composes what is due: an arbitrageur's sale, the sweep of a deposit, the end of a stake. */
  followUp(): boolean {
    const { now } = this;
    while (this.#forwards.isDue(now)) {
      const account = this.#forwards.take();
      if (this.sendAll(account, this.depositAddress(this.exchange(), account))) return true;
    }
    while (this.#sweeps.isDue(now)) {
      const deposit = this.#sweeps.take();
      const exchange = this.exchanges[this.accounts.exchangeOf[deposit]!]!;
      if (this.sendAll(deposit, this.hotWallet(exchange))) return true;
    }
    for (const lock of this.#locks) {
      if (lock.isDue(now)) {
        const { staker, high, low } = lock.take();
        return this.compose(this.staking, staker, high, low);
      }
    }
    return false;
  }

  /** Carries out the composed transfer. */
  settle(): void {
    const { accounts, from, to } = this;
    if (to === accounts.next) this.#open();
    const wasWhale = this.#isWhale(to);
    this.ledger.move(from, to, this.high, this.low);
    if (!wasWhale && this.#isWhale(to) && accounts.kind[to] === KINDS.user) this.#whales.push(to);
    accounts.recordActivity(from);
    accounts.recordActivity(to);
    if (accounts.kind[to] === KINDS.deposit) this.#sweeps.put(to, this.now);
  }

  #open(): void {
    const account = this.accounts.open(this.#newcomer);
    this.#arrivals++;
    if (this.#newcomer.kind === KINDS.deposit) this.exchanges[this.#newcomer.exchange]!.deposits.push(account);
  }
}
