/** Every attack. */

import type { Attack } from "./attack.ts";
import { costly } from "./costly.ts";
import { crowds } from "./crowds.ts";
import { cutAndReplaced } from "./cut-and-replaced.ts";
import { damagedData } from "./damage.ts";
import { damagedPrevious } from "./damaged-previous.ts";
import { dishonestPrices } from "./dishonest-prices.ts";
import { diskFull } from "./disk-full.ts";
import { extremeHistories } from "./extremes.ts";
import { fetches } from "./fetches.ts";
import { formulas } from "./formulas.ts";
import { input } from "./input.ts";
import { interruptions } from "./interruptions.ts";
import { kills } from "./kills.ts";
import { longTexts } from "./long-texts.ts";
import { requests } from "./requests.ts";
import { rowEvidence } from "./row-evidence.ts";
import { swaps } from "./swaps.ts";

export const ATTACKS: readonly Attack[] = [
  kills,
  swaps,
  requests,
  longTexts,
  formulas,
  costly,
  input,
  rowEvidence,
  extremeHistories,
  damagedData,
  damagedPrevious,
  interruptions,
  diskFull,
  fetches,
  cutAndReplaced,
  dishonestPrices,
  crowds,
];
