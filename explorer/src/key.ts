/** The API key of this tab: never in the address bar, never in a link. */

const STORED = "soprano-key";
const FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a key by its form. */
export function isKey(text: string): boolean {
  return FORM.test(text);
}

/**
 * Moves a key from the fragment, `#key=…`, to the tab's storage, and takes it out of the address bar.
 *
 * @returns what stood there
 */
export function takeKeyFromAddress(): "key" | "malformed" | "nothing" {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const key = fragment.get("key");
  if (key === null) return "nothing";
  if (isKey(key)) storeKey(key);
  history.replaceState(null, "", location.pathname + location.search);
  return isKey(key) ? "key" : "malformed";
}

export function storedKey(): string | null {
  return sessionStorage.getItem(STORED);
}

export function storeKey(key: string): void {
  sessionStorage.setItem(STORED, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED);
}
