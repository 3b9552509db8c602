/** Pages of objects → numbers and bytes, by a kernel. Its source is in ../assembly/pages.ts. */

import {
  type Columns,
  DOUBLES,
  ENCODINGS,
  INTEGERS,
  type Inflate,
  MILLISECONDS,
  pageOf,
  type RowGroup,
} from "../../../data-schema/parquet.ts";
import module from "../assembly/pages.wasm";

/** What assembly/pages.ts exports. Globals are addresses in the kernel's memory. */
interface Kernel extends Record<"stored" | "page" | "numbers", WebAssembly.Global> {
  memory: WebAssembly.Memory;
  reserve(bytes: number, length: number, rows: number): void;
  inflate(): void;
  doubles(rows: number, isSplit: boolean): void;
  integers(rows: number, divisor: number): void;
}

const kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;

/** Bytes of the kernel's memory, which never shrinks. */
export const kernelBytes = (): number => kernel.memory.buffer.byteLength;

/** Decompresses pages of tables that have other columns than series. */
export const inflate: Inflate = (stored, length) => {
  take(stored, length, 0);
  kernel.inflate();
  return new Uint8Array(kernel.memory.buffer, kernel.page.value, length).slice();
};

function take(stored: Uint8Array, length: number, rows: number): void {
  kernel.reserve(stored.length, length, rows);
  new Uint8Array(kernel.memory.buffer, kernel.stored.value, stored.length).set(stored);
}

/** How the numbers of each column are stored: doubles, or whole numbers that are divided. */
const COLUMNS = {
  t: { encodings: INTEGERS, divisor: MILLISECONDS },
  v: { encodings: DOUBLES, divisor: null },
  block: { encodings: INTEGERS, divisor: 1 },
} as const;

/**
 * Decodes rows of neighbouring row groups.
 *
 * @param bytes a range of the object that holds the columns
 * @param start where that range starts in the object
 * @param skip rows of the row groups before the first wanted one
 * @param into takes as many rows as its arrays are long
 * @throws {Error} the bytes cannot be decoded, or have fewer rows
 */
export function decodeRows(
  bytes: Uint8Array,
  start: number,
  groups: readonly Pick<RowGroup, "rows" | "chunks">[],
  skip: number,
  into: Columns,
): void {
  const rows = into.t.length;
  let row = -skip;
  for (const group of groups) {
    const [from, to] = [Math.max(0, -row), Math.min(group.rows, rows - row)];
    for (const [name, column] of Object.entries(into) as [keyof Columns, Float64Array][]) {
      column.set(decodeColumn(bytes, start, group, name).subarray(from, to), row + from);
    }
    row += group.rows;
  }
  if (row < rows) throw new Error("it has fewer rows than its footer says");
}

/** Bytes of a row in a page: 8, and its share of what a block of whole numbers begins with. */
const MOST_ROW_BYTES = 9;
/** Bytes of a page beside those of its rows: what it begins with, and the rest of a block that is not full. */
const MOST_HEAD_BYTES = 4096;

/** The numbers of a column of a row group: a view of the kernel's memory. */
function decodeColumn(
  bytes: Uint8Array,
  start: number,
  { rows, chunks }: Pick<RowGroup, "rows" | "chunks">,
  name: keyof Columns,
): Float64Array {
  const { encodings, divisor } = COLUMNS[name];
  const { encoding, stored, length } = pageOf(bytes, start, chunks[name]!, rows, encodings);
  // The kernel's memory never shrinks, so it must not grow for a page whose header is wrong.
  if (length > MOST_ROW_BYTES * rows + MOST_HEAD_BYTES) throw new Error("a page has more bytes than its rows take");
  take(stored, length, rows);
  if (divisor === null) kernel.doubles(rows, encoding === ENCODINGS.BYTE_STREAM_SPLIT);
  else kernel.integers(rows, divisor);
  return new Float64Array(kernel.memory.buffer, kernel.numbers.value, rows);
}
