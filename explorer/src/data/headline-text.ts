/** A headline in words: `$906M on 31 Dec 2025: −3.1 % in 7 days, +12 % in 30. Higher than on 87 % of all days, …`. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import { short, signed, signedDifference } from "../format/numbers.ts";
import { dateText } from "../format/time.ts";
import type { Headline } from "./headline.ts";

export function headlineText({ day, value, changes, ever, year }: Headline, unit: FormulaUnit): string {
  const now = `${short(value, unit)} on ${dateText(day)}`;
  const moved = changes.map((change) => `${changeText(change, unit)} in ${change.days} days`).join(", ");
  const places = [ever && placeText(ever, "all days"), year && placeText(year, "those of the last year")].filter(
    Boolean,
  );
  return [now + (moved && `: ${moved}`), places.join(", ")].filter(Boolean).map(sentence).join(" ");
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

function changeText(change: Headline["changes"][number], unit: FormulaUnit): string {
  if ("part" in change) return signed(rounded(change.part), "share");
  return signedDifference(rounded(change.difference), unit);
}

const rounded = (value: number) => Number(value.toPrecision(3));

/** By the largest of the shares, so that nobody has to subtract. */
function placeText({ lower, higher }: { lower: number; higher: number }, days: string): string {
  const same = 1 - lower - higher;
  if (same >= Math.max(lower, higher)) return `the same as ${same === 1 ? `on each of ${days}` : partOf(same, days)}`;
  const [word, share] = lower >= higher ? ["higher", lower] : ["lower", higher];
  return `${word} than ${share === 1 ? `on any of ${days}` : partOf(share, days)}`;
}

const partOf = (share: number, days: string) => `on ${Math.floor(share * 100)}\u202f% of ${days}`;
