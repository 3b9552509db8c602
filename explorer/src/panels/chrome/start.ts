/** Loads what a page needs first: the catalog and the settings. */

import type { Asset, Catalog, CatalogPrice } from "../../api/catalog.ts";
import { getJson } from "../../api/load.ts";
import { asProblem } from "../../api/problem.ts";
import { parseTime } from "../../format/time.ts";
import { part } from "../dom.ts";
import { hideNotice, showNotice } from "../notice.ts";

export interface Settings {
  /** The key for visitors without one of their own. */
  publicKey: string | null;
  version: string;
  terms: Catalog["terms"];
  formulas: Catalog["formulas"];
}

/** An asset as the API describes it; times are ISO 8601, UTC, without an offset. */
type ServedAsset = Omit<Asset, "price"> & { price?: ServedPrice };

interface ServedPrice {
  first: string;
  last: string;
  gaps: { from: string; to: string }[];
  moreGaps?: number;
}

const inSeconds = ({ first, last, gaps, ...rest }: ServedPrice): CatalogPrice => ({
  ...rest,
  first: parseTime(first),
  last: parseTime(last),
  gaps: gaps.map(({ from, to }) => [parseTime(from), parseTime(to)]),
});

/**
 * What all pages with charts and formulas need.
 *
 * @throws {Problem} the service or the connection failed
 */
export async function loadCatalog(): Promise<{ catalog: Catalog; settings: Settings }> {
  const [{ metrics, groups, signs }, { assets }, settings] = await Promise.all([
    getJson<Pick<Catalog, "metrics" | "groups" | "signs">>("/v3/metrics"),
    getJson<{ assets: ServedAsset[] }>("/v3/assets"),
    getJson<Settings>("/explorer.json"),
  ]);
  const priced = assets.map((asset) => ({ ...asset, price: asset.price && inSeconds(asset.price) }));
  const { terms, formulas } = settings;
  return { catalog: { metrics, groups, signs, assets: priced, terms, formulas }, settings };
}

/**
 * After a failure the user can try again.
 *
 * @param root of the chart, in whose place a failure is told
 */
export async function start(root: HTMLElement): Promise<{ catalog: Catalog; settings: Settings }> {
  for (;;) {
    part(root, "frame").setAttribute("aria-busy", "true");
    hideNotice(root);
    try {
      return await loadCatalog();
    } catch (error) {
      part(root, "frame").setAttribute("aria-busy", "false");
      const { title, advice } = asProblem(error);
      await new Promise<void>((run) => showNotice(root, "problem", title, advice, { title: "Try again", run }));
    }
  }
}
