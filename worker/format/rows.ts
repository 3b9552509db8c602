/**
 * Points → text, by the kernel: a few kilobytes of WebAssembly that write whole rows as bytes. Turning one number of
 * full precision into text takes JavaScript three times as long as the kernel needs for the whole row. The kernel's
 * source is in kernel/; `npm run build:wasm` compiles it.
 */

import type { Slice } from "../../data-schema/series.ts";
import module from "./kernel/rows.wasm";
import type { Layout } from "./layouts.ts";

/** What kernel/rows.ts exports. Numbers are addresses in the kernel's memory. */
interface Kernel {
  memory: WebAssembly.Memory;
  capacity: WebAssembly.Global;
  times: WebAssembly.Global;
  values: WebAssembly.Global;
  text: WebAssembly.Global;
  between: WebAssembly.Global;
  beforeValue: WebAssembly.Global;
  writeRows(count: number, betweenLength: number, beforeValueLength: number): number;
}

const kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;

/** Points that can be written at once: about 200 kilobytes of text, the size that workerd streams fastest. */
export const CAPACITY: number = kernel.capacity.value;

// The kernel's memory never grows, so views of it stay valid.
const { buffer } = kernel.memory;
const times = new Float64Array(buffer, kernel.times.value, CAPACITY);
const values = new Float64Array(buffer, kernel.values.value, CAPACITY);
const memory = new Uint8Array(buffer);
const encoder = new TextEncoder();

/**
 * The text of up to `CAPACITY` points, in one piece, between `before` and `after`: times as `YYYY-MM-DDTHH:MM:SS` in
 * UTC, numbers in the shortest form that reads back as the same double.
 *
 * @param slices consecutive points, at least one; times from 1970 to 9999, values finite
 */
export function writeRows(
  slices: readonly Slice[],
  { between, beforeValue }: Layout,
  before: string,
  after: string,
): Uint8Array<ArrayBuffer> {
  let count = 0;
  for (const { t, v } of slices) {
    times.set(t, count);
    values.set(v, count);
    count += t.length;
  }
  put(between, kernel.between.value);
  put(beforeValue, kernel.beforeValue.value);
  const start = kernel.text.value;
  const end = start + kernel.writeRows(count, between.length, beforeValue.length);
  // The kernel begins every row with `between`; in the first, `before` replaces it.
  const first = start + between.length - before.length;
  put(before, first);
  put(after, end);
  return new Uint8Array(buffer.slice(first, end + after.length));
}

/** Writes ASCII into the kernel's memory. */
function put(text: string, address: number): void {
  encoder.encodeInto(text, memory.subarray(address));
}
