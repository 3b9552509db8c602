/** What the accounts do, and how often: in calm times, and at the top of a market. */

import type { Economy } from "./economy.ts";
import { WeightedChoice } from "./random.ts";
import { ZERO } from "./simulated-ledger.ts";

/** Composes a transfer; returns false when that is impossible. */
type Act = (economy: Economy) => boolean;

/** Something that a user with tokens does. */
const byHolder =
  (act: (economy: Economy, user: number) => boolean): Act =>
  (economy) => {
    const user = economy.holder();
    return user !== ZERO && act(economy, user);
  };

/** Share of the supply that exchanges are to hold: in calm times, and how much more at a top. */
const RESERVES = { calm: 0.1, top: 0.09 } as const;
/** Share of the supply that the pool is to hold. */
const POOL = 0.03;

/** Chance that a seller has been dormant: in calm times, and how much more at a top. */
const WAKING = { calm: 0.08, top: 0.5 } as const;

/** Share of withdrawals from cold wallets. */
const COLD_DELIVERY = 0.2;

/** Limits of the share of an exchange's reserve in its hot wallets. */
const HOT_SHARE = { least: 0.1, most: 0.4 } as const;

/** How likely tokens come in, if there are to be `target` of them. */
const inflowChance = (tokens: number, target: number) =>
  Math.max(0.1, Math.min(0.9, 0.5 + 2.5 * (1 - tokens / target)));

function seller(economy: Economy): number {
  const { calm, top } = WAKING;
  return economy.random.chance(calm + top * economy.heat) ? economy.wakingHolder() : economy.holder();
}

/** A deposit to be sold, or the withdrawal of what was bought: reserves rise into tops, and drain after. */
const useExchange: Act = (economy) => {
  const { calm, top } = RESERVES;
  const target = economy.minted * (calm + top * economy.heat);
  if (!economy.random.chance(inflowChance(economy.reserves, target))) {
    const exchange = economy.exchange();
    // What a hot wallet has too little for is delivered from the cold one.
    const from = economy.random.chance(COLD_DELIVERY) ? exchange.cold : economy.hotWallet(exchange);
    return economy.purchase(from, economy.receiver());
  }
  const user = seller(economy);
  return user !== ZERO && economy.spend(user, economy.depositAddress(economy.exchange(), user));
};

const usePool: Act = (economy) => {
  if (!economy.random.chance(inflowChance(economy.ledger.tokens(economy.pool), economy.minted * POOL))) {
    return economy.purchase(economy.pool, economy.receiver());
  }
  const user = seller(economy);
  return user !== ZERO && economy.spend(user, economy.pool);
};

const pay: Act = (economy) => {
  const user = economy.holder();
  const receiver = economy.receiver();
  return user !== ZERO && user !== receiver && economy.spend(user, receiver);
};

/** An empty account buys at one exchange, to sell at another within the same hour: a break-even trade. */
const arbitrage: Act = (economy) => {
  const account = economy.emptyUser();
  if (account === ZERO || !economy.sendPart(economy.hotWallet(economy.exchange()), account, 0.06)) return false;
  economy.forwardSoon(account);
  return true;
};

const moveBetweenExchanges: Act = (economy) => {
  const [sender, receiver] = [economy.exchange(), economy.exchange()];
  return sender !== receiver && economy.sendPart(economy.hotWallet(sender), economy.hotWallet(receiver), 0.2);
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
  return staker !== ZERO && economy.mint(staker, 9 * economy.random.magnitude());
};

const burn = byHolder((economy, user) => economy.purchase(user, ZERO));

/** A holder moves everything to an empty address, as after a change of keys or custodian. */
const changeCustody: Act = (economy) => {
  const [holder, successor] = [economy.wakingHolder(), economy.emptyUser()];
  return holder !== ZERO && successor !== ZERO && economy.sendAll(holder, successor);
};

const sendToSelf = byHolder((economy, user) => economy.spend(user, user));

/** A transfer of 0 between two strangers, as in address poisoning. */
const sendNothing: Act = (economy) => {
  const [from, to] = [economy.accounts.anyUser(economy.random), economy.accounts.anyUser(economy.random)];
  return economy.compose(from, to, 0, 0);
};

/** A tiny amount that the receiver didn't ask for. */
const sendDust = byHolder((economy, user) => {
  const victim = economy.accounts.anyUser(economy.random);
  return user !== victim && economy.sendPrecise(user, victim, 0);
});

/** Each act with its relative frequency. */
const BEHAVIOURS: readonly { act: Act; calm: number; top: number }[] = [
  { act: useExchange, calm: 32, top: 44 },
  { act: pay, calm: 22, top: 14 },
  { act: usePool, calm: 15, top: 18 },
  { act: arbitrage, calm: 5, top: 8 },
  { act: moveBetweenExchanges, calm: 4, top: 5 },
  { act: rebalance, calm: 2, top: 2 },
  { act: stake, calm: 3, top: 2 },
  { act: mintReward, calm: 2.5, top: 2 },
  { act: changeCustody, calm: 0.1, top: 0.1 },
  { act: burn, calm: 0.3, top: 0.3 },
  { act: sendToSelf, calm: 0.15, top: 0.15 },
  { act: sendNothing, calm: 0.25, top: 0.3 },
  { act: sendDust, calm: 0.2, top: 0.3 },
];

const LEVELS = 8;
/** By heat, in levels. */
const CHOICES = Array.from({ length: LEVELS + 1 }, (_, level) => {
  const heat = level / LEVELS;
  return new WeightedChoice(BEHAVIOURS, ({ calm, top }) => calm + heat * (top - calm));
});

/** Composes a transfer by a random behaviour. */
export function behave(economy: Economy): void {
  const behaviours = CHOICES[Math.round(economy.heat * LEVELS)]!;
  for (let attempt = 0; attempt < 32; attempt++) if (behaviours.draw(economy.random).act(economy)) return;
  reward(economy, economy.receiver());
}

/** A few new tokens: the fallback when nothing else is possible. */
export function reward(economy: Economy, to: number): void {
  economy.mint(to, 1);
}
