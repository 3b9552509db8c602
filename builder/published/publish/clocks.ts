/**
 * An activation by a machine whose clock was ahead. Later ones would have to follow it in the log, and so be dated in the
 * future, too, until its time has come: `known` would not find them. Pure.
 */

import type { ChangeEntry } from "../../../data-schema/stored.ts";

/** Clocks may differ by so much, in milliseconds. */
const TOLERATED_MS = 60_000;

/**
 * The entry of the last activation, with times that have been.
 *
 * If the store's clock says that the machine was ahead, its activations get the times at which their entries were put; if it
 * doesn't, this machine's clock may be late, and the entry stays as it is.
 *
 * @param uploaded when the entries were put, by number
 * @param now by this machine's clock
 * @param tell called with a sentence that names both times, if they differ by more than a minute
 */
export function onTime(
  entry: ChangeEntry,
  uploaded: ReadonlyMap<number, Date>,
  now: Date,
  tell: (sentence: string) => void,
): ChangeEntry {
  const { symbol, build, activated, known } = entry;
  if (!isAhead(entry, now)) return entry;
  const isProven = isLater(activated, uploaded.get(entry.n) ?? now);
  tell(
    `${symbol}: build ${build} was activated at ${activated}, but this machine's clock says ${now.toISOString()}. ` +
      (isProven
        ? "The machine that did it was ahead of the store: set its clock. The log of what was known goes on with the store's times."
        : "Set the clock that is wrong: until that time, the log of what was known can't tell activations apart."),
  );
  if (!isProven) return entry;
  let last = Number.NEGATIVE_INFINITY;
  const timeOf = (at: string, n: number) => {
    const put = uploaded.get(n) ?? now;
    const time = isLater(at, now) && isLater(at, put) ? Math.min(put.getTime(), now.getTime()) : Date.parse(at);
    last = Math.max(time, last + 1);
    return new Date(last).toISOString();
  };
  const lines = known?.lines.map((line) => ({ ...line, at: timeOf(line.at, line.n) }));
  const time = lines?.at(-1)?.at ?? timeOf(activated, entry.n);
  if (!known || !lines) return { ...entry, activated: time };
  // The log may have begun while the clock was ahead.
  return { ...entry, activated: time, known: { ...known, lines, since: earlier(known.since, lines[0]!.at) } };
}

/** Whether an activation was at a time that has not come yet. */
export const isAhead = ({ activated }: Pick<ChangeEntry, "activated">, now: Date): boolean => isLater(activated, now);

const isLater = (at: string, of: Date) => Date.parse(at) > of.getTime() + TOLERATED_MS;

const earlier = (a: string, b: string) => (Date.parse(a) < Date.parse(b) ? a : b);
