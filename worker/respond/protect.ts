/** Headers of every answer that follow from the address it was asked at. */

import { API_KEY_PATTERN } from "../../data-schema/access/keys.ts";

/** A year. Subdomains are not Soprano's. Source: RFC 6797. */
const TRANSPORT = "max-age=31536000";

/**
 * Asks browsers to come by HTTPS only, where they have come by it; and lets no shared cache keep an answer whose address
 * holds a key, not even one that anyone may read: it would keep the address, too.
 */
export function protect({ headers }: Response, address: string): void {
  const url = URL.parse(address);
  if (url === null) return;
  if (url.protocol === "https:") headers.set("Strict-Transport-Security", TRANSPORT);
  const directives = headers.get("Cache-Control")?.split(", ") ?? [];
  const isOwn = directives.some((directive) => directive === "private" || directive === "no-store");
  if (isOwn || !holdsKey(url)) return;
  headers.set("Cache-Control", ["private", ...directives.filter((directive) => directive !== "public")].join(", "));
}

/** Also one under another name: it may be misplaced. */
const holdsKey = ({ searchParams }: URL): boolean =>
  [...searchParams].some(([name, value]) => name === "api_key" || API_KEY_PATTERN.test(value));
