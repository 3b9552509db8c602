/** Decides from digests and counts whether a build is a full one or resumes from the last. Pure. Source: docs/building.md#incremental-builds. */

import { SCHEMA_VERSION } from "../../../data-schema/parquet.ts";
import type { OwnCohort } from "../../../data-schema/registry.ts";
import type { Cause, Manifest } from "../../../data-schema/stored.ts";
import { isoDay, isoTime } from "../../../data-schema/text.ts";
import { ENGINE_VERSION } from "../../engine/formulas.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { computeBuildId } from "../../input/asset/build-id.ts";
import { type DigestedInput, isOfSeries } from "../../input/digest-input.ts";
import { labelText } from "../../input/labels/address-labels.ts";
import type { Survey, SurveyedHistory } from "../../input/survey.ts";
import { type ChangedLabels, changedLabels } from "../checkpoint/changed-labels.ts";
import type { Previous } from "../checkpoint/previous.ts";
import { type AssetIdentity, changedMonths, digestPrices, identityOf } from "../checkpoint/provenance.ts";
import type { PublishedClose } from "../guards/max-supply.ts";

export type BuildPlan =
  /** Every transfer is read and replayed. */
  | { kind: "full"; causes: readonly Cause[] }
  /**
   * Only the rows after the checkpoint's last block are read, of the files that have any. `onlyBeside` says how the lists of own
   * cohorts and the calendar have changed if nothing else has. `mostSupply` is what max-supply.ts needs to know of the days before.
   */
  | {
      kind: "incremental";
      previous: Previous;
      files: SurveyedHistory[];
      onlyBeside: readonly Cause[];
      mostSupply?: PublishedClose | undefined;
    };

/** @param previous the last build */
export function planBuild(asset: AssetFile, survey: Survey, previous: Previous): BuildPlan {
  const causes = [...differences(asset, survey, previous)];
  if (causes.length > 0) return { kind: "full", causes };
  const hasNoNewRows = ({ role, isSame, known }: SurveyedHistory) =>
    role === "transfers" && isSame && known?.rowsAfter === 0;
  const onlyBeside = isSameButBeside(asset, survey, previous) ? besideCauses(previous.manifest, survey) : [];
  return { kind: "incremental", previous, files: survey.history.filter((file) => !hasNoNewRows(file)), onlyBeside };
}

/**
 * Whether the active build was made from the same input, as the digests of its files tell. Without an as-of time, the last
 * transfer tells it, so transfers have to be read first.
 */
export function isPublished(asset: AssetFile, input: readonly DigestedInput[], previous: Previous): boolean {
  return asset.asOf !== undefined && isActive(previous, computeBuildId(asset, asset.asOf, input));
}

/** Whether a build with the lists and the calendar of the active one would be that one. */
function isSameButBeside(asset: AssetFile, { files }: Survey, { manifest, recorded }: Previous): boolean {
  if (!recorded || (asset.asOf ?? asOfOf(manifest)) !== asOfOf(manifest)) return false;
  const others = files.filter(({ role }) => isOfSeries(role));
  const before = recorded.inputs.filter(({ role }) => !isOfSeries(role));
  return computeBuildId(asset, asOfOf(manifest), [...others, ...before]) === manifest.build;
}

const asOfOf = ({ asOf }: Manifest) => Date.parse(asOf) / 1000;

/** Whether a build is the active one and was published completely. */
export const isActive = ({ manifest, recorded }: Previous, build: string) =>
  recorded !== undefined && manifest.build === build;

/** A full build for a reason that no input gives: a clause. */
export const fullBuild = (reason: string): BuildPlan & { kind: "full" } => ({
  kind: "full",
  causes: [{ kind: "rebuild", reason }],
});

/** Why a build can't resume: how today's input differs from what the checkpoint was made from. */
function* differences(
  asset: AssetFile,
  { history, unmatched, prices, corrections, labels }: Survey,
  { manifest, checkpoint, provenance, file }: Previous,
): Generator<Cause> {
  const { time, lastEvent } = checkpoint;
  const day = isoDay(time);
  if (provenance.schema !== SCHEMA_VERSION) yield { kind: "format" };
  if (provenance.engine !== ENGINE_VERSION) yield { kind: "engine", now: ENGINE_VERSION, before: provenance.engine };
  const [identity, identityBefore] = [identityOf(asset), identityOf(provenance.asset)];
  for (const name of Object.keys({ ...identityBefore, ...identity }) as (keyof AssetIdentity)[]) {
    const [now, before] = [parameterText(identity[name]), parameterText(identityBefore[name])];
    if (now !== before) yield { kind: "parameter", name, now, before };
  }
  if (asset.asOf !== undefined && asset.asOf < time) yield { kind: "earlier-as-of", day };
  const months = changedMonths(provenance.prices, digestPrices(prices, time));
  if (months) {
    yield { kind: "prices", day, ...months };
    yield* correctionCauses(manifest, corrections);
  }
  const files = [...fileProblems(history, unmatched, lastEvent.block)];
  if (files[0]) yield { kind: "files", count: files.length, first: files[0] };
  const label = changedLabels(file.labels(), labels);
  if (label) yield { kind: "labels", count: label.count, first: labelTexts(label) };
}

const parameterText = (value: unknown): string =>
  value === undefined
    ? "none"
    : typeof value === "object" && !(Array.isArray(value) && value.every((item) => typeof item === "string"))
      ? JSON.stringify(value)
      : String(value);

type FileProblem = Extract<Cause, { kind: "files" }>["first"];

function* fileProblems(
  history: Survey["history"],
  unmatched: Survey["unmatched"],
  block: number,
): Generator<FileProblem> {
  // Hours that a day's file has replaced: nothing of them was before the checkpoint.
  const lost = unmatched.filter(({ settled }) => settled !== 0);
  for (const { file } of lost) {
    const exists = history.some((today) => today.file.name === file);
    yield { problem: exists ? "changed" : "missing", file };
  }
  const reported = new Set(lost.map(({ file }) => file));
  for (const { isSame, added, file } of history) {
    if (isSame || reported.has(file.name)) continue;
    if (!added) yield { problem: "unreadable", file: file.name };
    else if (added.settled > 0) yield { problem: "late-rows", file: file.name, rows: added.settled, block };
  }
}

const labelTexts = ({ first: { address, before, now } }: ChangedLabels) => ({
  address,
  now: labelText(now),
  before: labelText(before),
});

/** How the corrections of prices differ from those of the active build. */
export function correctionCauses(
  { corrections: before = [] }: Pick<Manifest, "corrections">,
  now: Survey["corrections"],
): Cause[] {
  const [pricesBefore, reasonsBefore] = [
    new Map(before.map(({ t, usd }) => [t, usd])),
    new Map(before.map(({ t, reason }) => [t, reason])),
  ];
  const [pricesNow, reasonsNow] = [
    new Map(now.flatMap(({ time, usd }) => (usd === null ? [] : [[time, usd] as const]))),
    new Map(now.map(({ time, reason }) => [time, reason])),
  ];
  const times = [...new Set([...pricesBefore.keys(), ...pricesNow.keys()])].sort((a, b) => a - b);
  const differing = times.filter((time) => pricesBefore.get(time) !== pricesNow.get(time));
  const [first] = differing;
  if (first === undefined) return [];
  const told = {
    time: isoTime(first),
    now: String(pricesNow.get(first) ?? "none"),
    before: String(pricesBefore.get(first) ?? "none"),
    reason: reasonsNow.get(first) ?? reasonsBefore.get(first)!,
  };
  return [{ kind: "corrections", count: differing.length, first: told }];
}

/** How the lists and the calendar differ from those of the build that this one goes on from. */
export const besideCauses = (before: Pick<Manifest, "cohorts" | "events">, now: Pick<Survey, "lists" | "events">) => [
  ...listCauses(before, now.lists),
  ...calendarCauses(before, now.events),
];

function calendarCauses({ events: before = [] }: Pick<Manifest, "events">, now: Survey["events"]): Cause[] {
  const isSame = JSON.stringify(before) === JSON.stringify(now);
  return isSame ? [] : [{ kind: "calendar", events: now.length, before: before.length }];
}

/** How the lists differ from those of the build that this one goes on from. */
function listCauses({ cohorts: before = {} }: Pick<Manifest, "cohorts">, lists: Survey["lists"]): Cause[] {
  const now = new Map(lists.map(({ cohort, sha256 }) => [cohort, sha256]));
  const removed = (Object.keys(before) as OwnCohort[]).filter((cohort) => !now.has(cohort));
  const changed = [...now].filter(([cohort, sha256]) => before[cohort]?.sha256 !== sha256);
  const differing = [
    ...changed.map(([cohort]) => ({ cohort, change: before[cohort] ? ("changed" as const) : ("added" as const) })),
    ...removed.map((cohort) => ({ cohort, change: "removed" as const })),
  ];
  return differing.length > 0 ? [{ kind: "cohorts", lists: differing }] : [];
}
