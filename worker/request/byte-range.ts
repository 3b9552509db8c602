/** Which bytes of a file a request asks for, and on which conditions (RFC 9110 §13, RFC 9110 §14). */

/** Bytes from `offset` on, all of them or `length`; or the last `suffix`. */
export type ByteRange = { offset: number; length?: number } | { suffix: number };

/** No range needs more: a longer one is malformed. */
const MOST_CHARACTERS = 200;

/** No blank can be read in two ways: where both ends are missing, trying them all would take quadratic time. */
const RANGE = /^bytes=\s*(?:(\d+)\s*)?-\s*(\d*)$/i;

/**
 * The range that a request asks for; null for the whole file. Other units, malformed ranges and several at once are
 * ignored, as RFC 9110 §14.2 allows, and so is a range of another file than the one that If-Range names.
 *
 * @param tag of the file, strong
 */
export function byteRange(headers: Headers, tag: string): ByteRange | null {
  const ifRange = headers.get("If-Range");
  if (ifRange !== null && ifRange.trim() !== tag) return null;
  const range = headers.get("Range")?.trim() ?? "";
  const [, first = "", last] = (range.length <= MOST_CHARACTERS && RANGE.exec(range)) || [];
  if (last === undefined || (first === "" && last === "")) return null;
  if (first === "") return { suffix: whole(last) };
  if (last === "") return { offset: whole(first) };
  const length = whole(last) - whole(first) + 1;
  return length > 0 ? { offset: whole(first), length } : null;
}

/** A number of bytes. No file is as large, and the store can still count further. */
const whole = (digits: string) => Math.min(Number(digits), 2 ** 52);

/** Bytes of a file. */
export interface Part {
  offset: number;
  length: number;
}

/** The part that a range covers in a file of so many bytes; null if it covers none. */
export function partOf(range: ByteRange | null, size: number): Part | null {
  if (range === null) return { offset: 0, length: size };
  const offset = "suffix" in range ? Math.max(size - range.suffix, 0) : range.offset;
  const length = Math.min("suffix" in range ? range.suffix : (range.length ?? size), size - offset);
  return length > 0 ? { offset, length } : null;
}

/** Whether If-Match excludes a file: it names others only (RFC 9110 §13.1.1). */
export function excludes(ifMatch: string | null, tag: string): boolean {
  if (ifMatch === null || ifMatch.trim() === "*") return false;
  return !(ifMatch.match(/(?:W\/)?"[^"]*"/g)?.includes(tag) ?? false);
}
