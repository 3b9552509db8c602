/** Writes what is zoomed into the address bar, in the same entry of the history. */

/** Milliseconds between two addresses: browsers refuse hundreds of entries from one turn of a wheel. */
const PAUSE = 300;

/**
 * @param address the address of what is shown by then
 * @returns writes it, but not again soon
 */
export function addressWriter(replace: (address: string) => void, address: () => string): () => void {
  let isPaused = false;
  const write = () => {
    if (isPaused) return;
    const written = address();
    replace(written);
    isPaused = true;
    setTimeout(() => {
      isPaused = false;
      if (address() !== written) write();
    }, PAUSE);
  };
  return write;
}
