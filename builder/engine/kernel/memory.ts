/** Memory is laid out from the bottom up, and never given back: a kernel is thrown away, or laid out anew. */

let top: usize = 0;

/** Throws: there is no more memory. */
declare function outOfMemory(): void;

export function startLayout(): void {
  top = (__heap_base + 63) & ~63;
}

/** Room for some bytes, beginning at a cache line. */
export function room(bytes: usize): usize {
  const at = top;
  top = (at + bytes + 63) & ~63;
  const pages = <i32>((top + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) outOfMemory();
  return at;
}
