/** This tab's API key. It never stays in the address bar and is never part of a link. */

const STORAGE_ITEM = "soprano-key";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isKey = (text: string) => UUID.test(text);
export const storedKey = () => sessionStorage.getItem(STORAGE_ITEM);
export const storeKey = (key: string) => sessionStorage.setItem(STORAGE_ITEM, key);
export const forgetKey = () => sessionStorage.removeItem(STORAGE_ITEM);

/** Moves a key from the address bar's fragment, `#key=…`, to the tab's storage. */
export function takeKeyFromAddress(): "valid" | "invalid" | "absent" {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const key = fragment.get("key");
  if (key === null) return "absent";
  if (isKey(key)) storeKey(key);
  history.replaceState(null, "", location.pathname + location.search);
  return isKey(key) ? "valid" : "invalid";
}
