/** What can happen to stored bytes. */

import fc from "fast-check";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet/file-metadata.ts";
import { parseFooter } from "../../data-schema/parquet/series-object.ts";
import { itemAt, share } from "./share.ts";

/** Places and lengths as shares of what is damaged. */
export type Damage =
  | { kind: "flipped"; part: string; bits: { place: number; bit: number }[] }
  | { kind: "truncated"; share: number }
  | { kind: "extended"; bytes: Uint8Array }
  | { kind: "zeroed"; part: string }
  | { kind: "swapped"; with: number };

/** The parts of a series object, for `partsOf`; other objects are of one part. */
const part = fc.constantFrom("whole", "footer", "trailer", "t", "v", "cohort", "block");

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("flipped" as const),
      part,
      bits: fc.array(fc.record({ place: share, bit: fc.nat(7) }), { minLength: 1, maxLength: 3 }),
    }),
  },
  fc.record({ kind: fc.constant("truncated" as const), share: fc.oneof(share, fc.constantFrom(0, 1 - 1e-9)) }),
  fc.record({ kind: fc.constant("extended" as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
  fc.record({ kind: fc.constant("zeroed" as const), part }),
  fc.record({ kind: fc.constant("swapped" as const), with: share }),
);

/** A range of bytes. */
type Part = [from: number, to: number];

/** The parts of an object by name: of a series object those of one of its row groups, of others only the whole. */
function partsOf(bytes: Uint8Array, place: number): Record<string, Part> {
  const whole: Part = [0, bytes.length];
  if (new TextDecoder("latin1").decode(bytes.subarray(-4)) !== "PAR1" || !isSeries(bytes)) return { whole };
  const { groups, length } = parseFooter(bytes, bytes.length);
  const { chunks } = itemAt(groups, place);
  const trailer = bytes.length - PARQUET_TRAILER_BYTES;
  const ranges = Object.entries(chunks).map(([name, { offset, compressedBytes }]): [string, Part] => {
    return [name, [offset, offset + compressedBytes]];
  });
  return {
    whole,
    footer: [trailer - length, trailer],
    trailer: [trailer, bytes.length],
    ...Object.fromEntries(ranges),
  };
}

function isSeries(bytes: Uint8Array): boolean {
  try {
    return parseFooter(bytes, bytes.length).rows > 0;
  } catch {
    return false;
  }
}

/**
 * Damages bytes.
 *
 * @param others what they may be swapped with
 * @returns other bytes than the given ones
 */
export function damaged(bytes: Uint8Array, one: Damage, others: readonly Uint8Array[]): Uint8Array {
  // Not `slice`, which gives a view where the bytes are a Buffer.
  const copy = new Uint8Array(bytes);
  switch (one.kind) {
    case "flipped": {
      for (const { place, bit } of one.bits) {
        const parts = partsOf(bytes, place);
        const [from, to] = parts[one.part] ?? parts.whole!;
        // A place within the part that differs from the one that chose the row group.
        const index = from + Math.floor(((place * 7919) % 1) * (to - from));
        copy[index]! ^= 1 << bit;
      }
      break;
    }
    case "truncated":
      return bytes.subarray(0, Math.floor(one.share * bytes.length));
    case "extended":
      return Buffer.concat([bytes, one.bytes]);
    case "zeroed": {
      const parts = partsOf(bytes, 0.5);
      copy.fill(0, ...(parts[one.part] ?? parts.whole!));
      break;
    }
    case "swapped":
      return itemAt(others, one.with);
  }
  // Two flips of one bit undo each other.
  return Buffer.compare(copy, bytes) === 0 ? bytes.subarray(1) : copy;
}
