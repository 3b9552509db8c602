/**
 * Holders for which balanceOf fails, as of those that a contract has blocked, may be left out of a comparison: so many of
 * them, of those compared. `init` and `fetch` judge alike. Source: docs/chain.md#the-check.
 */
export const mostBlocked = (compared: number): number => Math.max(5, Math.floor(compared / 100));
