/** Memory is laid out from the bottom up, and never given back: a kernel is thrown away, or laid out anew. */

let top: usize = 0;

/** Throws: there is no more memory. */
declare function outOfMemory(): void;

export function startLayout(): void {
  top = (__heap_base + 63) & ~63;
}

/** Pointers have 32 bits. */
const LIMIT: u64 = 1 << 32;

/** Room for some bytes, beginning at a cache line. What is asked for may be more than pointers reach. */
export function room(bytes: u64): usize {
  const at = top;
  const end = (<u64>at + bytes + 63) & ~63;
  if (end >= LIMIT) outOfMemory();
  const pages = <i32>((end + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) outOfMemory();
  top = <usize>end;
  return at;
}
