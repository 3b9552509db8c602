/**
 * The state of the simulated economy, and the ways to compose a transfer in it. What its members do is in
 * behaviours.ts; a transfer that is composed is covered by its sender's balance.
 */

import { Accounts, KINDS, NO_EXCHANGE, type Role, SMART_WALLET_ROLE, USER_ROLE } from "./accounts.ts";
import { Delay } from "./delay.ts";
import { EXCHANGES, type Exchange } from "./exchanges.ts";
import { HIGH_PER_TOKEN, Ledger, LOW_DIGITS, ZERO } from "./ledger.ts";
import type { Mood } from "./market.ts";
import { Lottery, type Random } from "./random.ts";

/** Whole tokens that can ever be minted. */
export const MAX_SUPPLY = 1_000_000_000;

/** Of them, what is minted to the vesting contract at the start. */
export const VESTED_TOKENS = 150_000_000;

const TEAM_MEMBERS = 6;

/** Seconds after a deposit when an exchange starts to sweep it, and after an arbitrageur's purchase when it is sold. */
const SWEEP_AFTER = 1_200;
const FORWARD_AFTER = 120;

/** Terms of a stake. */
const LOCK_DAYS = [30, 180, 720] as const;

const SMART_WALLET_SHARE = 0.005;

/** Of arrivals that meet a deposit, how many are a new deposit address. */
const DEPOSIT_ADDRESS_SHARE = 0.35;

/** Arrivals behind plan from which a transfer must bring one, and the chance that it does before that. */
const PATIENCE = 8;
const ARRIVAL_CHANCE = 0.3;

/** The smallest purchase from a seller who has plenty; the median is about three times that. */
const PURCHASE_USD = 40;
/** What a seller has when purchases from it are half as large as from plenty. */
const SCARCE_TOKENS = 1_500_000;
/** How often a purchase is of a round number of tokens. */
const ROUND_PURCHASE = 0.3;

/** A holder of more tokens than this is seldom moved to act, and then mostly to a small part of what it has. */
const WHALE_TOKENS = 500_000;
const WHALE_ACTS = 0.1;
const WHALE_PART = 0.1;

/** What users leave behind when they do not bother with the last digits: up to this many ten-thousandths of a token. */
const DUST_HIGH = 3_000;

interface Stake {
  staker: number;
  high: number;
  low: number;
}

/** How much of a balance is spent. */
type Spending = "all" | "allButDust" | "round" | "part";

const SPENDING: readonly { spending: Spending; weight: number }[] = [
  { spending: "all", weight: 36 },
  { spending: "allButDust", weight: 6 },
  { spending: "round", weight: 22 },
  { spending: "part", weight: 36 },
];
const SPENDINGS = new Lottery(SPENDING, ({ weight }) => weight);

/** The largest 1, 2 or 5 times a power of ten that is not above `tokens`; below one token, as it is. */
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
  readonly #business: Lottery<Exchange>;

  /** Tokens paid so far under each programme of programmes.ts. */
  readonly paid: number[] = [];

  /** Unix seconds. */
  now = 0;
  /** Share of the history that is over, 0 to 1. */
  elapsed = 0;
  priceUsd = 1;
  mood: Mood = "calm";

  /** The transfer composed last: accounts, and the amount as in ledger.ts. */
  from = ZERO;
  to = ZERO;
  high = 0;
  low = 0;

  /** What `to` becomes when it is the next account to open. */
  #newcomer: Role = USER_ROLE;
  /** Accounts that should have been opened by a transfer by now, and that have been. */
  #arrivalsDue = 0;
  #arrivals = 0;

  /** Users who have or had a great deal; some more than once. */
  readonly #whales: number[] = [];

  readonly #sweeps = new Delay<number>(SWEEP_AFTER);
  readonly #forwards = new Delay<number>(FORWARD_AFTER);
  readonly #locks = LOCK_DAYS.map((days) => new Delay<Stake>(days * 86_400));

  /** @param addresses how many accounts will have taken part in the end, besides the zero address */
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
    this.#business = new Lottery(this.exchanges, ({ business }) => business);
  }

  /** Tokens that may still be minted. */
  get mintable(): number {
    return MAX_SUPPLY - this.ledger.mintedHigh / HIGH_PER_TOKEN;
  }

  // Choosing who takes part. Zero, the zero address, stands for nobody.

  exchange(): Exchange {
    return this.#business.draw(this.random);
  }

  hotWallet({ hot }: Exchange): number {
    return hot[this.random.below(hot.length)];
  }

  /** A user who has something to send. */
  holder(): number {
    for (let attempt = 0; attempt < 4; attempt++) {
      const user = this.accounts.activeUser(this.random);
      const isMoved = !this.#isWhale(user) || this.random.chance(WHALE_ACTS);
      if (isMoved && !this.ledger.isEmpty(user)) return user;
    }
    return ZERO;
  }

  /** A user who has a great deal. */
  whale(): number {
    const whale = this.#whales[this.random.below(this.#whales.length)];
    return this.#isWhale(whale) ? whale : ZERO;
  }

  #isWhale(user: number): boolean {
    return this.ledger.high[user] >= WHALE_TOKENS * HIGH_PER_TOKEN;
  }

  /** A user who has nothing: a newcomer where one is due. */
  outsider(): number {
    if (this.#isArrivalDue()) return this.newcomer();
    for (let attempt = 0; attempt < 8; attempt++) {
      const user = this.accounts.activeUser(this.random);
      if (this.ledger.isEmpty(user)) return user;
    }
    return ZERO;
  }

  /** A user who receives: a newcomer where one is due. */
  receiver(): number {
    return this.#isArrivalDue() ? this.newcomer() : this.accounts.activeUser(this.random);
  }

  /** The account that is opened by the transfer to it. */
  newcomer(): number {
    this.#newcomer = this.random.chance(SMART_WALLET_SHARE) ? SMART_WALLET_ROLE : USER_ROLE;
    return this.accounts.next;
  }

  /** Where a user deposits at an exchange: always the same address, until the exchange opens more. */
  depositAddress({ position, deposits, hot }: Exchange, user: number): number {
    if (this.#isArrivalDue() && (deposits.length === 0 || this.random.chance(DEPOSIT_ADDRESS_SHARE))) {
      this.#newcomer = { kind: KINDS.deposit, exchange: position, contract: false };
      return this.accounts.next;
    }
    return deposits.length === 0 ? hot[0] : deposits[user % deposits.length];
  }

  /** Makes the arrival of more accounts due, in fractions of one. */
  expectArrivals(accounts: number): void {
    this.#arrivalsDue += accounts;
  }

  #isArrivalDue(): boolean {
    const behind = this.#arrivalsDue - this.#arrivals;
    return behind >= 1 && (behind >= PATIENCE || this.random.chance(ARRIVAL_CHANCE));
  }

  // Composing a transfer. Each returns whether there is one.

  compose(from: number, to: number, high: number, low: number): boolean {
    if (from !== ZERO && !this.ledger.covers(from, high, low)) return false;
    this.from = from;
    this.to = to;
    this.high = high;
    this.low = low;
    return true;
  }

  /** To the ten-thousandth of a token, as exchanges and people who type amounts do. */
  sendRounded(from: number, to: number, tokens: number): boolean {
    const high = Math.floor(tokens * HIGH_PER_TOKEN);
    return high > 0 && this.compose(from, to, high, 0);
  }

  /** To the last raw unit, as contracts do. */
  sendPrecise(from: number, to: number, tokens: number): boolean {
    const halfBase = 10 ** (LOW_DIGITS / 2);
    const low = this.random.below(halfBase) * halfBase + this.random.below(halfBase);
    return this.compose(from, to, Math.floor(tokens * HIGH_PER_TOKEN), low);
  }

  sendAll(from: number, to: number): boolean {
    return !this.ledger.isEmpty(from) && this.compose(from, to, this.ledger.high[from], this.ledger.low[from]);
  }

  /**
   * A purchase: many small and few large ones, but never more than `share` of what `from` has. The less it has the
   * smaller they are, so that exchanges do not run dry however long the history.
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

  /** What a user sends of what it has: all, nearly all, a round number, or some part. */
  spend(from: number, to: number): boolean {
    const { random, ledger } = this;
    const tokens = ledger.tokens(from);
    const { spending } = SPENDINGS.draw(random);
    const isWhale = this.#isWhale(from);
    // A product of two, so that small parts are the more likely.
    const part = random.unit() * random.unit() * (isWhale ? WHALE_PART : 1);
    if (spending === "round") return this.sendRounded(from, to, roundDown(tokens * part));
    if (spending === "part" || isWhale) return this.sendPrecise(from, to, tokens * part);
    const dustHigh = spending === "allButDust" ? random.below(DUST_HIGH) : 0;
    return dustHigh > 0 && ledger.high[from] > dustHigh
      ? this.compose(from, to, ledger.high[from] - dustHigh, ledger.low[from])
      : this.sendAll(from, to);
  }

  // What follows from an earlier transfer.

  /** Remembers that an arbitrageur is about to sell what it bought. */
  forwardSoon(account: number): void {
    this.#forwards.put(account, this.now);
  }

  /** Remembers the stake that was just composed, for a term drawn at random. */
  lock(): void {
    const stake: Stake = { staker: this.from, high: this.high, low: this.low };
    this.#locks[this.random.below(LOCK_DAYS.length)].put(stake, this.now);
  }

  /** Someone with a stake. */
  staker(): number {
    const lock = this.#locks[this.random.below(LOCK_DAYS.length)];
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
      const exchange = this.exchanges[this.accounts.exchangeOf[deposit]];
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
    if (this.#newcomer.kind === KINDS.deposit) this.exchanges[this.#newcomer.exchange].deposits.push(account);
  }
}
