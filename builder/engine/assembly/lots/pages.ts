/** Records that come one by one, in pages: they stay where they are, and a page is taken when the last one is full. */

import { allocate } from "../memory";

const PAGE_BITS: u32 = 12;
const PAGE_RECORDS: u32 = 1 << PAGE_BITS;

/** @param bytes of a record; there is no room for more records than have room in 4 GB */
export function allocatePages(bytes: usize): usize {
  return allocate(((((<u64>1) << 32) / <u64>bytes) >> PAGE_BITS) * 4 + 4);
}

/** Where a record lies. */
export function recordAt(pages: usize, record: u32, bytes: usize): usize {
  return <usize>load<u32>(pages + 4 * (record >> PAGE_BITS)) + bytes * <usize>(record & (PAGE_RECORDS - 1));
}

/** Takes a page if a record is the first of one. */
export function reach(pages: usize, record: u32, bytes: usize): void {
  if ((record & (PAGE_RECORDS - 1)) !== 0 && record !== 1) return;
  if (load<u32>(pages + 4 * (record >> PAGE_BITS)) !== 0) return;
  store<u32>(pages + 4 * (record >> PAGE_BITS), <u32>allocate(<u64>bytes * <u64>PAGE_RECORDS));
}
