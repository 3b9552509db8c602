/** Deposit addresses of exchanges: which addresses they are, and how much of the inflow arrives at them. */

export * from "./deposits/inflow.ts";
export * from "./deposits/rules.ts";
