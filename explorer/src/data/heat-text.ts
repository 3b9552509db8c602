/** Cells of a heatmap in words. */

import { DISTRIBUTIONS } from "../../../data-schema/registry.ts";
import { compact, short } from "../format/numbers.ts";
import { monthText } from "../format/time.ts";
import type { Heat, HeatCell } from "./heat.ts";

/** `12.3M ARIA bought at $1.26–$1.33` */
export function cellText(cell: HeatCell, { distribution }: Heat, symbol: string): string {
  return `${short(cell.tokens, "token")} ${symbol} ${VERBS[distribution]} ${rangeText(cell, distribution)}`;
}

const VERBS: Record<Heat["distribution"], string> = {
  cost_basis: "bought at",
  acquired: "bought in",
  first_seen: "with holders since",
};

const rangeText = ({ from, to }: HeatCell, distribution: Heat["distribution"]): string =>
  DISTRIBUTIONS[distribution].key === "time"
    ? monthText(from)
    : `${compact(from, "usd_per_token")}–${compact(to, "usd_per_token")}`;
