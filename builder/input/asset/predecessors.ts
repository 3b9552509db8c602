/**
 * The member `predecessors` of ASSET.json: contracts that the token had before, and the rule by which holders got the new
 * tokens for the old ones. Source: docs/migrations.md.
 */

import * as v from "valibot";
import { MAX_DECIMALS } from "../../../data-schema/asset.ts";
import { MIGRATION_RULES, type MigrationRuleName } from "../../../data-schema/stored.ts";
import { Failure } from "../../lib/failure.ts";
import { address, members, paths, wholeNumberRule } from "./asset-rules.ts";

/** A contract that the token had before. JSON. */
export interface Predecessor {
  /** Lower-case. */
  contract: string;
  /** Absent if they are those of the asset's contract. */
  decimals?: number;
  transfers: string[];
  /** How many old tokens are how many new ones, `OLD:NEW`. */
  ratio: string;
  by: MigrationRuleName;
  /** The last block whose transfers of the old contract count; absent while tokens are still swapped. */
  until?: number;
  /** Lower-case: where old tokens go in a swap, and new ones come from. */
  swap?: string[];
  /** Files of the balances in the snapshot, raw; absent if they are those by the transfers. */
  balances?: string[];
  /** Lower-case: who gives out the new tokens after a snapshot, besides the zero address. */
  from?: string[];
}

/** What the numbers depend on, besides the transfers. */
export type MigrationRule = Omit<Predecessor, "transfers" | "balances">;

export function migrationRule({ contract, decimals, ratio, by, until, swap, from }: MigrationRule): MigrationRule {
  return {
    contract,
    ...(decimals !== undefined && { decimals }),
    ratio,
    by,
    ...(until !== undefined && { until }),
    ...(swap && { swap }),
    ...(from && { from }),
  };
}

const KEYS = ["swap", "until", "from", "balances"] as const;
type Key = (typeof KEYS)[number];

/** Which of these keys each rule needs, and may have. */
const RULES: Record<MigrationRuleName, { needs: readonly Key[]; may: readonly Key[] }> = {
  swap: { needs: ["swap"], may: ["until"] },
  snapshot: { needs: ["until"], may: ["from", "balances"] },
};

const BY =
  'needs "by": "swap", with the contract that takes old tokens and gives out new ones as "swap", or "by": "snapshot", with the block of the snapshot as "until": ' +
  "otherwise nobody knows whose new tokens are whose old ones";

const ADDRESSES = "must be an address or a list of them";
const addresses = v.pipe(
  v.union([address, v.pipe(v.array(address, ADDRESSES), v.minLength(1, ADDRESSES))], ADDRESSES),
  v.transform((input) => (typeof input === "string" ? [input] : input)),
);

const NUMBER = /^\d{1,8}(\.\d{1,8})?$/;
const RATIO = 'must be how many old tokens are how many new ones, such as "100:1" or "1:0.43335"';

/** The place for them in the catalog is small. */
const MOST_PREDECESSORS = 3;
const PREDECESSORS = `must be a list of 1 to ${MOST_PREDECESSORS} contracts that the token had before`;

const predecessor = v.pipe(
  members({
    contract: address,
    decimals: v.optional(wholeNumberRule(0, MAX_DECIMALS)),
    transfers: paths,
    ratio: v.pipe(
      v.string(RATIO),
      v.check((text) => {
        const parts = text.split(":");
        return parts.length === 2 && parts.every((part) => NUMBER.test(part) && /[1-9]/.test(part));
      }, RATIO),
    ),
    by: v.optional(
      v.picklist(MIGRATION_RULES, `must be ${MIGRATION_RULES.map((name) => JSON.stringify(name)).join(" or ")}`),
    ),
    until: v.optional(wholeNumberRule(0, Number.MAX_SAFE_INTEGER)),
    swap: v.optional(addresses),
    from: v.optional(addresses),
    balances: v.optional(paths),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { by } = dataset.value;
    if (by === undefined) {
      addIssue({ message: BY });
      return;
    }
    const { needs, may } = RULES[by];
    const has = (key: Key) => dataset.value[key] !== undefined;
    const lacking = needs.find((key) => !has(key));
    const idle = KEYS.find((key) => has(key) && !needs.includes(key) && !may.includes(key));
    if (lacking !== undefined) addIssue({ message: `needs "${lacking}" with the rule ${by}` });
    else if (idle !== undefined) addIssue({ message: `must not have "${idle}" with the rule ${by}` });
  }),
);

/** A member `predecessors` as written. */
export const predecessorsSchema = v.pipe(
  v.array(predecessor, PREDECESSORS),
  v.minLength(1, PREDECESSORS),
  v.maxLength(MOST_PREDECESSORS, PREDECESSORS),
) as v.GenericSchema<unknown, Predecessor[]>;

/** A positive fraction in lowest terms. */
interface Fraction {
  over: bigint;
  under: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

function reduced(over: bigint, under: bigint): Fraction {
  const by = gcd(over, under);
  return { over: over / by, under: under / by };
}

/** A decimal number such as 0.43335. */
function fraction(text: string): Fraction {
  const [whole = "", digits = ""] = text.split(".");
  return { over: BigInt(whole + digits), under: 10n ** BigInt(digits.length) };
}

/** Raw units of the contract for a raw unit of a predecessor. */
function unitRatio({ ratio, decimals: former }: Predecessor, decimals: number): Fraction {
  const [old, now] = ratio.split(":").map(fraction) as [Fraction, Fraction];
  const over = now.over * old.under * 10n ** BigInt(decimals);
  return reduced(over, now.under * old.over * 10n ** BigInt(former ?? decimals));
}

/**
 * The decimals by which amounts of all contracts are whole numbers: those of the contract, or more where a raw unit of an old one
 * is less than one of the new.
 *
 * @param decimals the contract's
 * @throws {Failure} no number of decimals is enough
 */
export function mergedDecimals(path: string, predecessors: readonly Predecessor[], decimals: number): number {
  let merged = decimals;
  for (const [at, predecessor] of predecessors.entries()) {
    const { over, under } = unitRatio(predecessor, decimals);
    while (merged <= MAX_DECIMALS && (over * 10n ** BigInt(merged - decimals)) % under !== 0n) merged++;
    if (merged <= MAX_DECIMALS) continue;
    throw new Failure(
      `${path}: "predecessors[${at}].ratio" is ${predecessor.ratio}, by which amounts of the old contract are no decimal numbers of the new one: write it as the contract computes it.`,
    );
  }
  return merged;
}

/** The members of an asset by which amounts of its contracts become those of one token. */
export interface MergedUnits {
  /** The merged history's. */
  decimals: number;
  /** The contract's, where they differ. */
  ownDecimals?: number | undefined;
  predecessors?: Predecessor[] | undefined;
}

/** Merged raw units for a raw unit of each predecessor, in their order, and of the asset's contract. */
export function unitFactors({ decimals, ownDecimals = decimals, predecessors = [] }: MergedUnits): bigint[] {
  const finer = 10n ** BigInt(decimals - ownDecimals);
  return [
    ...predecessors.map((predecessor) => {
      const { over, under } = unitRatio(predecessor, ownDecimals);
      return (over * finer) / under;
    }),
    finer,
  ];
}
