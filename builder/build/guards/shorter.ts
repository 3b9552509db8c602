/**
 * Refuses a build that would take away what is published: one that ends earlier, or has fewer transfers. Mostly, its inputs
 * are those of an older checkout. Source: docs/building.md#builds-that-would-go-backwards.
 */

import type { Cause, Manifest } from "../../../data-schema/stored.ts";
import { DAY_SECONDS, HOUR_SECONDS, isoTime } from "../../../data-schema/text.ts";
import type { DayTally, Totals } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import type { Survey } from "../../input/survey.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { InputFailure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";

/** What the active build has, and the next one may not have less of. */
export interface PublishedEnd {
  build: string;
  /** Unix seconds. */
  asOf: number;
  /** Whether an earlier end is what the operator wants. */
  mayEndEarlier: boolean;
  /** Transfers, mints and burns before `asOf`. */
  events: number;
  /** Whether fewer of them are explained: by a repair, or since the files are the same and a rule drops rows. */
  mayHaveFewer: boolean;
  /** What the inputs in the store say of those here: a sentence; absent if there is nothing to say. */
  hint?: string;
}

/** The build falls short of the active one: a full build would, too. */
export class ShorterFailure extends InputFailure {}

type Counted = Pick<Totals, "transfers" | "mints" | "burns">;
const eventsOf = ({ transfers, mints, burns }: Counted) => transfers + mints + burns;

type Named = Pick<AssetFile, "symbol" | "path">;

/** @param mayEndEarlier whether `--as-of` was given */
export function publishedEnd({ build, asOf, counts }: Manifest, mayEndEarlier: boolean, hint?: string): PublishedEnd {
  const end = Date.parse(asOf) / 1000;
  return {
    build,
    asOf: end,
    mayEndEarlier,
    events: eventsOf(counts),
    mayHaveFewer: false,
    ...(hint !== undefined && { hint }),
  };
}

/**
 * Whether fewer transfers than the last build had are explained.
 *
 * @param causes why it is a full build, if the files were matched with those of the checkpoint
 * @param recorded the last build, as it was recorded; without it, only what its checkpoint knows of the files tells
 */
export function explainsFewer(
  { symbol, repaired = [] }: Pick<AssetFile, "symbol" | "repaired">,
  { files }: Pick<Survey, "files">,
  causes: readonly Cause[] | undefined,
  recorded: Manifest | undefined,
): boolean {
  // None is missing, or has other rows.
  if (causes && !causes.some(({ kind }) => kind === "files")) return true;
  const here = new Set(files.map(({ sha256 }) => sha256));
  const fetchedAgain = new Set(repaired.map((file) => `inputs/${symbol}/${file}`));
  return (recorded?.inputs ?? [{ role: "transfers", file: "" }])
    .filter(({ role }) => role === "transfers")
    .every((input) => "sha256" in input && "file" in input && (here.has(input.sha256) || fetchedAgain.has(input.file)));
}

/** @throws {ShorterFailure} the build would end before the active one */
export function refuseEarlier({ symbol, path }: Named, asOf: number, published: PublishedEnd): void {
  if (published.mayEndEarlier || asOf >= published.asOf) return;
  const lost = lengthText(published.asOf - asOf);
  throw new ShorterFailure(
    `${symbol}: this build would end at ${isoTime(asOf)}, but the active build ${published.build} ends at ` +
      `${isoTime(published.asOf)}, so ${lost} would vanish. ${published.hint ?? "Bring its inputs up to date"}; or, if it ` +
      `should end earlier, say so with --as-of, or run ${advisedBuild(path, "--allow-shorter")}.`,
  );
}

/**
 * @param days of what was read, ascending
 * @param before of the events before it
 * @throws {ShorterFailure} as `refuseEarlier`; or up to the end of the active build there are fewer events than it has
 */
export function refuseShorter(
  asset: Named,
  asOf: number,
  days: readonly DayTally[],
  before: Counted,
  published: PublishedEnd,
): void {
  refuseEarlier(asset, asOf, published);
  if (published.mayHaveFewer || asOf < published.asOf) return;
  const own = days.filter(({ day }) => day < published.asOf).reduce((sum, day) => sum + eventsOf(day), 0);
  const fewer = published.events - own - eventsOf(before);
  if (fewer <= 0) return;
  throw new ShorterFailure(
    `${asset.symbol}: up to ${isoTime(published.asOf)} the inputs have ${counted(fewer, "transfer")} fewer than the ` +
      `active build ${published.build}, which has ${count(published.events)}, mints and burns included. ` +
      `${published.hint ?? "Bring back the files that are missing"}; or, if the inputs are right, run ${advisedBuild(asset.path, "--allow-shorter")}.`,
  );
}

function lengthText(seconds: number): string {
  const [length, unit] = seconds >= DAY_SECONDS ? [DAY_SECONDS, "day"] : [HOUR_SECONDS, "hour"];
  return counted(Math.ceil(seconds / length), unit);
}
