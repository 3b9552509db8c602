/** "Did you mean": the closest of several known names. */

/**
 * The candidate nearest to what was written, ignoring case, if it is near enough: at most one edit for every three
 * letters written.
 */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  // No name is that long, so comparing would only cost time.
  if (written.length > 64) return undefined;
  const from = written.toLowerCase();
  let best: string | undefined;
  let least = Math.floor(written.length / 3) + 1;
  for (const candidate of candidates) {
    const to = candidate.toLowerCase();
    // Each letter by which one is longer takes an edit.
    if (Math.abs(from.length - to.length) >= least) continue;
    const distance = editDistance(from, to);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The least number of insertions, deletions, replacements and swaps of neighbours between two texts. */
export function editDistance(from: string, to: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let distance = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        distance = Math.min(distance, older[column - 2]! + 1);
      }
      current.push(distance);
    }
    [older, previous] = [previous, current];
  }
  return previous[to.length]!;
}
