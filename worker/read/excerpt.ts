/**
 * An excerpt: a small Parquet file that holds only the row groups and columns a query needs, made of the bytes of one
 * ranged read and a footer written for them.
 *
 * The decoder then sees nothing else: it parses two columns of metadata instead of the whole object's, needs no page
 * index, and can run synchronously on one buffer, so that a panic is an exception and not a promise that never settles.
 *
 * Source: the Parquet format's parquet.thrift, in Thrift's compact protocol.
 */

/** A column chunk; `offset` counts from the start of the object, sizes are in bytes. */
export interface Chunk {
  offset: number;
  compressedBytes: number;
  uncompressedBytes: number;
  /** Where the dictionary page ends and the data begins, when there is one. */
  dataOffset: number;
}

/** A column as the footer's schema declares it. */
export interface Column {
  name: "t" | "v";
  physicalType: keyof typeof PHYSICAL_TYPES;
  optional: boolean;
}

export interface ExcerptGroup {
  rows: number;
  /** In the order of the columns. */
  chunks: readonly [t: Chunk, v: Chunk];
}

const PHYSICAL_TYPES = { INT64: 2, DOUBLE: 5 } as const;
const REQUIRED = 0;
const OPTIONAL = 1;
const ZSTD = 6;
const MAGIC = [0x50, 0x41, 0x52, 0x31];

/**
 * Lays the row groups out as a file of their own.
 *
 * @param bytes one range of the object that holds every chunk of the groups
 * @param start where that range starts in the object
 */
export function excerpt(
  bytes: Uint8Array,
  start: number,
  columns: readonly Column[],
  groups: readonly ExcerptGroup[],
): Uint8Array {
  const footer = new Thrift();
  footer.i32(1, 2);
  footer.list(2, STRUCT, [null, ...columns], (column) => {
    if (column === null) {
      footer.text(4, "schema");
      footer.i32(5, columns.length);
    } else {
      footer.i32(1, PHYSICAL_TYPES[column.physicalType]);
      footer.i32(3, column.optional ? OPTIONAL : REQUIRED);
      footer.text(4, column.name);
    }
  });
  footer.i64(
    3,
    groups.reduce((rows, group) => rows + group.rows, 0),
  );
  footer.list(4, STRUCT, groups, (group) => rowGroup(footer, group, columns, start));
  footer.end();
  return fileOf(bytes, footer.bytes);
}

function fileOf(bytes: Uint8Array, footer: readonly number[]): Uint8Array {
  const file = new Uint8Array(bytes.length + footer.length + 8);
  file.set(bytes);
  file.set(footer, bytes.length);
  new DataView(file.buffer).setUint32(bytes.length + footer.length, footer.length, true);
  file.set(MAGIC, file.length - 4);
  return file;
}

function rowGroup(footer: Thrift, { rows, chunks }: ExcerptGroup, columns: readonly Column[], start: number): void {
  footer.list(1, STRUCT, columns, ({ name, physicalType }, index) => {
    const { offset, dataOffset, compressedBytes, uncompressedBytes } = chunks[index]!;
    footer.i64(2, 0);
    footer.struct(3, () => {
      footer.i32(1, PHYSICAL_TYPES[physicalType]);
      // What was used to encode stands in the pages; a reader does not need it here.
      footer.list(2, I32, [0], (encoding) => footer.varint(encoding));
      footer.list(3, BINARY, [name], (part) => footer.characters(part));
      footer.i32(4, ZSTD);
      footer.i64(5, rows);
      footer.i64(6, uncompressedBytes);
      footer.i64(7, compressedBytes);
      footer.i64(9, dataOffset - start);
      if (dataOffset !== offset) footer.i64(11, offset - start);
    });
  });
  footer.i64(
    2,
    chunks.reduce((sum, chunk) => sum + chunk.uncompressedBytes, 0),
  );
  footer.i64(3, rows);
}

// Types in Thrift's compact protocol.
const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** A struct in Thrift's compact protocol. Fields are written in ascending order of their numbers. */
class Thrift {
  readonly bytes: number[] = [];
  #previous = 0;

  // Zigzag of the non-negative numbers that a footer holds is their double.
  i32(field: number, value: number): void {
    this.#begin(field, I32);
    this.varint(value * 2);
  }

  i64(field: number, value: number): void {
    this.#begin(field, I64);
    this.varint(value * 2);
  }

  text(field: number, value: string): void {
    this.#begin(field, BINARY);
    this.characters(value);
  }

  struct(field: number, write: () => void): void {
    this.#begin(field, STRUCT);
    this.#nested(write);
  }

  /** @param write writes an element, or for structs its fields */
  list<T>(field: number, type: number, elements: readonly T[], write: (element: T, index: number) => void): void {
    this.#begin(field, LIST);
    if (elements.length < 15) this.bytes.push((elements.length << 4) | type);
    else {
      this.bytes.push(0xf0 | type);
      this.varint(elements.length);
    }
    elements.forEach((element, index) => {
      if (type === STRUCT) this.#nested(() => write(element, index));
      else write(element, index);
    });
  }

  varint(value: number): void {
    // Division, not shifts: offsets may exceed 32 bits.
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes.push((rest % 0x80) | 0x80);
    this.bytes.push(rest);
  }

  /** ASCII. */
  characters(value: string): void {
    this.varint(value.length);
    for (let i = 0; i < value.length; i++) this.bytes.push(value.charCodeAt(i));
  }

  end(): void {
    this.bytes.push(0);
  }

  #begin(field: number, type: number): void {
    this.bytes.push(((field - this.#previous) << 4) | type);
    this.#previous = field;
  }

  #nested(write: () => void): void {
    const outer = this.#previous;
    this.#previous = 0;
    write();
    this.end();
    this.#previous = outer;
  }
}
