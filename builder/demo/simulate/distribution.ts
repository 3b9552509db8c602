/** The initial distribution and the airdrop: transfers that are planned. */

import { type Economy, VESTED_TOKENS } from "./economy.ts";
import { ZERO } from "./ledger.ts";

/** A transfer of a whole number of tokens. */
export interface PlannedTransfer {
  from: number;
  /** Undefined for a newcomer. */
  to?: number;
  tokens: number;
}

const TREASURY_TOKENS = 450_000_000;
const INVESTOR_TOKENS = 200_000_000;
const EXCHANGE_TOKENS = 110_000_000;
const POOL_TOKENS = 30_000_000;
const STAKING_TOKENS = 1_000_000;
const TEAM_ADVANCE_TOKENS = 100_000;

/** Share of an exchange's first tokens in its hot wallets. */
const HOT_SHARE = 0.25;

/** Tokens for each receiver of the airdrop. */
const AIRDROP_TOKENS = 150;

/**
 * Mints to the treasury and the vesting contract. The treasury then pays the pool, the staking contract, the team, the
 * wallets of the exchanges in proportion to their business, and investors by Zipf's law.
 */
export function initialDistribution(economy: Economy, investors: number): PlannedTransfer[] {
  const { treasury, vesting, exchanges } = economy;
  const business = exchanges.reduce((sum, exchange) => sum + exchange.business, 0);
  let harmonic = 0;
  for (let rank = 1; rank <= investors; rank++) harmonic += 1 / rank;
  return [
    { from: ZERO, to: treasury, tokens: TREASURY_TOKENS },
    { from: ZERO, to: vesting, tokens: VESTED_TOKENS },
    { from: treasury, to: economy.pool, tokens: POOL_TOKENS },
    { from: treasury, to: economy.staking, tokens: STAKING_TOKENS },
    ...economy.team.map((member) => ({ from: treasury, to: member, tokens: TEAM_ADVANCE_TOKENS })),
    ...exchanges.flatMap((exchange) => {
      const tokens = (EXCHANGE_TOKENS * exchange.business) / business;
      return [
        { from: treasury, to: exchange.cold, tokens: Math.floor(tokens * (1 - HOT_SHARE)) },
        ...exchange.hot.map((wallet) => ({
          from: treasury,
          to: wallet,
          tokens: Math.floor((tokens * HOT_SHARE) / exchange.hot.length),
        })),
      ];
    }),
    ...Array.from({ length: investors }, (_, rank) => ({
      from: treasury,
      tokens: Math.floor(INVESTOR_TOKENS / harmonic / (rank + 1)),
    })),
  ];
}

/**
 * The same amount for every receiver.
 *
 * @param newcomers how many of the receivers are newcomers, spread evenly among existing users
 */
export function* airdrop(economy: Economy, receivers: number, newcomers: number): Generator<PlannedTransfer> {
  for (let receiver = 0; receiver < receivers; receiver++) {
    const isNewcomer =
      Math.floor(((receiver + 1) * newcomers) / receivers) > Math.floor((receiver * newcomers) / receivers);
    const planned = { from: economy.treasury, tokens: AIRDROP_TOKENS };
    yield isNewcomer ? planned : { ...planned, to: economy.accounts.anyUser(economy.random) };
  }
}
