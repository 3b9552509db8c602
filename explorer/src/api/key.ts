/** This tab's API key. It never stays in the address bar and is never part of a link. */

import { readItem, writeItem } from "../browser-storage.ts";

const STORAGE_ITEM = "soprano-key";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isKey = (text: string) => UUID.test(text);
/** Where the tab has no storage, the page holds the key. */
let held: string | null = null;

export const storedKey = () => readItem(STORAGE_ITEM, "sessionStorage") ?? held;

export function storeKey(key: string): void {
  held = writeItem(STORAGE_ITEM, key, "sessionStorage") === null ? null : key;
}

export function forgetKey(): void {
  held = null;
  writeItem(STORAGE_ITEM, null, "sessionStorage");
}

/** Moves a key from the address bar's fragment, `#key=…`, to the tab's storage. */
export function takeKeyFromAddress(): "valid" | "invalid" | "absent" {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const key = fragment.get("key");
  if (key === null) return "absent";
  if (isKey(key)) storeKey(key);
  history.replaceState(null, "", location.pathname + location.search);
  return isKey(key) ? "valid" : "invalid";
}
