/** Reads what thrift.ts writes: values in Thrift's compact protocol. */

/** A value: numbers and truth as numbers, texts as bytes, lists, and structs, whose fields have their numbers as index. */
export type ThriftValue = number | Uint8Array | ThriftValue[] | ThriftStruct;
export interface ThriftStruct {
  readonly fields: readonly (ThriftValue | undefined)[];
}

const [TRUE, FALSE, BYTE, I16, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 3, 4, 5, 6, 8, 9, 12];

/** @returns the struct, and where it ends @throws {Error} the bytes are no struct, or have values of other types */
export function readThrift(bytes: Uint8Array, from = 0): { struct: ThriftStruct; end: number } {
  const reader = new Reader(bytes, from);
  return { struct: reader.struct(0), end: reader.at };
}

/** Deeper than any metadata: damage would exhaust the stack. */
const MOST_DEPTH = 32;

class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(depth: number): ThriftStruct {
    const fields: ThriftValue[] = [];
    for (let field = 0; ; ) {
      const head = this.#byte();
      if (head === 0) return { fields };
      field = head < 0x10 ? this.#zigzag() : field + (head >> 4);
      if (!(field > 0 && field < 0x100)) throw new Error("a field has no number");
      const type = head & 0xf;
      fields[field] = type === TRUE || type === FALSE ? Number(type === TRUE) : this.#value(type, depth);
    }
  }

  #value(type: number, depth: number): ThriftValue {
    if (depth > MOST_DEPTH) throw new Error("it is too deep");
    if (type === I32 || type === I64 || type === I16) return this.#zigzag();
    if (type === BINARY) return this.#binary();
    if (type === STRUCT) return this.struct(depth + 1);
    if (type === LIST) return this.#list(depth + 1);
    if (type === BYTE || type === TRUE || type === FALSE) return this.#byte();
    throw new Error(`a value has the type ${type}`);
  }

  #list(depth: number): ThriftValue[] {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#varint() : head >> 4;
    // Each element takes a byte at least.
    if (count > this.#bytes.length - this.at) throw new Error("a list ends too late");
    const list: ThriftValue[] = [];
    for (let i = 0; i < count; i++) list.push(this.#value(head & 0xf, depth));
    return list;
  }

  #binary(): Uint8Array {
    const length = this.#varint();
    const end = this.at + length;
    if (end > this.#bytes.length) throw new Error("a text ends too late");
    const found = this.#bytes.subarray(this.at, end);
    this.at = end;
    return found;
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error("it ends too early");
    return byte;
  }

  /** A whole number from 0 to 2^53. */
  #varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new Error("a number is too large");
      if (byte < 0x80) return value;
    }
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
