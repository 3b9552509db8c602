/** Where a board that leaves the page is from: its asset, build and dates, and its link. */

import type { Asset } from "../api/catalog.ts";
import { assetTitle } from "../format/names.ts";
import { dateText, parseTime } from "../format/time.ts";

/**
 * @param link of the board, with scheme and host
 * @param now Unix seconds
 */
export function boardSource(
  asset: Pick<Asset, "symbol" | "name" | "ranges" | "build"> | undefined,
  link: string,
  now: number,
): { text: string; link: string } {
  const last = asset?.ranges.day?.last;
  const texts = [
    asset && assetTitle(asset),
    last && `data up to ${dateText(parseTime(last))}`,
    asset?.build && `build ${asset.build}`,
    `made on ${dateText(now)}`,
    `source: Soprano, ${new URL(link).host}`,
  ];
  return { text: texts.filter(Boolean).join(" · "), link };
}
