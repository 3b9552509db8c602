/** A firing → what is said of it. */

import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import type { Rule } from "./alert-rules.ts";
import type { Firing } from "./firings.ts";
import { FORMATS, type Message } from "./receivers.ts";

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
    t: isoTimeWithoutZone(firing.t),
    when,
    left: firing.left,
    right: firing.right,
    build,
    link: site === null ? null : `${site}/?${query}`,
  };
  const sentence = `${name}: ${asset}, ${rowTime(rule, firing.t)}. ${comparisonText(rule, firing)}`;
  return JSON.stringify(FORMATS[format](message, sentence));
}
