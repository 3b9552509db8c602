/** `soprano alerts`: finds the rows at which rules have fired since the last run, and posts them. */

import { before, type Relative } from "../../data-schema/text.ts";
import { Failure, StoreFailure, sentenceOf } from "../lib/failure.ts";
import { counted } from "../lib/terminal/amount-text.ts";
import { readCurrent } from "../published/builds/stored-builds.ts";
import { PublishedSeries } from "../published/read/published-series.ts";
import type { ObjectStore } from "../store/store.ts";
import { formulasOf, type Rule, type Rules } from "./alert-rules.ts";
import { type Firing, firingsOf } from "./firings.ts";
import { bodyOf, comparisonText, rowTime } from "./message.ts";
import { BodyRefused, NotTaken, type PostTimes, post, targetProblem } from "./post.ts";
import { AlertState, idempotencyKey } from "./state.ts";

/** A rule that has fired. */
export interface Fired {
  rule: Rule;
  asset: string;
  firing: Firing;
}

export interface AlertOptions {
  /** The assets that are looked at. */
  symbols: readonly string[];
  /** Environment variables: URLs, and SOPRANO_ALERT_SECRET. */
  env: Readonly<Record<string, string | undefined>>;
  /** Called for each firing that has been posted. */
  sent(fired: string): void;
  /** Called with a sentence for each rule that is new: what its first run remembers. */
  remembered?(sentence: string): void;
  /** Called with a sentence for what went wrong; the others go on. */
  failed(sentence: string): void;
  times?: PostTimes;
}

/** What a rule says of an asset now. */
interface Evaluated {
  firings: Firing[];
  /** The last row; undefined if there is none. */
  last: number | undefined;
  build: string;
}

/** All rules on all assets, asset by asset. A rule that can't be evaluated on one is told, and leaves out nothing else. */
async function* evaluated(
  { rules }: Rules,
  store: ObjectStore,
  { symbols, failed }: Pick<AlertOptions, "symbols" | "failed">,
): AsyncGenerator<{ rule: Rule; asset: string; found: Evaluated }> {
  const series = new PublishedSeries(store, async (symbol) => (await readCurrent(store, symbol)).manifest);
  const named = new Set(
    rules.flatMap(({ condition }) => formulasOf(condition).flatMap(({ inputs }) => inputs.map(({ asset }) => asset))),
  );
  for (const asset of symbols) {
    for (const rule of rules.filter(({ assets }) => assets?.includes(asset) ?? true)) {
      try {
        yield { rule, asset, found: await evaluate(rule, asset, series) };
      } catch (error) {
        if (!(error instanceof Failure) || error instanceof StoreFailure) throw error;
        failed(`rule ${JSON.stringify(rule.name)} on ${asset}: ${sentenceOf(error)}`);
      }
    }
    if (!named.has(asset)) series.forget(asset);
  }
}

async function evaluate(rule: Rule, asset: string, series: PublishedSeries): Promise<Evaluated> {
  const own = (input: { asset: string }) => (input.asset === "" ? asset : input.asset);
  const inputs = formulasOf(rule.condition).flatMap((formula) =>
    formula.inputs.map((input) => ({ ...input, asset: own(input) })),
  );
  const { t, of } = await series.lines(inputs, rule.resolution);
  const firings = firingsOf(rule, { t, of: (input) => of({ ...input, asset: own(input) }) });
  return { firings, last: t.at(-1), build: (await series.manifest(asset)).build };
}

/**
 * When each rule would have fired, since a time before the last row; nothing is posted, and nothing remembered.
 *
 * @param since null: since the last run, as a run would find it now
 */
export async function dryRunAlerts(
  rules: Rules,
  store: ObjectStore,
  since: Relative | null,
  options: Pick<AlertOptions, "symbols" | "failed">,
): Promise<Fired[]> {
  const state = since === null ? await AlertState.read(store) : undefined;
  const fired: Fired[] = [];
  for await (const { rule, asset, found } of evaluated(rules, store, options)) {
    const { firings, last } = found;
    if (last === undefined) continue;
    const from = since === null ? (state!.of(rule, asset)?.last ?? last) + 1 : before(last, since);
    fired.push(...firings.filter(({ t }) => t >= from).map((firing) => ({ rule, asset, firing })));
  }
  return fired.sort((a, b) => a.firing.t - b.firing.t);
}

/**
 * Evaluates the rows since the last run, and posts the firings. They are remembered before the first is posted, and
 * forgotten one by one as they are taken: a run that is killed leaves the next one to post the rest, under the same keys.
 *
 * @returns whether all went well
 */
export async function alert(rules: Rules, store: ObjectStore, options: AlertOptions): Promise<boolean> {
  let isWhole = true;
  const failed = (sentence: string) => {
    isWhole = false;
    options.failed(sentence);
  };
  const state = await AlertState.read(store);
  const touched: { rule: Rule; asset: string }[] = [];
  const begun = new Map<Rule, { asset: string; last: number }[]>();
  for await (const { rule, asset, found } of evaluated(rules, store, { ...options, failed })) {
    const { firings, last, build } = found;
    const known = state.of(rule, asset);
    touched.push({ rule, asset });
    if (last === undefined) continue;
    if (known === undefined) begun.set(rule, [...(begun.get(rule) ?? []), { asset, last }]);
    // A new rule's first run sends nothing.
    const fresh = known === undefined ? [] : firings.filter(({ t }) => t > known.last);
    const pending = fresh.map((firing) => ({
      t: firing.t,
      key: idempotencyKey(rule, asset, firing.t),
      body: bodyOf(rule, firing, asset, build, rules.site),
    }));
    const { pending: left = [], ...rest } = known ?? { last };
    const all = [...left, ...pending];
    state.set(rule, asset, { ...rest, last: Math.max(rest.last, last), ...(all.length > 0 && { pending: all }) });
  }
  await state.save();
  for (const [rule, assets] of begun) options.remembered?.(rememberedText(rule, assets));
  // A receiver that is down is waited for once, and keeps no other waiting.
  const byPost = Map.groupBy(touched, ({ rule }) => rule.post);
  await Promise.all(Array.from(byPost, ([name, own]) => deliver(name, own, state, { ...options, failed })));
  return isWhole;
}

/**
 * Posts what is pending for one receiver, the earliest first, until it takes none. What it refuses holds up no other rule.
 */
async function deliver(
  name: string,
  touched: readonly { rule: Rule; asset: string }[],
  state: AlertState,
  { env, sent, failed, times }: AlertOptions,
): Promise<void> {
  const waiting = touched
    .flatMap(({ rule, asset }) => (state.of(rule, asset)?.pending ?? []).map((one) => ({ rule, asset, one })))
    .sort((a, b) => a.one.t - b.one.t);
  const url = env[name];
  // Told by the first run, too, which posts nothing: a secret that is missing would be found by the first alert.
  if (!url) {
    const what = waiting.length > 0 ? `${waiting.length} alerts` : "alerts";
    return failed(`${name} is not set: it must hold the URL to which ${what} are posted.`);
  }
  if (waiting.length === 0) {
    const problems = new Set(touched.flatMap(({ rule: { format } }) => targetProblem(url, format) ?? []));
    for (const problem of problems) failed(`the URL of ${name} ${problem}: correct it before the first alert.`);
    return;
  }
  const refused = new Set<Rule>();
  for (const { rule, asset, one } of waiting) {
    if (refused.has(rule)) continue;
    try {
      const { body, key } = one;
      await post({ url, body, key, format: rule.format, secret: env.SOPRANO_ALERT_SECRET }, times);
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      const others = error instanceof BodyRefused ? "what follows of this rule" : "what follows";
      failed(
        `the URL of ${name} ${error.message}: ${JSON.stringify(rule.name)} of ${asset}, ${rowTime(rule, one.t)}, and ${others} are posted by the next run.`,
      );
      if (!(error instanceof BodyRefused)) return;
      refused.add(rule);
      continue;
    }
    const { pending = [], ...rest } = state.of(rule, asset)!;
    const left = pending.filter(({ key }) => key !== one.key);
    state.set(rule, asset, { ...rest, sent: one.t, ...(left.length > 0 && { pending: left }) });
    await state.save();
    sent(`${rowTime(rule, one.t)}  ${asset}  ${rule.name}: posted to ${name}`);
  }
}

/** Assets that a sentence names. */
const MOST_NAMED = 5;

/** `MVRV below 1: new on ARIA (up to 2026-11-24); rows after that will be posted to SLACK_URL`. */
function rememberedText(rule: Rule, assets: readonly { asset: string; last: number }[]): string {
  const named = assets.slice(0, MOST_NAMED).map(({ asset, last }) => `${asset} (up to ${rowTime(rule, last)})`);
  const more = assets.length - named.length;
  const whom = [named.join(", "), ...(more > 0 ? [counted(more, "more asset")] : [])].join(" and ");
  return `${rule.name}: new on ${whom}; rows after that will be posted to ${rule.post}`;
}

/** A firing as a line of text. */
export const firedText = ({ rule, asset, firing }: Fired): string =>
  `${rowTime(rule, firing.t)}  ${asset}  ${rule.name}: ${comparisonText(rule, firing)}`;
