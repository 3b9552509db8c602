/** Bytes one after the other, in memory that grows as they come. */
export class ByteSink {
  #memory: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** @param capacity bytes to make room for; more may come */
  constructor(capacity = 1024) {
    this.#memory = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Forgets the bytes, and keeps the memory. */
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

  /** A whole number up to 2^53 in magnitude: its sign in the lowest bit, and then as a varint. */
  zigzag(value: number): void {
    const sign = value < 0 ? 1 : 0;
    const magnitude = value < 0 ? -value - 1 : value;
    // The first seven bits by hand: twice the magnitude may be no exact double.
    const low = ((magnitude % 0x40) << 1) | sign;
    if (magnitude < 0x40) {
      this.byte(low);
    } else {
      this.byte(low | 0x80);
      this.varint(Math.floor(magnitude / 0x40));
    }
  }

  /** The bytes so far, or some of them: a view, of no use once more bytes come. */
  view(start = 0, end = this.#length): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(start, end);
  }

  #grow(count: number): void {
    const memory = new Uint8Array(Math.max(this.#length + count, 2 * this.#memory.length));
    memory.set(this.#memory.subarray(0, this.#length));
    this.#memory = memory;
  }
}

/** Pieces one after the other, in memory of their own. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
