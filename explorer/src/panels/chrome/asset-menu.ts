/** The menu of a page's asset. */

import type { Catalog } from "../../api/catalog.ts";
import { assetTitle } from "../../format/names.ts";
import { fill, h } from "../dom.ts";

/** @param choose is called with a symbol */
export function connectAssetMenu(menu: HTMLSelectElement, { assets }: Catalog, choose: (symbol: string) => void): void {
  fill(menu, ...assets.map((asset) => h("option", { value: asset.symbol }, assetTitle(asset))));
  menu.disabled = false;
  menu.addEventListener("change", () => choose(menu.value));
}
