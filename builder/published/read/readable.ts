/** Objects of the store that may be missing, damaged, or of another form. */

import type { StoredObject } from "../../store/store.ts";

/**
 * What an object says.
 *
 * @param parse throws if the bytes are of another form
 * @returns undefined if it is missing or can't be read
 */
export function parsedObject<T>(object: StoredObject | undefined, parse: (bytes: Uint8Array) => T): T | undefined {
  try {
    return object && !object.isDamaged ? parse(object.bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a text as `parsedObject` parses bytes. */
export const parsedText = <T>(object: StoredObject | undefined, parse: (text: string) => T): T | undefined =>
  parsedObject(object, (bytes) => parse(new TextDecoder().decode(bytes)));
