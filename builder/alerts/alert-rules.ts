/** ALERTS.json → rules. Source: docs/alerts.md. */

import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { MAX_NAME, SYMBOL_PATTERN, UNSAFE_CHARACTER } from "../../data-schema/asset.ts";
import { errorText } from "../../data-schema/formula/error-text.ts";
import {
  type Condition,
  FORMULA_NAMES,
  FormulaError,
  type RegistryFormula,
  readCondition,
  resolutionsOfFormula,
  type Side,
} from "../../data-schema/formula.ts";
import { type BucketResolution, RESOLUTIONS } from "../../data-schema/registry.ts";
import { Failure } from "../lib/failure.ts";
import { foreignText } from "../lib/foreign-text.ts";
import {
  changeSchema,
  DEFAULT_CHANGE,
  type HolderTerms,
  holderSchema,
  holderText,
  type TransfersTerms,
  transfersSchema,
  transfersText,
} from "./event-rules.ts";
import { FORMATS, type Format } from "./receivers.ts";

/** Rules that one file may have. */
const MOST_RULES = 1000;
/** Rows in a row for which a rule may have to be true. */
const MOST_ROWS = 10_000;

const RULE_RESOLUTIONS: readonly BucketResolution[] = RESOLUTIONS.filter((resolution) => resolution !== "block");

type RegistryCondition = Condition<(typeof FORMULA_NAMES)["metrics"][number]>;

interface AnyRule {
  name: string;
  /** Symbols; null for all that are published. */
  assets: readonly string[] | null;
  /** The condition as it is written, or in words: a rule for which it differs is another one. */
  when: string;
  /** How many rows in a row it has to be true. */
  rows: number;
  resolution: BucketResolution;
  /** The environment variable that holds the URL. */
  post: string;
  format: Format;
}

/** A rule of series. */
export interface SeriesRule extends AnyRule {
  kind: "series";
  condition: RegistryCondition;
}

/** A rule that fires for each large transfer of a day. */
export interface TransfersRule extends AnyRule {
  kind: "transfers";
  terms: TransfersTerms;
}

/** A rule that fires on each day on which a balance has changed much. */
export interface HolderRule extends AnyRule {
  kind: "holder";
  terms: HolderTerms;
}

/** A rule of what has happened on single days, which transfers tell. */
export type EventRule = TransfersRule | HolderRule;
export type Rule = SeriesRule | EventRule;

export interface Rules {
  /** Where links to charts point; null without links. */
  site: string | null;
  rules: readonly Rule[];
}

const name = v.pipe(
  v.string(),
  v.check((text) => /\S/.test(text) && text.length <= MAX_NAME && !UNSAFE_CHARACTER.test(text)),
);

const ruleSchema = v.strictObject({
  name,
  assets: v.union([
    v.literal("*"),
    v.pipe(v.array(v.pipe(v.string(), v.toUpperCase(), v.regex(SYMBOL_PATTERN))), v.minLength(1)),
  ]),
  when: v.exactOptional(v.string()),
  transfers: v.exactOptional(transfersSchema),
  holder: v.exactOptional(holderSchema),
  "changes by": v.exactOptional(changeSchema),
  for: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_ROWS))),
  resolution: v.exactOptional(v.picklist(RULE_RESOLUTIONS)),
  post: v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)),
  format: v.exactOptional(v.picklist(Object.keys(FORMATS) as Format[])),
});

const fileSchema = v.strictObject({
  site: v.exactOptional(
    v.pipe(
      v.string(),
      v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? "")),
    ),
  ),
  rules: v.pipe(v.array(ruleSchema), v.minLength(1), v.maxLength(MOST_RULES)),
});

/** What each field takes. */
const FORMS: Record<string, string> = {
  name: `one line of text, of at most ${MAX_NAME} characters`,
  assets: '"*", or a list of symbols, such as ["ARIA"]',
  when: 'a condition in quotes, such as "smooth(sopr:lth, 7) < 1"',
  transfers: 'an object such as {"at least": "$1M", "from": "cex", "to": "@team"}',
  holder: "an address that can hold tokens: 0x and 40 hexadecimal digits",
  "changes by": 'a share of the balance before in quotes, such as "5 %"',
  for: `a whole number from 1 to ${MOST_ROWS}`,
  resolution: `one of ${RULE_RESOLUTIONS.join(", ")}`,
  post: "the name of an environment variable that holds the URL, such as SLACK_URL",
  format: `one of ${Object.keys(FORMATS).join(", ")}`,
  site: "a URL, such as https://metrics.example.com",
  rules: `a list of 1 to ${MOST_RULES} rules`,
};

/**
 * Reads the rules of a file.
 *
 * @throws {Failure} it can't be read, is not JSON, or has a rule that is wrong: names the rule and the field, and repeats
 *   no URL
 */
export async function readRules(file: string): Promise<Rules> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} can't be read (${error.code}): name a file of rules, as docs/alerts.md has it.`);
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Failure(`${file} is not JSON (${foreignText((error as Error).message)}): mend it.`);
  }
  const result = v.safeParse(fileSchema, json);
  if (!result.success) throw new Failure(`${file}: ${faultOf(json, result.issues[0])}`);
  const { site, rules } = result.output;
  const read = rules.map((rule) => ruleOf(rule, file));
  const repeated = read.find((rule, index) => read.some((other, at) => at < index && other.name === rule.name));
  if (repeated)
    throw new Failure(`${file}: two rules are called ${JSON.stringify(repeated.name)}: give each a name of its own.`);
  return { site: site?.replace(/\/+$/, "") ?? null, rules: read };
}

/** What is wrong with a file, in a sentence: where, and what should be there. */
function faultOf(json: unknown, { path, message }: v.BaseIssue<unknown>): string {
  const keys = (path ?? []).map(({ key }) => key);
  const [first, index, field, member] = keys;
  if (first !== "rules" || index === undefined) {
    const known = FORMS[String(first ?? "rules")];
    return known === undefined
      ? `there is no field ${JSON.stringify(first)}: remove it.`
      : `${String(first ?? "the file")} must be ${known}.`;
  }
  const rule = (json as { rules: { name?: unknown }[] }).rules[Number(index)];
  const called = typeof rule?.name === "string" ? JSON.stringify(rule.name) : `number ${Number(index) + 1}`;
  const known = FORMS[String(field)];
  if (field === undefined) return `rule ${called} must be an object with name, assets, when and post.`;
  if (member !== undefined) {
    const place = `${JSON.stringify(member)} in transfers of rule ${called}`;
    const isUnknown = !Object.hasOwn(transfersSchema.pipe[0].entries, String(member));
    return isUnknown ? `${place} is unknown: remove it.` : `${place} must be ${message}.`;
  }
  if (known === undefined) return `rule ${called} has an unknown field ${JSON.stringify(field)}: remove it.`;
  return `${String(field)} of rule ${called} must be ${known}.`;
}

/** What a rule is about: it has one of these fields. */
const SUBJECTS = ["when", "transfers", "holder"] as const;
/** The fields that go with one of them alone. */
const GOES_WITH = { for: "when", resolution: "when", "changes by": "holder" } as const;

type WrittenRule = v.InferOutput<typeof ruleSchema>;

function ruleOf(written: WrittenRule, file: string): Rule {
  const { name, assets, post } = written;
  const failed = (problem: string) => new Failure(`${file}: ${problem}`);
  const called = `rule ${JSON.stringify(name)}`;
  const subjects = SUBJECTS.filter((field) => written[field] !== undefined);
  if (subjects.length !== 1) throw failed(`${called} must have one of ${SUBJECTS.join(", ")}, and only one.`);
  for (const [field, subject] of Object.entries(GOES_WITH)) {
    if (Object.hasOwn(written, field) && subject !== subjects[0])
      throw failed(`${JSON.stringify(field)} of ${called} goes with ${subject}: remove it.`);
  }
  const any = {
    name,
    assets: assets === "*" ? null : [...new Set(assets)],
    rows: written.for ?? 1,
    resolution: written.resolution ?? "day",
    post,
    format: written.format ?? ("json" as const),
  };
  const { when, transfers, holder } = written;
  if (transfers) return { kind: "transfers", ...any, when: transfersText(transfers), terms: transfers };
  if (holder !== undefined) {
    const terms = { address: holder, share: written["changes by"] ?? DEFAULT_CHANGE };
    return { kind: "holder", ...any, when: holderText(terms), terms };
  }
  const problem = (text: string) => failed(`when of ${called}: ${text}`);
  return { kind: "series", ...any, when: when!, condition: conditionOf(when!, any.resolution, problem) };
}

function conditionOf(
  when: string,
  resolution: BucketResolution,
  failed: (problem: string) => Failure,
): RegistryCondition {
  let condition: RegistryCondition;
  try {
    condition = readCondition(when, FORMULA_NAMES);
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    throw failed(`${errorText(error)} See its character ${error.span.from + 1}.`);
  }
  for (const formula of formulasOf(condition)) {
    if (resolutionsOfFormula(formula).includes(resolution)) continue;
    const names = formula.metrics.map((metric) => metric.name).join(", ");
    throw failed(
      `a formula of ${names} is not available by ${resolution}: choose one of ${resolutionsOfFormula(formula).join(", ")}.`,
    );
  }
  return condition;
}

/** The formulas among the sides of a condition. */
export const formulasOf = ({ left, right }: RegistryCondition): RegistryFormula[] =>
  [left, right].flatMap(({ of }: Side<RegistryFormula["metrics"][number]>) => (typeof of === "number" ? [] : [of]));
