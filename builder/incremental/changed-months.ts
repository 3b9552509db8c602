/** Says in which months two histories differ. */

import { count } from "../terminal/amounts.ts";
import type { Month } from "./provenance.ts";

const MOST_MONTHS = 6;

/** Lists the months whose rows have changed; undefined if none has. */
export function changedMonths(
  before: Readonly<Record<string, Month>>,
  now: Readonly<Record<string, Month>>,
): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const changed = names.filter((name) => before[name]?.digest !== now[name]?.digest);
  if (changed.length === 0) return undefined;
  const rows = (months: Readonly<Record<string, Month>>, name: string) => count(months[name]?.rows ?? 0);
  const list = changed
    .slice(0, MOST_MONTHS)
    .map((name) => `${name} (${rows(now, name)} rows, were ${rows(before, name)})`);
  const more = changed.length - list.length;
  return `${list.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
