/** Objects of the store that may be missing, damaged, or of another form. */

import type { StoredObject } from "../../store/store.ts";

/**
 * What an object says.
 *
 * @param parse throws if the bytes are of another form
 * @returns undefined if it is missing or can't be read
 */
export function readable<T>(object: StoredObject | undefined, parse: (bytes: Uint8Array) => T): T | undefined {
  try {
    return object && !object.isDamaged ? parse(object.bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a text as `readable` parses bytes. */
export const readableText = <T>(object: StoredObject | undefined, parse: (text: string) => T): T | undefined =>
  readable(object, (bytes) => parse(new TextDecoder().decode(bytes)));
