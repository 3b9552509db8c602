/** A firing → what is said of it. */

import { chainPage } from "../../data-schema/chain.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import type { Rule, SeriesRule } from "./alert-rules.ts";
import type { EventFired, HolderFiring, TransferFiring } from "./events/event-firings.ts";
import type { KnownParty } from "./events/known-parties.ts";
import type { Firing } from "./firings.ts";
import { FORMATS, type Message } from "./receivers.ts";

/** A rule that has fired. */
export type Fired = { asset: string } & ({ kind: "series"; rule: SeriesRule; firing: Firing } | EventFired);

/** `smooth(sopr:lth, 7) = 0.98 < 1`. */
function comparisonText(
  { condition: { left, comparison, right } }: Pick<SeriesRule, "condition">,
  firing: Firing,
): string {
  const side = (text: string, of: unknown, value: number) =>
    typeof of === "number" ? text : `${text} = ${Number(value.toPrecision(6))}`;
  return `${side(left.text, left.of, firing.left)} ${comparison} ${side(right.text, right.of, firing.right)}`;
}

/** `1,234,568` or `0.00123457`. */
const amountText = (amount: number): string =>
  amount.toLocaleString("en-US", amount >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 6 });

/** ` ($1,234,568)`; nothing while there is no price. */
const dollarsText = (tokens: number, price: number): string =>
  price > 0 ? ` ($${amountText(Number((tokens * price).toFixed(2)))})` : "";

/** A sentence names so many own cohorts of an address: receivers take no more than some characters. */
const MOST_COHORTS = 5;

/** `binance, @team (0x…)`. */
function partyText({ address, label, cohorts }: KnownParty): string {
  const known = [...(label === null ? [] : [label]), ...cohorts.slice(0, MOST_COHORTS)];
  return known.length > 0 ? `${known.join(", ")} (${address})` : address;
}

/** `1,234,568 ARIA ($1,300,000) from binance (0x…) to 0x…`. */
function transferText({ tokens, price, from, to, block }: TransferFiring, asset: string): string {
  const amount = `${amountText(tokens)} ${asset}${dollarsText(tokens, price)}`;
  const sides = [from ? `from ${partyText(from)}` : "minted", to ? `to ${partyText(to)}` : "burned"].join(
    from && !to ? ", " : " ",
  );
  return `${amount} ${sides}, in block ${block}`;
}

/** `0x… holds 400 ARIA ($420), 60 % less than the 1,000 of the day before`. */
function holderChangeText({ holder, balance, before, price }: HolderFiring, asset: string): string {
  const percent = amountText(Number(((100 * Math.abs(balance - before)) / before).toPrecision(3)));
  const change =
    before === 0 ? "nothing" : `${percent} % ${balance < before ? "less" : "more"} than ${amountText(before)}`;
  const now = `${amountText(balance)} ${asset}${dollarsText(balance, price)}`;
  return `${partyText(holder)} holds ${now}, ${before === 0 ? `and held ${change}` : change} the day before`;
}

/** What has happened, in words. */
export function firingText(fired: Fired): string {
  if (fired.kind === "series") return comparisonText(fired.rule, fired.firing);
  return fired.kind === "transfers"
    ? transferText(fired.firing, fired.asset)
    : holderChangeText(fired.firing, fired.asset);
}

/** A row's time, as short as its resolution allows. */
export function rowTime({ resolution }: Pick<Rule, "resolution">, t: number): string {
  const iso = new Date(t * 1000).toISOString();
  return resolution === "hour" ? `${iso.slice(0, 16)}Z` : iso.slice(0, 10);
}

/** When a rule has fired: transfers to the second. */
export const firedTime = (rule: Rule, t: number): string =>
  rule.kind === "transfers" ? `${isoTimeWithoutZone(t).replace("T", " ")}Z` : rowTime(rule, t);

/** Where a message comes from. */
export interface Told {
  manifest: Pick<Manifest, "build" | "chain">;
  /** Null without links to charts. */
  site: string | null;
}

/** The part of a message that its kind of rule alone has. */
function factsOf(fired: Fired, chain: string): Pick<Message, "facts" | "page"> {
  if (fired.kind === "series") return { facts: { left: fired.firing.left, right: fired.firing.right }, page: null };
  const dollars = (tokens: number, price: number) => (price > 0 ? tokens * price : null);
  if (fired.kind === "holder") {
    const { holder, balance, before, price } = fired.firing;
    const page = chainPage(chain, "address", holder.address);
    return { facts: { holder: { ...holder, balance, before, dollars: dollars(balance, price) }, page }, page };
  }
  const { from, to, tokens, price, block, logIndex, hash } = fired.firing;
  const page = hash === null ? chainPage(chain, "block", block) : chainPage(chain, "tx", hash);
  return {
    facts: { transfer: { tokens, dollars: dollars(tokens, price), from, to, block, logIndex, hash }, page },
    page,
  };
}

/** The lines of the chart to which a message links. */
function chartLines(fired: Fired): string[] {
  if (fired.kind === "transfers") return ["volume_dollar", "price"];
  if (fired.kind === "holder") return ["price"];
  const { left, right } = fired.rule.condition;
  return [left, right].filter(({ of }) => typeof of !== "number").map(({ text }) => text);
}

/** The body that is posted. */
export function bodyOf(fired: Fired, { manifest: { build, chain }, site }: Told): string {
  const { rule, asset, firing } = fired;
  const { name, when, format, resolution } = rule;
  const query = new URLSearchParams([
    ["a", asset],
    ...chartLines(fired).map((text) => ["y", `=${text}`]),
    ...(resolution === "day" ? [] : [["r", resolution]]),
  ] as [string, string][]);
  const message: Message = {
    rule: name,
    asset,
    t: isoTimeWithoutZone(firing.t),
    when,
    ...factsOf(fired, chain),
    build,
    link: site === null ? null : `${site}/?${query}`,
  };
  const sentence = `${name}: ${asset}, ${firedTime(rule, firing.t)}. ${firingText(fired)}`;
  return JSON.stringify(FORMATS[format](message, sentence));
}
