/** What a rule says of transfers, or of a holder. Source: docs/alerts.md#transfers. */

import * as v from "valibot";
import { ZERO_ADDRESS } from "../../data-schema/asset.ts";
import { EXCHANGE_SELECTORS, isOwnCohort } from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";

/** The least amount of a transfer. */
export interface LeastAmount {
  amount: number;
  of: "tokens" | "dollars";
}

/**
 * Whom a side of a transfer is: `users`, `sc`, `cex`, an exchange, an own cohort, an address in lower case; `mint` or `burn`,
 * which have nobody there.
 */
export type Party = string;

export interface TransfersTerms {
  atLeast: LeastAmount;
  /** Undefined: whoever it is. */
  from: Party | undefined;
  to: Party | undefined;
}

export interface HolderTerms {
  /** `0x…`, in lower case. */
  address: string;
  /** The least change that counts, as a share of the balance before: `numerator / denominator`. */
  share: { numerator: bigint; denominator: bigint };
}

/** What `changes by` is where a rule does not say: 10 %. */
export const DEFAULT_CHANGE: HolderTerms["share"] = { numerator: 10n, denominator: 100n };

const AMOUNT = /^(\$)?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?([KMB])?$/i;
const POWERS: Readonly<Record<string, number>> = { "": 0, k: 3, m: 6, b: 9 };

/** `$1M`, `500000` or `1.5K`; undefined if it is no amount above 0. */
function amountOf(text: string): LeastAmount | undefined {
  const [, dollar, whole, rest = "", unit = ""] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  // The decimal is rounded once, as tokens are.
  const amount = Number(`${whole.replaceAll(",", "")}${rest}e${POWERS[unit.toLowerCase()]}`);
  return amount > 0 ? { amount, of: dollar ? "dollars" : "tokens" } : undefined;
}

const PERCENT = /^(\d{1,6})(?:\.(\d{1,6}))? ?%$/;

/** `5 %` as a share; undefined if it is none above 0. */
function shareOf(text: string): HolderTerms["share"] | undefined {
  const [, whole, rest = ""] = PERCENT.exec(text) ?? [];
  const numerator = whole === undefined ? 0n : BigInt(`${whole}${rest}`);
  return numerator > 0n ? { numerator, denominator: 100n * 10n ** BigInt(rest.length) } : undefined;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** An address that can hold tokens. */
const isHolder = (text: string): boolean => ADDRESS.test(text) && text !== ZERO_ADDRESS;

/** The names of parties of either side; `all` exchanges are `cex`. */
const NAMES = ["users", "sc", "cex", ...EXCHANGE_SELECTORS.slice(1)];

/** What a party is that comes from, or goes to, nobody. */
const NOBODY = { from: "mint", to: "burn" } as const;
type Direction = keyof typeof NOBODY;

/** The forms in which parties are written, of a side. */
const partyForm = (side: Direction) =>
  `users, sc, cex, an exchange such as binance, an own cohort such as @team, ${NOBODY[side]}, or an address, 0x and 40 hexadecimal digits`;

const party = (side: Direction) =>
  v.pipe(
    v.string(partyForm(side)),
    v.transform((text) => (/^0x/i.test(text) ? text.toLowerCase() : text)),
    v.check(
      (text) => [...NAMES, NOBODY[side]].includes(text) || isOwnCohort(text) || isHolder(text),
      ({ input }) => {
        const meant = nearest(input, [...NAMES, NOBODY[side]]);
        return `${partyForm(side)}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
      },
    ),
  );

/** A text that `read` makes something of. */
function readText<T>(form: string, read: (text: string) => T | undefined) {
  return v.pipe(
    v.string(form),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const value = read(dataset.value);
      if (value !== undefined) return value;
      addIssue({ message: form });
      return NEVER;
    }),
  );
}

const AMOUNT_FORM = 'an amount of dollars or tokens above 0, such as "$1M" or "500000"';

/** The member `transfers` of a rule. The messages of its members are what they take; that of the object is for the one it needs. */
export const transfersSchema = v.pipe(
  v.strictObject(
    {
      "at least": readText(AMOUNT_FORM, amountOf),
      from: v.exactOptional(party("from")),
      to: v.exactOptional(party("to")),
    },
    AMOUNT_FORM,
  ),
  v.transform(({ "at least": atLeast, from, to }): TransfersTerms => ({ atLeast, from, to })),
);

/** The member `holder`. */
export const holderSchema = v.pipe(
  v.string(),
  v.transform((text) => text.toLowerCase()),
  v.check(isHolder),
);

/** The member `changes by`. */
export const changeSchema = readText("", shareOf);

/** A rule of transfers in words, which tell it from others: `transfers of at least $1,000,000 from cex`. */
export function transfersText({ atLeast: { amount, of }, from, to }: TransfersTerms): string {
  const digits = amount.toLocaleString("en-US", { maximumSignificantDigits: 17 });
  const least = of === "dollars" ? `$${digits}` : `${digits} tokens`;
  const sides = [...(from === undefined ? [] : ["from", from]), ...(to === undefined ? [] : ["to", to])];
  return ["transfers of at least", least, ...sides].join(" ");
}

/** A rule of a holder in words: `balance of 0x… changes by 5 %`. */
export const holderText = ({ address, share: { numerator, denominator } }: HolderTerms): string =>
  `balance of ${address} changes by ${(100 * Number(numerator)) / Number(denominator)} %`;
