/** A kernel lays out its memory from the bottom up and never frees it: it is discarded, or laid out again. */

let top: usize = 0;

/** Throws: there is no more memory. */
declare function outOfMemory(): void;

export function startLayout(): void {
  top = (__heap_base + 63) & ~63;
}

/** Pointers have 32 bits. */
const LIMIT: u64 = 1 << 32;

/** Allocates bytes from the next cache line on. `bytes` is 64 bits wide because a request may exceed the address space. */
export function allocate(bytes: u64): usize {
  const at = top;
  const end = (<u64>at + bytes + 63) & ~63;
  if (end >= LIMIT) outOfMemory();
  const pages = <i32>((end + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) outOfMemory();
  top = <usize>end;
  return at;
}
