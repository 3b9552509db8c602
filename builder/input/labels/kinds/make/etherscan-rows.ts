/** Contracts from Etherscan's public labels: which of the rows are taken, and as what. Source: docs/contract-kinds.md#rules. */

import * as v from "valibot";
import { KIND_NAMES } from "../../../../../data-schema/registry.ts";
import { Failure } from "../../../../lib/failure.ts";
import { cellsOf } from "../../../../lib/files/csv-header.ts";
import { CHAIN_NAMES, type Found, type KindRule, kindBy } from "./found.ts";

const HEADER = "chain,address,kind,name,source,date";

const row = v.tuple([
  v.picklist(CHAIN_NAMES),
  v.pipe(v.string(), v.regex(/^0x[0-9a-f]{40}$/)),
  v.picklist(KIND_NAMES),
  v.string(),
  v.pipe(v.string(), v.regex(/^etherscan-labels:/)),
  v.pipe(v.string(), v.isoDate()),
]);

/**
 * Parses the table of labels, `contract-kinds.csv`.
 *
 * @throws {Failure} names the row
 */
export function parseEtherscan(file: string, text: string): Found[] {
  const [header, ...lines] = text.trimEnd().split(/\r?\n/);
  if (header !== HEADER) throw new Failure(`${file}: the header must be ${HEADER}.`);
  return lines.map((line, index) => {
    const result = v.safeParse(row, cellsOf(line, ","));
    if (!result.success) {
      throw new Failure(`${file}, row ${index + 2}: is not a chain, address, kind, name, source and date.`);
    }
    const [chain, address, kind, name, source, date] = result.output;
    return { chain, address, kind, name: plain(name), source, date };
  });
}

/** One line that needs no quotes in CSV. */
const plain = (name: string) => name.replaceAll(/[",\s]+/g, " ").trim();

/** A pattern of names that are left out, and why. */
const LEFT_OUT: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^$/, "without a name"],
  [/\b(Deployer|Wallet|Admin|Owner|Genesis Team)\b/, "an account of a person or team, or an unclear one"],
  // What is deposited lies in aTokens, cTokens and unTokens: they are the pools.
  [/^(?!.*\b(a[A-Z]|am[A-Z]|c[A-Z]|un[A-Z])\w* Token( V2| V3)?$).*\bTokens?( V\d)?( \d)?$/, "a token"],
  [/\b(mFARM|miFARM)$|\b(Variable|Stable) Debt\b|^UnFederalReserve: \w*eRSDL\b/i, "a token"],
  [
    /Factory( V\d)?$|\b(Factor|Oracle|Rate Model|Rate Strategy|Strategy|Registry|Configurator|Implementation)\b|\b(Provider|Calculator|Info|Quoter|Multicall|TickLens|Validator|Encoder)\b/,
    "holds nothing: it computes, creates or looks up",
  ],
  [
    /\b(Helper|Controller|Manager|Timelock|Governor|Minter|Migrator|\w*Burner|Liquidator|Agent|Voting (Ownership|Parameter|Emergency))\b/,
    "holds nothing of users: it governs, or passes on",
  ],
  [/\b(Old Contract|Contract 1|Donate)\b/, "unclear"],
  [/^(0x|DeFi Basket|InstaDapp|Zapper\.Fi): /, "a bridge between protocols, not chains"],
];
/** Left-out rules apply to these labels alone. */
const BRIDGES_ALONE = "a bridge between protocols, not chains";

/** What a name says itself counts before the label that it was found under. */
const NAMED: readonly KindRule[] = [
  [/\bVesting\b|\bToken Locker$/, "vesting"],
  [
    /\bTreasury\b|\bCollector\b|\b(Foundation|Ecosystem Reserve)$|\b(Community|Dev|Emergency|Risk Control) Fund\b|\bDAO Funds\b|\bGrants Program$/,
    "treasury",
  ],
  [/\bMulti-?sig\b|\bGnosis Safe$/i, "multisig"],
  [/\bGauge\b|(chef|Chef)(\b|V\d)|\bStaking\b|\bStaked\b|\bVoting Escrow$|\bSushiBar$/, "staking"],
  [/\bBridge\b/, "bridge"],
];

/** Nobody has a key of an address of this name, on any chain: its digits were written down, not drawn. */
const WITHOUT_KEY = /^Null: |^Null 0x/;

/**
 * Picks the rows that are taken.
 *
 * @param rows as parsed
 * @returns burn addresses for all chains; of the others those that no rule leaves out, by the kind that their names say
 */
export function fromEtherscan(rows: readonly Found[]): Found[] {
  return rows.flatMap((row) => {
    const { kind, name } = row;
    if (kind === "burn") {
      return WITHOUT_KEY.test(name) ? CHAIN_NAMES.map((chain) => ({ ...row, chain })) : [];
    }
    if (LEFT_OUT.some(([pattern, why]) => pattern.test(name) && (why !== BRIDGES_ALONE || kind === "bridge")))
      return [];
    return [{ ...row, kind: kindBy(NAMED, name) ?? kind }];
  });
}
