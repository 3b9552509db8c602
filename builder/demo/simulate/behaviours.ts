/** What the accounts do, and how often in each market regime. */

import { type Economy, MAX_SUPPLY, VESTED_TOKENS } from "./economy.ts";
import { ZERO } from "./ledger.ts";
import type { Regime } from "./market.ts";
import { WeightedChoice } from "./random.ts";

/** Composes a transfer; returns false when that is impossible. */
type Act = (economy: Economy) => boolean;

/** An act, and its relative frequency in each regime. */
type Behaviour = { act: Act } & Record<Regime, number>;

/** Something that a user with tokens does. */
function byHolder(act: (economy: Economy, user: number) => boolean): Act {
  return (economy) => {
    const user = economy.holder();
    return user !== ZERO && act(economy, user);
  };
}

/** Limits of the share of an exchange's reserve in its hot wallets. */
const HOT_SHARE = { least: 0.1, most: 0.4 } as const;

const withdraw: Act = (economy) => economy.sell(economy.hotWallet(economy.exchange()), economy.receiver(), 0.05);

const deposit = byHolder((economy, user) => economy.spend(user, economy.depositAddress(economy.exchange(), user)));

const pay: Act = (economy) => {
  const user = economy.holder();
  const receiver = economy.receiver();
  return user !== ZERO && user !== receiver && economy.spend(user, receiver);
};

const buyFromPool: Act = (economy) => economy.sell(economy.pool, economy.receiver(), 0.02);

const sellToPool = byHolder((economy, user) => economy.spend(user, economy.pool));

/** An empty account buys at one exchange, to sell at another within the same hour: a break-even trade. */
const arbitrage: Act = (economy) => {
  const account = economy.emptyUser();
  if (account === ZERO || !economy.sell(economy.hotWallet(economy.exchange()), account, 0.02)) return false;
  economy.forwardSoon(account);
  return true;
};

const moveBetweenExchanges: Act = (economy) => {
  const sender = economy.exchange();
  const receiver = economy.exchange();
  return sender !== receiver && economy.sell(economy.hotWallet(sender), economy.hotWallet(receiver), 0.2);
};

/** Moves the surplus of a hot wallet to the cold wallet, or refills it from there. */
const rebalance: Act = (economy) => {
  const exchange = economy.exchange();
  const hot = economy.hotWallet(exchange);
  const hotTokens = economy.ledger.tokens(hot) * exchange.hot.length;
  const coldTokens = economy.ledger.tokens(exchange.cold);
  const share = hotTokens / (hotTokens + coldTokens);
  const amount = (Math.abs(hotTokens - coldTokens / 4) / exchange.hot.length) * 0.8;
  if (share > HOT_SHARE.most) return economy.sendRounded(hot, exchange.cold, amount);
  return share < HOT_SHARE.least && economy.sendRounded(exchange.cold, hot, amount);
};

const stake = byHolder((economy, user) => {
  if (!economy.spend(user, economy.staking)) return false;
  economy.lock();
  return true;
});

const mintReward: Act = (economy) => {
  const staker = economy.staker();
  const tokens = Math.min(economy.random.heavyTail() / 4, economy.mintable / 1e6);
  return staker !== ZERO && economy.sendPrecise(ZERO, staker, tokens);
};

const burn = byHolder((economy, user) => economy.sell(user, ZERO, 0.01));

/** A large purchase, delivered from a cold wallet. It creates whales. */
const buyOverTheCounter: Act = (economy) => {
  const { cold } = economy.exchange();
  const share = 0.02 * economy.random.unit() * economy.random.unit();
  return economy.sendRounded(cold, economy.receiver(), economy.ledger.tokens(cold) * share);
};

/** A whale moves everything to an empty address, as after a change of keys or custodian. */
const changeCustody: Act = (economy) => {
  const whale = economy.whale();
  const successor = economy.emptyUser();
  return whale !== ZERO && successor !== ZERO && economy.sendAll(whale, successor);
};

const sendToSelf = byHolder((economy, user) => economy.spend(user, user));

/** A transfer of 0 between two strangers, as in address poisoning. */
const sendNothing: Act = (economy) => {
  const [from, to] = [economy.accounts.anyUser(economy.random), economy.accounts.anyUser(economy.random)];
  return economy.compose(from, to, 0, 0);
};

/** A tiny amount that the receiver didn't ask for. */
const sendDust: Act = (economy) => {
  const user = economy.holder();
  const victim = economy.accounts.anyUser(economy.random);
  return user !== ZERO && user !== victim && economy.sendPrecise(user, victim, 0);
};

/** What the issuer pays, mints and burns over the whole history, in proportion to time. */
interface Emission {
  from: (economy: Economy) => number;
  to: (economy: Economy) => number;
  /** Whole tokens in all, and the number of payments at most. */
  tokens: number;
  instalments: number;
}

const EMISSIONS: readonly Emission[] = [
  {
    from: ({ vesting }) => vesting,
    to: ({ team, random }) => team[random.below(team.length)]!,
    tokens: VESTED_TOKENS,
    instalments: 200,
  },
  {
    from: ({ treasury }) => treasury,
    to: (economy) => economy.hotWallet(economy.exchange()),
    tokens: 80_000_000,
    instalments: 400,
  },
  { from: ({ treasury }) => treasury, to: () => ZERO, tokens: 30_000_000, instalments: 24 },
  { from: () => ZERO, to: ({ treasury }) => treasury, tokens: 90_000_000, instalments: 36 },
];

/** Composes the payment of what is due of one emission, if that is at least an instalment. */
const payInstalment: Act = (economy) => {
  const index = economy.random.below(EMISSIONS.length);
  const { from, to, tokens, instalments } = EMISSIONS[index]!;
  const paid = economy.emitted[index] ?? 0;
  const due = Math.floor(tokens * economy.elapsed - paid);
  if (due < tokens / instalments || !economy.sendRounded(from(economy), to(economy), due)) return false;
  economy.emitted[index] = paid + due;
  return true;
};

const BEHAVIOURS: readonly Behaviour[] = [
  { act: withdraw, calm: 18, bull: 24, bear: 15, crash: 12 },
  { act: deposit, calm: 14, bull: 13, bear: 18, crash: 28 },
  { act: pay, calm: 20, bull: 16, bear: 16, crash: 12 },
  { act: buyFromPool, calm: 8, bull: 12, bear: 7, crash: 6 },
  { act: sellToPool, calm: 7, bull: 7, bear: 9, crash: 14 },
  { act: arbitrage, calm: 3, bull: 5, bear: 3, crash: 6 },
  { act: moveBetweenExchanges, calm: 1.5, bull: 2, bear: 1.5, crash: 3 },
  { act: rebalance, calm: 1.5, bull: 1.5, bear: 1.5, crash: 3 },
  { act: stake, calm: 3, bull: 3, bear: 2, crash: 0.5 },
  { act: mintReward, calm: 2.5, bull: 2.5, bear: 2.5, crash: 1 },
  { act: buyOverTheCounter, calm: 0.01, bull: 0.02, bear: 0.01, crash: 0 },
  { act: changeCustody, calm: 0.01, bull: 0.02, bear: 0.01, crash: 0.02 },
  { act: payInstalment, calm: 0.5, bull: 0.5, bear: 0.5, crash: 0.5 },
  { act: burn, calm: 0.3, bull: 0.3, bear: 0.3, crash: 0.3 },
  { act: sendToSelf, calm: 0.15, bull: 0.15, bear: 0.15, crash: 0.1 },
  { act: sendNothing, calm: 0.25, bull: 0.4, bear: 0.25, crash: 0.2 },
  { act: sendDust, calm: 0.2, bull: 0.4, bear: 0.2, crash: 0.2 },
];

const CHOICES: Record<Regime, WeightedChoice<Behaviour>> = {
  calm: new WeightedChoice(BEHAVIOURS, ({ calm }) => calm),
  bull: new WeightedChoice(BEHAVIOURS, ({ bull }) => bull),
  bear: new WeightedChoice(BEHAVIOURS, ({ bear }) => bear),
  crash: new WeightedChoice(BEHAVIOURS, ({ crash }) => crash),
};

/** Composes a transfer by a random behaviour. */
export function behave(economy: Economy): void {
  const behaviours = CHOICES[economy.regime];
  for (let attempt = 0; attempt < 32; attempt++) if (behaviours.draw(economy.random).act(economy)) return;
  grant(economy, economy.receiver());
}

/** A small payment by the treasury, which never runs dry: the fallback when nothing else is possible. */
export function grant(economy: Economy, to: number): void {
  economy.sendPrecise(economy.treasury, to, economy.ledger.tokens(economy.treasury) / MAX_SUPPLY);
}
