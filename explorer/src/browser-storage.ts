/** The browser's storage. Where it is forbidden, nothing is stored, and the page works without. */

/** Local storage outlives the tab; session storage is the tab's own. */
type Area = "localStorage" | "sessionStorage";

export function readItem(name: string, area: Area = "localStorage"): string | null {
  try {
    return globalThis[area].getItem(name);
  } catch {
    return null;
  }
}

/**
 * Stores a text; null removes it.
 *
 * @returns why it couldn't be stored, in one sentence; null if it could
 */
export function writeItem(name: string, text: string | null, area: Area = "localStorage"): string | null {
  try {
    if (text === null) globalThis[area].removeItem(name);
    else globalThis[area].setItem(name, text);
    return null;
  } catch (error) {
    return error instanceof DOMException && error.name === "QuotaExceededError"
      ? "The browser's storage is full. Delete some saved charts, or export them to a file first."
      : "The browser doesn't let this page store anything. Allow it in the browser's settings for this site.";
  }
}
