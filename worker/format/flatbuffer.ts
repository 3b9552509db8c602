/** FlatBuffers, as far as Arrow's metadata needs them. Source: flatbuffers.dev, "FlatBuffers internals". */

/** A part of a buffer that others point to. */
export type Node =
  | { kind: "table"; fields: readonly (Field | null)[] }
  | { kind: "string"; text: string }
  | { kind: "vector"; items: readonly Node[] }
  /** Structs of 64-bit integers, one after the other. */
  | { kind: "structs"; width: number; numbers: readonly number[] };

/** A field of a table: an integer of so many bytes, or a pointer. */
export type Field = { bytes: 1 | 2 | 4 | 8; value: number } | { node: Node };

export const flatTable = (...fields: readonly (Field | null)[]): Node => ({ kind: "table", fields });
export const integer = (bytes: 1 | 2 | 4 | 8, value: number): Field => ({ bytes, value });
export const pointer = (node: Node): Field => ({ node });
export const string = (text: string): Field => pointer({ kind: "string", text });
export const vector = (items: readonly Node[]): Field => pointer({ kind: "vector", items });
export const structs = (width: number, numbers: readonly number[]): Field =>
  pointer({ kind: "structs", width, numbers });

const POINTER_BYTES = 4;

/** The buffer whose root is a table, padded to a multiple of 8 bytes. Strings are ASCII. */
export function flatBuffer(root: Node): Uint8Array {
  const size = 8 + sizeOf(root);
  const view = new DataView(new ArrayBuffer(size));
  let end = POINTER_BYTES;

  /** Writes a node behind all others, and returns where it begins. */
  const write = (node: Node): number => {
    switch (node.kind) {
      case "table":
        return writeTable(node.fields);
      case "string": {
        const start = align(end, 4);
        view.setUint32(start, node.text.length, true);
        for (let i = 0; i < node.text.length; i++) view.setUint8(start + 4 + i, node.text.charCodeAt(i));
        end = start + 4 + node.text.length + 1;
        return start;
      }
      case "vector": {
        const start = align(end, 4);
        view.setUint32(start, node.items.length, true);
        end = start + 4 + POINTER_BYTES * node.items.length;
        for (const [index, item] of node.items.entries()) point(start + 4 + POINTER_BYTES * index, item);
        return start;
      }
      case "structs": {
        // The integers are aligned, not their number.
        const start = align(end + 4, 8) - 4;
        view.setUint32(start, node.numbers.length / node.width, true);
        for (const [index, number] of node.numbers.entries()) setInteger(view, start + 4 + 8 * index, number);
        end = start + 4 + 8 * node.numbers.length;
        return start;
      }
    }
  };

  /** The places of the fields come first, then the table with them. */
  const writeTable = (fields: readonly (Field | null)[]): number => {
    const places = align(end, 2);
    const start = align(places + 4 + 2 * fields.length, 8);
    let next = start + POINTER_BYTES;
    const at = fields.map((field) => {
      if (field === null) return 0;
      const bytes = "node" in field ? POINTER_BYTES : field.bytes;
      const place = align(next, bytes);
      next = place + bytes;
      return place;
    });
    view.setInt32(start, start - places, true);
    view.setUint16(places, 4 + 2 * fields.length, true);
    view.setUint16(places + 2, next - start, true);
    end = next;
    for (const [index, place] of at.entries()) {
      view.setUint16(places + 4 + 2 * index, place === 0 ? 0 : place - start, true);
      const field = fields[index];
      if (!field) continue;
      if ("node" in field) point(place, field.node);
      else if (field.bytes === 8) setInteger(view, place, field.value);
      else if (field.bytes === 4) view.setUint32(place, field.value, true);
      else if (field.bytes === 2) view.setUint16(place, field.value, true);
      else view.setUint8(place, field.value);
    }
    return start;
  };

  /** A pointer counts from its own place. */
  const point = (place: number, node: Node): void => {
    view.setUint32(place, write(node) - place, true);
  };

  point(0, root);
  return new Uint8Array(view.buffer, 0, align(end, 8));
}

/** Writes a 64-bit integer by its halves: a BigInt for each would be slow. */
export function setInteger(view: DataView, place: number, value: number): void {
  view.setUint32(place, value % 4_294_967_296, true);
  view.setInt32(place + 4, Math.floor(value / 4_294_967_296), true);
}

const align = (place: number, bytes: number) => Math.ceil(place / bytes) * bytes;

/** More bytes than a node takes, however it is aligned. */
function sizeOf(node: Node): number {
  switch (node.kind) {
    case "table":
      return node.fields.reduce(
        (sum, field) => sum + 10 + (field && "node" in field ? 8 + sizeOf(field.node) : 16),
        32,
      );
    case "string":
      return node.text.length + 16;
    case "vector":
      return node.items.reduce((sum, item) => sum + POINTER_BYTES + sizeOf(item), 16);
    case "structs":
      return 8 * node.numbers.length + 24;
  }
}
