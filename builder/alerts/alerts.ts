/** `soprano alerts`: finds the rows at which rules have fired since the last run, and posts them. */

import type { Manifest } from "../../data-schema/stored.ts";
import { before, type Relative } from "../../data-schema/text.ts";
import { Failure, StoreFailure, sentenceOf } from "../lib/failure.ts";
import { counted } from "../lib/terminal/amount-text.ts";
import { readCurrent } from "../published/builds/stored-builds.ts";
import { NotPublished, PublishedSeries } from "../published/read/published-series.ts";
import type { ObjectStore } from "../store/store.ts";
import { type EventRule, formulasOf, type Rule, type Rules, type SeriesRule } from "./alert-rules.ts";
import { type EventsFound, findEventFirings, type Seen } from "./events/event-firings.ts";
import { firingsOf } from "./firings.ts";
import { bodyOf, type Fired, firedTime, firingText, rowTime } from "./message.ts";
import { BodyRefused, NotTaken, type PostTimes, post, targetProblem } from "./post.ts";
import { AlertState, idempotencyKey } from "./state.ts";

interface Evaluation {
  /** The assets that are looked at. */
  symbols: readonly string[];
  /** The path of the ASSET.json of an asset; throws Failure if there is none. */
  assetFile(symbol: string): Promise<string>;
  /** Called with a sentence for what went wrong; the others go on. */
  failed(sentence: string): void;
  /** Called with a sentence for what a rule leaves out. */
  noticed?(sentence: string): void;
}

export interface AlertOptions extends Evaluation {
  /** Environment variables: URLs, and SOPRANO_ALERT_SECRET. */
  env: Readonly<Record<string, string | undefined>>;
  /** Called for each firing that has been posted. */
  sent(fired: string): void;
  /** Called with a sentence for each rule that is new: what its first run remembers. */
  remembered?(sentence: string): void;
  times?: PostTimes;
}

/** What a rule says of an asset now. */
interface Found {
  /** What has happened in rows that the rule has not seen. */
  fired: Fired[];
  /** The last row; undefined if there is none. */
  last: number | undefined;
  /** The last block of that day, where a rule goes by it. */
  block?: number | undefined;
  manifest: Manifest;
}

/** What a rule has seen of an asset whose last row is known; undefined if it is new: then no row is fresh. */
type SeenOf = (rule: Rule, asset: string, last: number) => Seen | undefined;

/**
 * All rules on all assets, asset by asset. A rule that can't be evaluated on one is told, and leaves out nothing else. One of
 * all assets leaves out those that lack its own cohorts or lots, which is a failure only if no asset has them.
 */
async function* evaluated(
  { rules }: Rules,
  store: ObjectStore,
  options: Evaluation,
  seenOf: SeenOf,
): AsyncGenerator<{ rule: Rule; asset: string; found: Found }> {
  const series = new PublishedSeries(store, async (symbol) => (await readCurrent(store, symbol)).manifest);
  const named = new Set(
    rules.flatMap((rule) => (rule.kind === "series" ? inputsOf(rule).map(({ asset }) => asset) : [])),
  );
  const taken = new Set<Rule>();
  const leftOut = new Map<Rule, NotPublished[]>();
  for (const asset of options.symbols) {
    const own = rules.filter(({ assets }) => assets?.includes(asset) ?? true);
    const told = async <T>(rule: Rule, read: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof Failure) || error instanceof StoreFailure) throw error;
        if (rule.assets === null && error instanceof NotPublished && error.symbol === asset) {
          leftOut.set(rule, [...(leftOut.get(rule) ?? []), error]);
          return undefined;
        }
        options.failed(`rule ${JSON.stringify(rule.name)} on ${asset}: ${sentenceOf(error)}`);
        return undefined;
      }
    };
    // The inputs of an asset are read once for all rules, when the first of them is evaluated.
    let events: Promise<EventsFound & Pick<Found, "last" | "manifest">> | undefined;
    const evaluate = async (rule: Rule): Promise<Found> => {
      if (rule.kind === "series") return evaluateSeries(rule, asset, series, seenOf);
      events ??= evaluateEvents(own.filter(isEventRule), asset, { series, store, options, seenOf });
      const { fired, failures, notices, ...rest } = await events;
      for (const notice of notices.splice(0)) options.noticed?.(notice);
      const failure = failures.get(rule);
      if (failure) throw failure;
      return { ...rest, fired: fired.filter((one) => one.rule === rule).map((one) => ({ ...one, asset })) };
    };
    for (const rule of own) {
      const found = await told(rule, () => evaluate(rule));
      if (!found) continue;
      taken.add(rule);
      yield { rule, asset, found };
    }
    if (!named.has(asset)) series.forget(asset);
  }
  for (const [rule, errors] of leftOut) {
    const [first] = errors;
    const called = `rule ${JSON.stringify(rule.name)}`;
    if (taken.has(rule))
      options.noticed?.(`${called} leaves out ${counted(errors.length, "asset")}. ${sentenceOf(first)}`);
    else options.failed(`${called} on ${first!.symbol}: ${sentenceOf(first)}`);
  }
}

const isEventRule = (rule: Rule): rule is EventRule => rule.kind !== "series";
const inputsOf = ({ condition }: SeriesRule) => formulasOf(condition).flatMap(({ inputs }) => inputs);

async function evaluateSeries(
  rule: SeriesRule,
  asset: string,
  series: PublishedSeries,
  seenOf: SeenOf,
): Promise<Found> {
  const own = (input: { asset: string }) => (input.asset === "" ? asset : input.asset);
  const inputs = inputsOf(rule).map((input) => ({ ...input, asset: own(input) }));
  const { t, of } = await series.lines(inputs, rule.resolution);
  const firings = firingsOf(rule, { t, of: (input) => of({ ...input, asset: own(input) }) });
  const last = t.at(-1);
  const seen = last === undefined ? undefined : seenOf(rule, asset, last);
  const fresh = seen ? firings.filter(({ t }) => t > seen.last) : [];
  const fired = fresh.map((firing): Fired => ({ kind: "series", asset, rule, firing }));
  return { fired, last, manifest: await series.manifest(asset) };
}

interface EventEvaluation {
  series: PublishedSeries;
  store: ObjectStore;
  options: Evaluation;
  seenOf: SeenOf;
}

async function evaluateEvents(
  rules: readonly EventRule[],
  asset: string,
  { series, store, options, seenOf }: EventEvaluation,
): Promise<EventsFound & Pick<Found, "last" | "manifest">> {
  const manifest = await series.manifest(asset);
  const { last } = manifest.resolutions.day;
  if (last === null) return { fired: [], failures: new Map(), notices: [], last: undefined, manifest };
  const transfersByDay = async () => {
    const transfers = { asset, metric: "num_transfers", selector: "all" } as const;
    const { t, of } = await series.lines([transfers], "day");
    return new Map(Array.from(t, (day, row) => [day, of(transfers)[row]!]));
  };
  const found = await findEventFirings(
    rules.map((rule) => ({ rule, seen: seenOf(rule, asset, last) })),
    { path: await options.assetFile(asset), store, manifest, last, transfersByDay },
  );
  return { ...found, last, manifest };
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
  options: Evaluation,
): Promise<Fired[]> {
  const state = since === null ? await AlertState.read(store) : undefined;
  const seenOf: SeenOf = (rule, asset, last) =>
    since === null ? (state!.of(rule, asset) ?? { last }) : { last: before(last, since) - 1 };
  const fired: Fired[] = [];
  for await (const { found } of evaluated(rules, store, options, seenOf)) fired.push(...found.fired);
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
  // A new rule's first run sends nothing.
  const seenOf: SeenOf = (rule, asset) => state.of(rule, asset);
  for await (const { rule, asset, found } of evaluated(rules, store, { ...options, failed }, seenOf)) {
    const { fired, last, block, manifest } = found;
    const known = state.of(rule, asset);
    touched.push({ rule, asset });
    if (last === undefined) continue;
    if (known === undefined) begun.set(rule, [...(begun.get(rule) ?? []), { asset, last }]);
    const pending = fired.map((one) => ({
      t: one.firing.t,
      key: idempotencyKey(one),
      body: bodyOf(one, { manifest, site: rules.site }),
    }));
    const { pending: left = [], ...rest } = known ?? { last };
    const all = [...left, ...pending];
    const isNewer = last >= rest.last;
    state.set(rule, asset, {
      ...rest,
      ...(isNewer && { last }),
      ...(isNewer && block !== undefined && { block }),
      ...(all.length > 0 && { pending: all }),
    });
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
        `the URL of ${name} ${error.message}: ${JSON.stringify(rule.name)} of ${asset}, ${firedTime(rule, one.t)}, and ${others} are posted by the next run.`,
      );
      if (!(error instanceof BodyRefused)) return;
      refused.add(rule);
      continue;
    }
    const { pending = [], ...rest } = state.of(rule, asset)!;
    const left = pending.filter(({ key }) => key !== one.key);
    state.set(rule, asset, { ...rest, sent: one.t, ...(left.length > 0 && { pending: left }) });
    await state.save();
    sent(`${firedTime(rule, one.t)}  ${asset}  ${rule.name}: posted to ${name}`);
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
export const firedText = (fired: Fired): string =>
  `${firedTime(fired.rule, fired.firing.t)}  ${fired.asset}  ${fired.rule.name}: ${firingText(fired)}`;
