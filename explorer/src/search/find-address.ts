/** Addresses in what people paste into a search field. */

/** The first address in a text, in lower case, also in a link of a block explorer; null if there is none. */
export function addressIn(text: string): string | null {
  return /(?<![0-9a-z])0x[0-9a-f]{40}(?![0-9a-z])/i.exec(text)?.[0].toLowerCase() ?? null;
}

/** The page of an address. */
export const holdingsPath = (address: string): string => `/holders/${address}`;

/** `0x12ab34…cdef` */
export const shortAddress = (address: string): string => `${address.slice(0, 8)}…${address.slice(-4)}`;
