/**
 * Contracts from the address books of Aave and Beefy, as their packages on npm have them. Their files are read as text:
 * nothing of a package runs. Source: docs/contract-kinds.md#sources.
 */

import { CHAIN_NAMES, type Found, KIND_CHAINS, type KindChain, type KindRule, kindBy } from "./found.ts";

/** A file of a package. */
export interface BookFile {
  /** Its path in the package, such as `src/AaveV3Base.sol`. */
  path: string;
  text: string;
}

/** What a package calls itself, and when it was published. */
export interface Edition {
  source: string;
  date: string;
}

/** Only what holds tokens: the underlying of deposits lies in aTokens, and aTokens lie in their static wrappers. */
const AAVE_RULES: readonly KindRule[] = [
  [/^Aave\S* (.*_A_TOKEN|.*_STATA_TOKEN|POOL|CORE)$/, "lending"],
  [/^(AaveSafetyModule|Umbrella\S*) STK_(?!.*(ORACLE|MIGRATOR))/, "staking"],
  [/^(Aave\S* COLLECTOR|Misc\S* ECOSYSTEM_RESERVE)$/, "treasury"],
  [/^(Misc\S* (.*_SAFE|PROTOCOL_GUARDIAN)|GovernanceV3\S* GOVERNANCE_GUARDIAN)$/, "multisig"],
  [/^(Misc\S* AAVE_.*_BRIDGE|Gho\S* GHO_CCIP_TOKEN_POOL)$/, "bridge"],
];

/** A market of its own has a word after the chain's name. Testnets have others. */
const AAVE_FILE =
  /^src\/((?:AaveV[23]|Misc|Umbrella|GovernanceV3|Gho)([A-Z][a-z]+|BNB)(?:AMM|Arc|Lido|EtherFi|Horizon)?)\.sol$/;
const AAVE_OF_ETHEREUM = /^src\/(AaveV1|AaveSafetyModule)\.sol$/;

/** `IPool internal constant POOL = IPool(0x…);` */
const CONSTANT = /\bconstant (\w+)\s*=\s*(?:\w+\(\s*)?(0x[0-9a-fA-F]{40})\b/g;

/** Contracts of Aave's address book. */
export function fromAave(files: readonly BookFile[], edition: Edition): Found[] {
  return files.flatMap(({ path, text }) => {
    const [, book, place] = AAVE_OF_ETHEREUM.test(path)
      ? [path, path.slice("src/".length, -".sol".length), "Ethereum"]
      : (AAVE_FILE.exec(path) ?? []);
    const chain = CHAIN_NAMES.find((name) => KIND_CHAINS[name].aave === place);
    return book === undefined || !chain ? [] : found(text, CONSTANT, { chain, book, rules: AAVE_RULES, edition });
  });
}

/** By the name of a contract in a platform's file. Tokens, factories, oracles and keys of single persons are none. */
const BEEFY_RULES: readonly KindRule[] = [
  [/ (router|oldRouter|tridentRouter|\w+Lp)$/, "dex"],
  [
    / (\w*(chef|Chef)(V?\d|_\w+)?|masterape|reward[pP]ool|multiFeeDistribution|booster|ve|gaugeStaker|xSolace)$/,
    "staking",
  ],
  [/ treasury(Multisig)?$/, "treasury"],
  [/ devMultisig$/, "multisig"],
  [/ (axelar|layerZero|optimism|ccip)Bridge$/, "bridge"],
];

const BEEFY_FILE = /^dist\/address-book\/(\w+)\/platforms\/(\w+)\.js$/;

/** `router: "0x…"`, and `const devMultisig = "0x…"`, which the entry of that name repeats. */
const ENTRY = /\b(\w+)(?::| =) "(0x[0-9a-fA-F]{40})"/g;

/** Contracts of Beefy's address book. */
export function fromBeefy(files: readonly BookFile[], edition: Edition): Found[] {
  return files.flatMap(({ path, text }) => {
    const [, folder, platform] = BEEFY_FILE.exec(path) ?? [];
    const chain = CHAIN_NAMES.find((name) => KIND_CHAINS[name].beefy === folder);
    return platform === undefined || !chain
      ? []
      : found(text, ENTRY, { chain, book: platform, rules: BEEFY_RULES, edition });
  });
}

/** The contracts that a file names and a rule takes, by the book's name and theirs. */
function found(
  text: string,
  pattern: RegExp,
  { chain, book, rules, edition }: { chain: KindChain; book: string; rules: readonly KindRule[]; edition: Edition },
): Found[] {
  return [...text.matchAll(pattern)].flatMap(([, word, address]) => {
    const name = `${book} ${word}`;
    const kind = kindBy(rules, name);
    return kind ? [{ chain, address: address!.toLowerCase(), kind, name, ...edition }] : [];
  });
}
