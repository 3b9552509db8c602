/** What the issuer pays, mints and burns over the whole history, in proportion to time. */

import { type Economy, VESTED_TOKENS } from "./economy.ts";
import { ZERO } from "./ledger.ts";

interface Emission {
  from: (economy: Economy) => number;
  to: (economy: Economy) => number;
  /** Whole tokens in all, and the number of payments at most. */
  tokens: number;
  instalments: number;
}

const EMISSIONS: readonly Emission[] = [
  { from: ({ vesting }) => vesting, to: teamMember, tokens: VESTED_TOKENS, instalments: 200 },
  { from: ({ treasury }) => treasury, to: exchangeWallet, tokens: 80_000_000, instalments: 400 },
  { from: ({ treasury }) => treasury, to: () => ZERO, tokens: 30_000_000, instalments: 24 },
  { from: () => ZERO, to: ({ treasury }) => treasury, tokens: 90_000_000, instalments: 36 },
];

function teamMember({ team, random }: Economy): number {
  return team[random.below(team.length)]!;
}

function exchangeWallet(economy: Economy): number {
  return economy.hotWallet(economy.exchange());
}

/** Composes the payment of what is due of one emission, if that is at least an instalment. */
export function payInstalment(economy: Economy): boolean {
  const index = economy.random.below(EMISSIONS.length);
  const { from, to, tokens, instalments } = EMISSIONS[index]!;
  const paid = economy.emitted[index] ?? 0;
  const due = Math.floor(tokens * economy.elapsed - paid);
  if (due < tokens / instalments || !economy.sendRounded(from(economy), to(economy), due)) return false;
  economy.emitted[index] = paid + due;
  return true;
}
