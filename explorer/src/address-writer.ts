/** Keeps the address bar up to date while a chart is zoomed, in one entry of the history. */

/** Milliseconds between two addresses: browsers refuse hundreds of entries from one turn of a wheel. */
const PAUSE = 300;

/**
 * @param address gives the address of what is shown now
 * @returns a function that writes it: at once, or when the pause after the last write is over
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
