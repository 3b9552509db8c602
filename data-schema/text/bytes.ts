export const NO_BYTES: Uint8Array = new Uint8Array();

/** Appends bytes to memory that grows as needed. */
export class ByteSink {
  #memory: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** @param capacity in bytes, to begin with */
  constructor(capacity = 1024) {
    this.#memory = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Removes all bytes, and keeps the memory. */
  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    if (this.#length === this.#memory.length) this.#grow(1);
    this.#memory[this.#length++] = value;
  }

  bytes(source: ArrayLike<number>): void {
    if (this.#length + source.length > this.#memory.length) this.#grow(source.length);
    this.#memory.set(source, this.#length);
    this.#length += source.length;
  }

  /** A whole number from 0 to 2^53 in LEB128: seven bits a byte, the low ones first. */
  varint(value: number): void {
    // Division, not shifts: offsets may exceed 32 bits.
    for (; value >= 0x80; value = Math.floor(value / 0x80)) this.byte((value % 0x80) | 0x80);
    this.byte(value);
  }

  /** A whole number up to 2^53 in magnitude: a varint with the sign in the lowest bit. */
  zigzag(value: number): void {
    const sign = value < 0 ? 1 : 0;
    const magnitude = value < 0 ? -value - 1 : value;
    // The lowest seven bits are split off first, since a double may not hold twice the magnitude exactly.
    const low = ((magnitude % 0x40) << 1) | sign;
    if (magnitude < 0x40) {
      this.byte(low);
    } else {
      this.byte(low | 0x80);
      this.varint(Math.floor(magnitude / 0x40));
    }
  }

  /** The bytes so far, or a part of them, as a view that is valid until more are appended. */
  view(start = 0, end = this.#length): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(start, end);
  }

  #grow(count: number): void {
    const memory = new Uint8Array(Math.max(this.#length + count, 2 * this.#memory.length));
    memory.set(this.#memory.subarray(0, this.#length));
    this.#memory = memory;
  }
}

/** A sink that nobody uses now: memory for each short piece would cost more than filling it. */
let spare: ByteSink | undefined;
/** A larger one is not kept, bytes. */
const MOST_SPARE = 1 << 16;

/** What is written, in memory of its own. */
export function writtenBytes(write: (sink: ByteSink) => void): Uint8Array<ArrayBuffer> {
  const sink = spare ?? new ByteSink();
  spare = undefined;
  sink.clear();
  write(sink);
  if (sink.length <= MOST_SPARE) spare = sink;
  return sink.view().slice();
}

/** Joins pieces in memory of their own. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Two digits for each byte. */
export function hex(bytes: ArrayBuffer): string {
  let digits = "";
  for (const byte of new Uint8Array(bytes)) digits += HEX[byte];
  return digits;
}

/** The SHA-256 of a text, in hex. */
export async function textDigest(text: string): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
