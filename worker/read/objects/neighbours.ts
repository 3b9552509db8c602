/**
 * Small parts that lie side by side in a pack come by one read: a read takes about as long whether it has one of them or
 * eight. Source: docs/formats.md#packs.
 */

import type { ManifestObject, Pack } from "../../../data-schema/stored.ts";
import { placeName, readRange } from "../../bucket/ranges.ts";
import { verify } from "../../bucket/verify-bytes.ts";
import type { SeriesContext } from "../../context.ts";

/** Bytes of a read of several parts: as many as those of the objects that are opened in advance. */
export const MOST_TOGETHER: number = 2 << 20;

type Part = ManifestObject & { pack: Pack };
type Bytes = Uint8Array<ArrayBuffer>;

const endOf = ({ pack, entry }: Part): number => pack.offset + entry.size;

/** The parts that a request is going to read whole. What one read has brought is handed over once. */
export class Neighbours {
  readonly #isWanted: (part: ManifestObject) => boolean;
  /** Parts that nobody has begun to read, of each pack by their offsets. */
  readonly #unread: Map<string, Part[]>;
  readonly #begun = new Map<string, Promise<Bytes>>();

  /** @param isWanted whether a part has still to be read, which is asked just before it would be */
  constructor(objects: readonly ManifestObject[], isWanted: (part: ManifestObject) => boolean) {
    const parts = [...new Map(objects.map((object) => [object.key, object])).values()].filter(
      (object): object is Part => object.pack !== undefined,
    );
    parts.sort((a, b) => a.pack.offset - b.pack.offset);
    this.#unread = Map.groupBy(parts, ({ pack }) => pack.key);
    this.#isWanted = isWanted;
  }

  /**
   * All bytes of a part, read with those beside it; undefined if it has none beside it, or has been handed over. Whoever
   * takes them frees them.
   *
   * @throws {Problem} 500 or 503 as `readRange`, for any of those that are read together
   */
  take({ key, pack }: ManifestObject, context: SeriesContext): Promise<Bytes> | undefined {
    const unread = (pack && this.#unread.get(pack.key)) ?? [];
    const place = unread.findIndex((part) => part.key === key);
    if (place >= 0) {
      const [first, count] = this.#spanAround(place, unread, context);
      const span = unread.splice(first, count);
      if (span.length > 1) this.#read(span, context);
    }
    const bytes = this.#begun.get(key);
    this.#begun.delete(key);
    return bytes;
  }

  /** From which place on, and how many: those after a part, then those before it, as far as the request may hold them. */
  #spanAround(place: number, unread: readonly Part[], { lease }: SeriesContext): [first: number, count: number] {
    let [first, last] = [place, place];
    const fits = (left: Part | undefined, right: Part | undefined, added: Part | undefined) => {
      if (!left || !right || !added || endOf(left) !== right.pack.offset) return false;
      const bytes =
        Math.max(endOf(unread[last]!), endOf(added)) - Math.min(unread[first]!.pack.offset, added.pack.offset);
      return bytes <= MOST_TOGETHER && lease.mayHold(bytes) && this.#isWanted(added);
    };
    while (fits(unread[last], unread[last + 1], unread[last + 1])) last++;
    while (fits(unread[first - 1], unread[first], unread[first - 1])) first--;
    return [first, last - first + 1];
  }

  #read(span: readonly Part[], context: SeriesContext): void {
    const { lease } = context;
    const [first, last] = [span[0]!, span.at(-1)!];
    const { offset, ...pack } = first.pack;
    const length = endOf(last) - offset;
    const of = (bytes: Bytes, { pack, entry }: Part) =>
      bytes.subarray(pack.offset - offset, pack.offset - offset + entry.size);
    const check = async (bytes: Bytes) => {
      await Promise.all(span.map((part) => verify(of(bytes, part), part.entry.hash, placeName(part))));
    };
    lease.reserve(length, true);
    // The pack's key holds its hash, and its parts lie in a range without a gap: so a range always has the same parts.
    const read = readRange({ key: pack.key, entry: pack }, offset, length, check, context)
      .then((bytes) => {
        // Each has memory of its own, which can be freed by itself.
        const own = span.map((part) => [part.key, of(bytes, part).slice()] as const);
        bytes.buffer.transfer(0);
        lease.keep(own.map(([, part]) => part));
        return new Map(own);
      })
      .finally(() => lease.release(length));
    for (const { key } of span) {
      const bytes = read.then((parts) => {
        lease.use();
        return parts.get(key)!;
      });
      // A failure of a part that nobody takes is nobody's.
      bytes.catch(() => {});
      this.#begun.set(key, bytes);
    }
  }
}
