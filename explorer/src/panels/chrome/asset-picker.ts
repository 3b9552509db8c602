/** The picker of a page's asset, on the button that names it and on the key A: finds by symbol, name and contract. */

import { getJson } from "../../api/load.ts";
import { queryValue } from "../../api/request.ts";
import { shortAddress } from "../../search/find-address.ts";
import { type FindableAsset, findAssets } from "../../search/find-asset.ts";
import { Combobox } from "../combobox.ts";
import { h, isWithin, part } from "../dom.ts";

/** Where the key is a letter. */
const WRITTEN_IN = "input, select, textarea, dialog, [contenteditable]";

/** Assets that are listed; more typing finds the others. */
const MOST_LISTED = 200;

export interface AssetPicker {
  /** Names the asset that the page shows. */
  show(asset: { symbol: string; name: string }): void;
}

/**
 * @param root of the whole page
 * @param assets those to choose from, once it opens
 * @param choose is called with a symbol
 */
export function connectAssetPicker(
  root: HTMLElement,
  assets: () => readonly FindableAsset[] | Promise<readonly FindableAsset[]>,
  choose: (symbol: string) => void,
): AssetPicker {
  const button = part<HTMLButtonElement>(root, "asset");
  let shown: string | null = null;
  const open = () => {
    if (!document.querySelector("dialog[open]")) openDialog(root, assets(), shown, choose, () => button.focus());
  };
  button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key.toLowerCase() !== "a" || isModified || isWithin(event, WRITTEN_IN)) return;
    event.preventDefault();
    open();
  });
  button.disabled = false;
  return {
    show({ symbol, name }) {
      shown = symbol;
      part(button, "asset-symbol").textContent = symbol;
      part(button, "asset-name").textContent = name === symbol ? "" : name;
    },
  };
}

/** For pages without an asset of their own: leads to its chart. */
export function connectAssetLink(root: HTMLElement): void {
  const load = async () => (await getJson<{ assets: FindableAsset[] }>("/v3/assets")).assets;
  connectAssetPicker(root, load, (symbol) => location.assign(`/?a=${queryValue(symbol)}`));
}

/** Opens the dialog, which is there only as long as it is open; the assets may arrive later. */
function openDialog(
  root: HTMLElement,
  loading: ReturnType<Parameters<typeof connectAssetPicker>[1]>,
  shown: string | null,
  choose: (symbol: string) => void,
  onClose: () => void,
): void {
  const list = h("div", { id: "asset-list", class: "picker-list", role: "listbox", "aria-label": "Assets" });
  const input = h("input", {
    role: "combobox",
    "aria-label": "Find an asset",
    "aria-autocomplete": "list",
    "aria-expanded": "true",
    "aria-controls": list.id,
    placeholder: "Symbol, name or contract",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  });
  const note = h("p", { class: "picker-note", role: "status" });
  const dialog = h("dialog", { class: "picker", "aria-label": "Choose an asset" }, input, note, list);
  let assets: readonly FindableAsset[] | null = Array.isArray(loading) ? loading : null;
  let found: readonly FindableAsset[] = [];
  const box = new Combobox(input, list, (index) => {
    const asset = found[index];
    dialog.close();
    if (asset) choose(asset.symbol);
  });
  const render = () => {
    const all = findAssets(assets ?? [], input.value);
    found = all.slice(0, MOST_LISTED);
    box.show(
      found.map(optionOf),
      input.value === ""
        ? Math.max(
            0,
            found.findIndex(({ symbol }) => symbol === shown),
          )
        : 0,
    );
    note.textContent =
      assets === null
        ? "The assets are on their way."
        : assets.length === 0
          ? "The assets can't be loaded. Close this, then try again."
          : all.length === 0
            ? `No asset has “${input.value.trim()}” in its symbol, name or contract.`
            : all.length > found.length
              ? `${all.length} assets, of which ${found.length} are listed. Type to find the others.`
              : "";
  };
  input.addEventListener("input", render);
  // A click beside it closes it.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  root.append(dialog);
  dialog.showModal();
  input.focus();
  render();
  if (assets !== null) return;
  void Promise.resolve(loading)
    .catch(() => [])
    .then((loaded) => {
      assets = loaded;
      render();
    });
}

const optionOf = ({ symbol, name, contract }: FindableAsset): HTMLElement =>
  h(
    "div",
    {},
    h("strong", {}, symbol),
    h("span", { class: "name" }, name === symbol ? "" : name),
    contract && h("code", { title: contract }, shortAddress(contract)),
  );
