/** How a firing is told: the body of a POST, for each kind of receiver. */

import type { Firing } from "./firings.ts";
import type { Rule } from "./rules.ts";

/** A firing, with all that a receiver is told. */
export interface Message {
  rule: string;
  asset: string;
  /** ISO 8601, UTC: the start of the row's bucket. */
  t: string;
  when: string;
  left: number;
  right: number;
  /** The build that the values are of. */
  build: string;
  /** A chart in the explorer; null without a site. */
  link: string | null;
}

/** @param chat the `chat_id` of Telegram's URL */
type Write = (message: Message, sentence: string) => object;

const withLink = (sentence: string, { link }: Message) => (link === null ? sentence : `${sentence}\n${link}`);

/** Slack reads these three as markup. */
const slackText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const FORMATS = {
  json: (message) => message,
  slack: (message, sentence) => ({ text: withLink(slackText(sentence), message) }),
  // A name in a rule pings nobody.
  discord: (message, sentence) => ({ content: withLink(sentence, message), allowed_mentions: { parse: [] } }),
  telegram: (message, sentence) => ({ text: withLink(sentence, message) }),
} as const satisfies Record<string, Write>;
export type Format = keyof typeof FORMATS;

/** `smooth(sopr:lth, 7) = 0.98 < 1`. */
export function comparisonText(
  { condition: { left, comparison, right } }: Pick<Rule, "condition">,
  firing: Firing,
): string {
  const side = (text: string, of: unknown, value: number) =>
    typeof of === "number" ? text : `${text} = ${Number(value.toPrecision(6))}`;
  return `${side(left.text, left.of, firing.left)} ${comparison} ${side(right.text, right.of, firing.right)}`;
}

/** A row's time, as short as its resolution allows. */
export function rowTime({ resolution }: Pick<Rule, "resolution">, t: number): string {
  const iso = new Date(t * 1000).toISOString();
  return resolution === "hour" ? `${iso.slice(0, 16)}Z` : iso.slice(0, 10);
}

/** The body that is posted. */
export function bodyOf(rule: Rule, firing: Firing, asset: string, build: string, site: string | null): string {
  const { name, when, format, resolution, condition } = rule;
  const lines = [condition.left, condition.right].filter(({ of }) => typeof of !== "number");
  const query = new URLSearchParams([
    ["a", asset],
    ...lines.map(({ text }) => ["y", `=${text}`]),
    ...(resolution === "day" ? [] : [["r", resolution]]),
  ] as [string, string][]);
  const message: Message = {
    rule: name,
    asset,
    t: new Date(firing.t * 1000).toISOString().slice(0, 19),
    when,
    left: firing.left,
    right: firing.right,
    build,
    link: site === null ? null : `${site}/?${query}`,
  };
  const sentence = `${name}: ${asset}, ${rowTime(rule, firing.t)}. ${comparisonText(rule, firing)}`;
  return JSON.stringify(FORMATS[format](message, sentence));
}
