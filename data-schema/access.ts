/** API keys, their plans and what they have used. */

export * from "./access/api-keys.ts";
export * from "./access/plans.ts";
export * from "./access/usage.ts";
