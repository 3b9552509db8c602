/** The kinds of contracts whose lists ship with Soprano, each for a cohort of its own. Source: docs/contract-kinds.md. */

import { OWN_PREFIX, type OwnCohort } from "./own-cohorts.ts";

/** What addresses each kind is of, by its name in ASSET.json. Deposit addresses are no kind: they count as their exchange's. */
export const CONTRACT_KINDS = {
  dex: "pools, routers and order books of decentralised exchanges",
  lending: "pools of lending protocols",
  bridge: "bridges to other chains",
  staking: "staking, farming and vote escrows",
  vesting: "vesting contracts and token lockers",
  treasury: "treasuries, reserves and foundations",
  multisig: "wallets with several owners",
  burn: "addresses that nobody has a key of",
} as const;

export type ContractKind = keyof typeof CONTRACT_KINDS;

/** Their names, in the order in which they are listed and drawn. */
export const KIND_NAMES = /* @__PURE__ */ Object.keys(CONTRACT_KINDS) as ContractKind[];

export const isKind = (name: string): name is ContractKind => Object.hasOwn(CONTRACT_KINDS, name);

/** The cohort of a kind. */
export const kindCohort = (kind: ContractKind): OwnCohort => `${OWN_PREFIX}${kind}`;
