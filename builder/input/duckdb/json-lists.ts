/**
 * Where the lists of JSON texts are, found piece by piece: an answer of an API may be a list of gigabytes, of which DuckDB
 * would make one value in memory. Nothing is read here.
 */

/** Bytes `from` up to, but not including, `to` of a text: what a list has between its brackets. */
export interface ListRange {
  from: number;
  to: number;
  isEmpty: boolean;
}

/** A value of a text, in which each outermost list has one item: its place in `lists`. */
export interface ValueOutline {
  value: unknown;
  lists: readonly ListRange[];
}

/** What is wrong with a text: it is not JSON, it ends within a value, or a value has too many bytes beside its lists. */
export class JsonDamage extends Error {
  readonly what: "malformed" | "cut" | "long";
  /** Counts from 1. */
  readonly value: number;

  constructor(what: JsonDamage["what"], value: number) {
    super(`value ${value} is ${what}`);
    this.what = what;
    this.value = value;
  }
}

const [QUOTE, BACKSLASH, BLANK] = [0x22, 0x5c, 0x20];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The outlines of the values of a text, one after the other. What is within lists is not parsed; its brackets are matched.
 *
 * @param pieces the text in UTF-8
 * @param most bytes that a value may have beside its lists
 * @throws {JsonDamage} the text is not JSON beside its lists
 */
export async function* outlines(pieces: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<ValueOutline> {
  /** Brackets that are open. */
  const open: number[] = [];
  /** The number of brackets around the outermost list; -1 outside of lists. */
  let around = -1;
  let [isText, isEscaped, isBefore] = [false, false, false];
  let lists: ListRange[] = [];
  let kept: Buffer[] = [];
  let [keptBytes, values, start] = [0, 0, 0];
  const parsed = (): unknown => {
    values++;
    try {
      return JSON.parse(
        Buffer.concat(kept)
          .toString("utf8")
          .replace(/^\uFEFF/, ""),
      );
    } catch {
      throw new JsonDamage("malformed", values);
    }
  };
  for await (const piece of pieces) {
    let from = 0;
    const keep = (to: number) => {
      if (to > from) kept.push(Buffer.from(piece.subarray(from, to)));
      keptBytes += to - from;
    };
    for (let at = 0; at < piece.length; at++) {
      if (isText) {
        if (isEscaped) {
          isEscaped = false;
          continue;
        }
        while (at < piece.length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++;
        if (piece[at] === BACKSLASH) isEscaped = true;
        else if (at < piece.length) isText = false;
        continue;
      }
      const byte = piece[at]!;
      if (isBefore && byte > BLANK) {
        isBefore = false;
        lists.at(-1)!.isEmpty = byte === LIST_END;
      }
      if (byte === QUOTE) isText = true;
      else if (byte === OBJECT || byte === LIST) {
        if (byte === LIST && around < 0) {
          keep(at + 1);
          kept.push(Buffer.from(String(lists.length)));
          lists.push({ from: start + at + 1, to: 0, isEmpty: true });
          around = open.length;
          isBefore = true;
        }
        open.push(byte);
      } else if (byte === OBJECT_END || byte === LIST_END) {
        if (open.pop() !== (byte === LIST_END ? LIST : OBJECT)) throw new JsonDamage("malformed", values + 1);
        if (open.length === around) {
          around = -1;
          lists.at(-1)!.to = start + at;
          from = at;
        }
        if (open.length > 0) continue;
        keep(at + 1);
        from = at + 1;
        yield { value: parsed(), lists };
        [lists, kept, keptBytes] = [[], [], 0];
      }
    }
    if (around < 0) keep(piece.length);
    if (keptBytes > most) throw new JsonDamage("long", values + 1);
    start += piece.length;
  }
  if (open.length > 0) throw new JsonDamage("cut", values + 1);
  if (kept.some((bytes) => bytes.toString().trim() !== "")) throw new JsonDamage("malformed", values + 1);
}

/**
 * The items of lists as one list, piece by piece.
 *
 * @param pieces the text in which they are
 * @param ranges in ascending order
 */
export async function* joinLists(
  pieces: AsyncIterable<Uint8Array>,
  ranges: readonly ListRange[],
): AsyncGenerator<Uint8Array> {
  const full = ranges.filter(({ isEmpty }) => !isEmpty);
  let [next, start] = [0, 0];
  yield Buffer.from("[");
  for await (const piece of pieces) {
    const end = start + piece.length;
    while (next < full.length && full[next]!.from < end) {
      const { from, to } = full[next]!;
      if (from >= start && next > 0) yield Buffer.from(",\n");
      yield piece.subarray(Math.max(from - start, 0), to - start);
      if (to > end) break;
      next++;
    }
    start = end;
    if (next === full.length) break;
  }
  yield Buffer.from("]");
}
