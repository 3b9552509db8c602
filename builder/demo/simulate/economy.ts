/**
 * The simulated economy: its accounts, and the ways to compose a transfer. A composed transfer is always covered by its
 * sender's balance. What the accounts do with it is in behaviours.ts.
 */

import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { type AccountRole, Accounts, NO_EXCHANGE, SIMULATED_EXCHANGES } from "./accounts.ts";
import { Delay } from "./delay.ts";
import { MAX_SUPPLY } from "./grants.ts";
import type { TokenParameters } from "./parameters.ts";
import { Random, STREAMS, WeightedChoice } from "./random.ts";
import { HIGH_PER_TOKEN, LOW_DIGITS, SimulatedLedger, ZERO } from "./simulated-ledger.ts";

/** The accounts of one exchange. */
export interface Exchange {
  position: number;
  hot: number[];
  cold: number;
  /** Deposit addresses of its customers, in order of opening. */
  deposits: number[];
}

/** Seconds from a deposit to its sweep by the exchange, and from an arbitrageur's purchase to its sale. */
const SWEEP_AFTER = 1_200;
const FORWARD_AFTER = 120;

/** How long stakes are locked. */
const LOCK_DAYS = [30, 120, 360] as const;

const SMART_WALLET_SHARE = 0.005;

/** Share of due arrivals that become a deposit address, when a user deposits. */
const DEPOSIT_ADDRESS_SHARE = 0.35;

/** Share of the supply that would be bought in a day if every transfer were a purchase. */
const DAILY_PURCHASES = 0.018;
/** Largest part of a seller's balance that a purchase takes. */
const LARGEST_PART = 0.2;
/** Share of purchases of a round number of tokens. */
const ROUND_PURCHASE = 0.3;

/** Dust that users leave behind: up to this many ten-thousandths of a token. */
const DUST_HIGH = 3_000;

/** How much of its balance a user spends, by frequency. */
const SPENDINGS = new WeightedChoice(
  Object.entries({ all: 36, allButDust: 6, round: 18, part: 40 }),
  ([, weight]) => weight,
);
/** A whale has at least this share of the supply, and spends at most this part of it at once. */
const WHALE_SHARE = 0.001;
const WHALE_PART = 0.15;

/** So many users are drawn at random, and the one with the largest balance wakes up. */
const WAKING_DRAWS = 3;

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
  readonly ledger: SimulatedLedger;
  readonly staking: number;
  readonly pool: number;
  readonly exchanges: Exchange[];
  readonly #business: WeightedChoice<Exchange>;
  /** A typical purchase, as a share of the supply. */
  readonly #purchase: number;

  /** Unix seconds. */
  now = 0;
  /** From 0 to 1, as in market.ts. */
  heat = 0;

  /** The transfer composed last: accounts, and the amount as in ledger.ts. */
  from = ZERO;
  to = ZERO;
  high = 0;
  low = 0;

  /** The balances of all exchanges, in ten-thousandths of a token. */
  #reservesHigh = 0;

  /** The role of `to`, if the transfer opens that account. */
  #newcomer: AccountRole = role();
  /** Accounts that transfers should have opened by now. */
  #due: number;

  readonly #sweeps = new Delay<number>(SWEEP_AFTER);
  readonly #forwards = new Delay<number>(FORWARD_AFTER);
  readonly #locks = LOCK_DAYS.map(
    (days) => new Delay<{ staker: number; high: number; low: number }>(days * DAY_SECONDS),
  );

  constructor({ seed, transfers, addresses, days }: TokenParameters) {
    this.random = new Random(seed, STREAMS.economy);
    this.accounts = new Accounts(addresses + 1);
    this.ledger = new SimulatedLedger(addresses + 1);
    this.#purchase = (DAILY_PURCHASES * days) / transfers;
    const institution = (exchange = NO_EXCHANGE, contract = false) =>
      this.accounts.open({ isUser: false, exchange, contract });
    this.staking = institution(NO_EXCHANGE, true);
    this.pool = institution(NO_EXCHANGE, true);
    this.exchanges = SIMULATED_EXCHANGES.map(({ hotWallets, contractVault }, position) => ({
      position,
      hot: Array.from({ length: hotWallets }, () => institution(position)),
      cold: institution(position, contractVault),
      deposits: [],
    }));
    this.#business = new WeightedChoice(this.exchanges, ({ position }) => SIMULATED_EXCHANGES[position]!.business);
    this.#due = this.accounts.next;
  }

  get minted(): number {
    return this.ledger.mintedHigh / HIGH_PER_TOKEN;
  }

  /** Tokens that exchanges hold. */
  get reserves(): number {
    return this.#reservesHigh / HIGH_PER_TOKEN;
  }

  // Choosing accounts. The zero address stands for nobody.

  exchange(): Exchange {
    return this.#business.draw(this.random);
  }

  hotWallet({ hot }: Exchange): number {
    return hot[this.random.below(hot.length)]!;
  }

  /** A user with tokens who was active recently. */
  holder(): number {
    for (let attempt = 0; attempt < 4; attempt++) {
      const user = this.accounts.activeUser(this.random);
      if (!this.ledger.isEmpty(user)) return user;
    }
    return ZERO;
  }

  /** A user with tokens, however long ago it was active: rather one who has many. */
  wakingHolder(): number {
    let largest = ZERO;
    for (let draw = 0; draw < WAKING_DRAWS; draw++) {
      const user = this.accounts.anyUser(this.random);
      if (this.ledger.high[user]! > this.ledger.high[largest]!) largest = user;
    }
    return largest;
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
  newcomer(contract = this.random.chance(SMART_WALLET_SHARE)): number {
    this.#newcomer = role({ contract });
    return this.accounts.next;
  }

  /** A user's deposit address at an exchange: the same until the exchange opens another. */
  depositAddress({ position, deposits, hot }: Exchange, user: number): number {
    if (this.#isArrivalDue() && (deposits.length === 0 || this.random.chance(DEPOSIT_ADDRESS_SHARE))) {
      this.#newcomer = role({ isUser: false, exchange: position });
      return this.accounts.next;
    }
    return deposits[user % deposits.length] ?? hot[0]!;
  }

  /** Makes more arrivals due; may be a fraction. */
  expectArrivals(accounts: number): void {
    this.#due += accounts;
  }

  #isArrivalDue(): boolean {
    return this.#due - this.accounts.next >= 1;
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

  /** Up to a share of the sender's balance, as market makers move. */
  sendPart(from: number, to: number, share: number): boolean {
    return this.sendRounded(from, to, this.ledger.tokens(from) * share * this.random.unit());
  }

  /** What somebody buys: mostly little, seldom much, at times a round number of tokens. */
  purchase(from: number, to: number): boolean {
    const { random } = this;
    const most = this.ledger.tokens(from) * LARGEST_PART;
    // The mean of magnitudes is 1/9.
    const wanted = this.minted * this.#purchase * 9 * random.magnitude();
    const tokens = wanted > most ? most * random.unit() : wanted;
    return random.chance(ROUND_PURCHASE)
      ? this.sendRounded(from, to, roundDown(tokens))
      : this.sendPrecise(from, to, tokens);
  }

  /** A user sends all, nearly all, a round number or a part of its tokens. */
  spend(from: number, to: number): boolean {
    const { random, ledger } = this;
    const tokens = ledger.tokens(from);
    const isWhale = tokens > WHALE_SHARE * this.minted;
    const [spending] = SPENDINGS.draw(random);
    const part = random.unit() * (isWhale ? WHALE_PART : 1);
    if (spending === "round") return this.sendRounded(from, to, roundDown(tokens * part));
    if (spending === "part" || isWhale) return this.sendPrecise(from, to, tokens * part);
    const dustHigh = spending === "allButDust" ? random.below(DUST_HIGH) : 0;
    return dustHigh > 0 && ledger.high[from]! > dustHigh
      ? this.compose(from, to, ledger.high[from]! - dustHigh, ledger.low[from]!)
      : this.sendAll(from, to);
  }

  /** New tokens, as long as there may be more. */
  mint(to: number, tokens: number): boolean {
    return this.sendRounded(ZERO, to, Math.min(tokens, MAX_SUPPLY - this.minted));
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
    this.ledger.move(from, to, this.high, this.low);
    if (accounts.exchangeOf[from] !== NO_EXCHANGE) this.#reservesHigh -= this.high;
    if (accounts.exchangeOf[to] !== NO_EXCHANGE) this.#reservesHigh += this.high;
    accounts.recordActivity(from);
    accounts.recordActivity(to);
    if (accounts.exchangeOf[to] !== NO_EXCHANGE && this.#isDeposit(to)) this.#sweeps.put(to, this.now);
  }

  #open(): void {
    const account = this.accounts.open(this.#newcomer);
    const { isUser, exchange } = this.#newcomer;
    if (!isUser) this.exchanges[exchange]!.deposits.push(account);
  }

  /** Deposit addresses are opened after all wallets of exchanges. */
  #isDeposit(account: number): boolean {
    return account > this.exchanges.at(-1)!.cold;
  }
}

const role = (given: Partial<AccountRole> = {}): AccountRole => ({
  isUser: true,
  exchange: NO_EXCHANGE,
  contract: false,
  ...given,
});
