/** Why a build is the active one, in words. */

import type { Cause, ChangedMonth } from "../../../data-schema/stored.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";

const CHANGED = { added: "is new", changed: "has changed", removed: "is gone" };

/** Months that a text names. */
const MOST_MONTHS = 6;

/** A clause. */
export function causeText(cause: Cause): string {
  switch (cause.kind) {
    case "first-build":
      return "it is the first build";
    case "new-events":
      return `resumed from ${cause.from.slice(0, 10)}`;
    case "rollback":
      return "rolled back";
    case "rebuild":
      return cause.reason;
    case "format":
      return "the format has changed";
    case "engine":
    case "parameter":
      return `${cause.kind === "engine" ? "the engine" : cause.name} has changed (${cause.now}, was ${cause.before})`;
    case "earlier-as-of":
      return `asOf lies before the end of the last build's last day, ${cause.day}`;
    case "prices":
      return `prices before ${cause.day} have changed`;
    case "corrections": {
      const { time, now, before, reason } = cause.first;
      const others = cause.count > 1 ? `; ${counted(cause.count, "correction")} differ in all` : "";
      return `the correction of the price of ${time} has changed (${now}, was ${before}: ${reason})${others}`;
    }
    case "files":
      return fileText(cause.first);
    case "transfers":
      return monthsText(cause);
    case "cohorts": {
      const { cohort, change } = cause.lists[0]!;
      const others = cause.lists.length - 1;
      return `the list of ${cohort} ${CHANGED[change]}${others > 0 ? `; ${counted(others + 1, "list")} differ in all` : ""}`;
    }
    case "calendar":
      return `the calendar has changed (${counted(cause.events, "event")}, ${cause.before === 1 ? "was" : "were"} ${count(cause.before)})`;
    case "deposits":
      return `${counted(cause.came, "deposit address")} came, ${count(cause.went)} went`;
    case "labels": {
      const { address, now, before } = cause.first;
      const others = cause.count > 1 ? `; ${counted(cause.count, "label")} have changed in all` : "";
      return `the label of ${address} has changed (${now}, was ${before})${others}`;
    }
  }
}

function fileText(first: Extract<Cause, { kind: "files" }>["first"]): string {
  switch (first.problem) {
    case "changed":
      return `${first.file} has changed`;
    case "missing":
      return `${first.file} is missing`;
    case "unreadable":
      return "the new rows can't be read";
    case "late-rows":
      return `${first.file} has ${counted(first.rows, "new row")} of blocks that were read before, up to ${first.block}`;
  }
}

function monthsText({ count: all, months }: { count: number; months: readonly ChangedMonth[] }): string {
  const shown = months.slice(0, MOST_MONTHS);
  const list = shown.map(({ month, rows, before }) => `${month} (${count(rows)} rows, were ${count(before)})`);
  const more = all - shown.length;
  return `${list.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What a text adds to the first reason. */
const isToldBeside = ({ kind }: Cause) => kind === "deposits" || kind === "corrections";

/** Why a build was a full one: the first reason, the months whose transfers differ, and what of the operator's and builds' own tables. */
export function reasonText(causes: readonly Cause[]): string {
  const [first] = causes;
  const transfers = causes.find(({ kind }) => kind === "transfers");
  const why = [first, transfers].flatMap((cause) => (cause ? [causeText(cause)] : [])).join(": ");
  const beside = causes.filter((cause) => isToldBeside(cause) && cause !== first);
  return [why, ...beside.map(causeText)].join("; ");
}
