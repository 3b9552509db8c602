/**
 * Limits on requests a minute: per API key by its plan, and per client address for requests without a valid key.
 * wrangler.toml gives the same numbers to the bindings that count; a test compares them.
 */

export type LimitBinding = "LIMIT_FREE" | "LIMIT_STANDARD" | "LIMIT_ADDRESS";

export interface Limit {
  name: string;
  /** Requests in a window of `LIMIT_SECONDS`; Infinity without a binding. */
  requests: number;
  /** The binding of wrangler.toml that counts; null without a limit. */
  binding: LimitBinding | null;
}

/** The length of every window. */
export const LIMIT_SECONDS = 60;

/** The plans of API keys. */
export const PLANS = [
  { name: "free", requests: 60, binding: "LIMIT_FREE" },
  { name: "standard", requests: 600, binding: "LIMIT_STANDARD" },
  { name: "unlimited", requests: Number.POSITIVE_INFINITY, binding: null },
] as const satisfies readonly Limit[];

export type PlanName = (typeof PLANS)[number]["name"];

export const DEFAULT_PLAN: PlanName = "standard";

/** For requests that need no key, and for those whose key is not known to be valid. */
export const ADDRESS_LIMIT: Limit = { name: "address", requests: 120, binding: "LIMIT_ADDRESS" };

/** The plan that a key's record names; the default plan if it names none or an unknown one. */
export function planOf(name: string | undefined): Limit & { name: PlanName } {
  return PLANS.find((plan) => plan.name === name) ?? PLANS.find((plan) => plan.name === DEFAULT_PLAN)!;
}
