/** What the members of the economy do, and how often in which mood of the market. */

import { type Economy, MAX_SUPPLY } from "./economy.ts";
import { ZERO } from "./ledger.ts";
import type { Mood } from "./market.ts";
import { payInstalment } from "./programmes.ts";
import { Lottery } from "./random.ts";

/** Composes a transfer; returns false when there is none to be made. */
type Act = (economy: Economy) => boolean;

interface Behaviour {
  act: Act;
  /** Relative frequency in each mood. */
  calm: number;
  bull: number;
  bear: number;
  crash: number;
}

/** An exchange keeps between these shares of its reserve in hot wallets. */
const HOT_SHARE = { least: 0.1, most: 0.4 } as const;

const withdraw: Act = (economy) => economy.sell(economy.hotWallet(economy.exchange()), economy.receiver(), 0.05);

const deposit: Act = (economy) => {
  const user = economy.holder();
  return user !== ZERO && economy.spend(user, economy.depositAddress(economy.exchange(), user));
};

const pay: Act = (economy) => {
  const user = economy.holder();
  const receiver = economy.receiver();
  return user !== ZERO && user !== receiver && economy.spend(user, receiver);
};

const buyFromPool: Act = (economy) => economy.sell(economy.pool, economy.receiver(), 0.02);

const sellToPool: Act = (economy) => {
  const user = economy.holder();
  return user !== ZERO && economy.spend(user, economy.pool);
};

/** Buys at one exchange, with an account that has nothing, to sell at another within the same price: break-even. */
const arbitrage: Act = (economy) => {
  const account = economy.outsider();
  if (account === ZERO || !economy.sell(economy.hotWallet(economy.exchange()), account, 0.02)) return false;
  economy.forwardSoon(account);
  return true;
};

const moveBetweenExchanges: Act = (economy) => {
  const sender = economy.exchange();
  const receiver = economy.exchange();
  return sender !== receiver && economy.sell(economy.hotWallet(sender), economy.hotWallet(receiver), 0.2);
};

/** Moves the surplus of a hot wallet into the cold wallet, or fills it up from there. */
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

const stake: Act = (economy) => {
  const user = economy.holder();
  if (user === ZERO || !economy.spend(user, economy.staking)) return false;
  economy.lock();
  return true;
};

const mintReward: Act = (economy) => {
  const staker = economy.staker();
  const tokens = Math.min(economy.random.heavyTail() / 4, economy.mintable / 1e6);
  return staker !== ZERO && economy.sendPrecise(ZERO, staker, tokens);
};

const burn: Act = (economy) => {
  const user = economy.holder();
  return user !== ZERO && economy.sell(user, ZERO, 0.01);
};

/** A large purchase, delivered from a cold wallet: how a whale comes to be. */
const buyOverTheCounter: Act = (economy) => {
  const { cold } = economy.exchange();
  const share = 0.02 * economy.random.unit() * economy.random.unit();
  return economy.sendRounded(cold, economy.receiver(), economy.ledger.tokens(cold) * share);
};

/** A whale moves all it has to a fresh address, as holders do who change their keys or their custodian. */
const changeCustody: Act = (economy) => {
  const whale = economy.whale();
  const heir = economy.outsider();
  return whale !== ZERO && heir !== ZERO && economy.sendAll(whale, heir);
};

const sendToSelf: Act = (economy) => {
  const user = economy.holder();
  return user !== ZERO && economy.spend(user, user);
};

/** A transfer of nothing, as address poisoners put into other people's histories. */
const sendNothing: Act = (economy) => {
  const [from, to] = [economy.accounts.anyUser(economy.random), economy.accounts.anyUser(economy.random)];
  return economy.compose(from, to, 0, 0);
};

/** A speck of tokens for someone who did not ask for it. */
const sendDust: Act = (economy) => {
  const user = economy.holder();
  const victim = economy.accounts.anyUser(economy.random);
  return user !== ZERO && user !== victim && economy.sendPrecise(user, victim, 0);
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

const LOTTERIES: Record<Mood, Lottery<Behaviour>> = {
  calm: new Lottery(BEHAVIOURS, ({ calm }) => calm),
  bull: new Lottery(BEHAVIOURS, ({ bull }) => bull),
  bear: new Lottery(BEHAVIOURS, ({ bear }) => bear),
  crash: new Lottery(BEHAVIOURS, ({ crash }) => crash),
};

/** Composes a transfer of someone who wants to make one. */
export function behave(economy: Economy): void {
  const lottery = LOTTERIES[economy.mood];
  for (let attempt = 0; attempt < 32; attempt++) if (lottery.draw(economy.random).act(economy)) return;
  grant(economy, economy.receiver());
}

/** The treasury can always spare a little: it is the sender of last resort. */
export function grant(economy: Economy, to: number): void {
  economy.sendPrecise(economy.treasury, to, economy.ledger.tokens(economy.treasury) / MAX_SUPPLY);
}
