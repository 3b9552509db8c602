/** What the token's issuer does over the whole history, in proportion to time, however many transfers there are. */

import { type Economy, VESTED_TOKENS } from "./economy.ts";
import { ZERO } from "./ledger.ts";

interface Programme {
  from: (economy: Economy) => number;
  to: (economy: Economy) => number;
  /** Whole tokens in all, and the number of payments at most. */
  tokens: number;
  instalments: number;
}

const PROGRAMMES: readonly Programme[] = [
  { from: ({ vesting }) => vesting, to: teamMember, tokens: VESTED_TOKENS, instalments: 200 },
  { from: ({ treasury }) => treasury, to: exchangeWallet, tokens: 80_000_000, instalments: 400 },
  { from: ({ treasury }) => treasury, to: () => ZERO, tokens: 30_000_000, instalments: 24 },
  { from: () => ZERO, to: ({ treasury }) => treasury, tokens: 90_000_000, instalments: 36 },
];

function teamMember({ team, random }: Economy): number {
  return team[random.below(team.length)];
}

function exchangeWallet(economy: Economy): number {
  return economy.hotWallet(economy.exchange());
}

/** Composes the payment of what is due under one of the programmes, if that is an instalment or more. */
export function payInstalment(economy: Economy): boolean {
  const index = economy.random.below(PROGRAMMES.length);
  const { from, to, tokens, instalments } = PROGRAMMES[index];
  const paid = economy.paid[index] ?? 0;
  const due = Math.floor(tokens * economy.elapsed - paid);
  if (due < tokens / instalments || !economy.sendRounded(from(economy), to(economy), due)) return false;
  economy.paid[index] = paid + due;
  return true;
}
