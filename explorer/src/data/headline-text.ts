/** A headline in words: `$906M on 31 Dec 2025: −3.1 % in 7 days, +12 % in 30. Higher than on 87 % of all days, …`. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import { short, signed } from "../format/numbers.ts";
import { dateText } from "../format/time.ts";
import type { Headline } from "./headline.ts";

export function headlineText({ day, value, changes, ever, year }: Headline, unit: FormulaUnit): string {
  const now = `${short(value, unit)} on ${dateText(day)}`;
  const moved = changes
    .map(({ days, by }) => `${signed(Number(by.toPrecision(3)), "share")} in ${days} days`)
    .join(", ");
  const places = [ever && placeText(ever, "all days"), year && placeText(year, "those of the last year")].filter(
    Boolean,
  );
  return [now + (moved && `: ${moved}`), places.join(", ")].filter(Boolean).map(sentence).join(" ");
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

/** By the larger of both shares, so that nobody has to subtract. */
function placeText({ lower, higher }: { lower: number; higher: number }, days: string): string {
  const [word, share] = lower >= higher ? ["higher", lower] : ["lower", higher];
  if (share === 1) return `${word} than on any of ${days}`;
  return `${word} than on ${Math.floor(share * 100)}\u202f% of ${days}`;
}
