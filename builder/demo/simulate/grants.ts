/** Who gets new tokens, when: the exchanges at the start, then hundreds of wallets, bit by bit. */

import type { Random } from "./random.ts";

/** Whole tokens that can ever be minted. */
export const MAX_SUPPLY = 1_000_000_000;

/** Tokens that are minted to an account at a time. */
export interface Grant {
  /** Share of the history. */
  at: number;
  /** Position of the wallet among all that get grants. */
  wallet: number;
  tokens: number;
}

interface Allocation {
  /** Share of the maximal supply. */
  supply: number;
  /** Share of the wallets. */
  wallets: number;
  /** When the first and the last of it vests, as shares of the history. */
  from: number;
  to: number;
  /** Whether each wallet gets all at once, on a day of its own. */
  atOnce?: boolean;
}

const ALLOCATIONS: readonly Allocation[] = [
  // A sale in the first weeks.
  { supply: 0.25, wallets: 0.6, from: 0, to: 0.06, atOnce: true },
  // Team and investors, after a cliff.
  { supply: 0.3, wallets: 0.15, from: 0.12, to: 0.85 },
  // The community.
  { supply: 0.22, wallets: 0.25, from: 0.02, to: 1 },
];

/** Transfers for each wallet, and the limits; grants are at most this share of all transfers. */
const WALLETS = { transfers: 250, least: 12, most: 600 } as const;
const MOST_GRANTS = 0.08;
const INSTALMENTS = 36;

/** The largest wallet of an allocation gets a few times what the others get: Zipf's law, from this rank on. */
const FIRST_RANK = 3;

/** @returns the grants by time, and the number of wallets */
export function planGrants(transfers: number, random: Random): { grants: Grant[]; wallets: number } {
  const all = Math.max(WALLETS.least, Math.min(WALLETS.most, Math.floor(transfers / WALLETS.transfers)));
  const most = Math.max(1, Math.min(INSTALMENTS, Math.floor((transfers * MOST_GRANTS) / all)));
  const grants: Grant[] = [];
  let wallets = 0;
  for (const { supply, wallets: share, from, to, atOnce = false } of ALLOCATIONS) {
    const count = Math.ceil(all * share);
    const weights = Array.from({ length: count }, (_, rank) => 1 / (rank + FIRST_RANK));
    const weight = weights.reduce((sum, weight) => sum + weight, 0);
    const instalments = atOnce ? 1 : most;
    for (let rank = 0; rank < count; rank++) {
      const wallet = wallets++;
      const phase = random.unit();
      for (let part = 0; part < instalments; part++) {
        const at = from + ((part + phase) / instalments) * (to - from);
        grants.push({ at, wallet, tokens: (MAX_SUPPLY * supply * weights[rank]!) / weight / instalments });
      }
    }
  }
  return { grants: grants.sort((a, b) => a.at - b.at), wallets };
}
