/** Deals assets to tasks, so that all tasks take about the same time. Pure. */

/** An asset file, and what its build is expected to take; see cost.ts. */
export interface CostedAsset {
  file: string;
  cost: number;
}

/** The assets of one task, the most expensive first. */
export interface Hand {
  cost: number;
  assets: string[];
}

/**
 * Gives each asset, the most expensive first, to the task with the least so far. No task then costs more than the mean of
 * all and one asset. Equal input gives equal hands; a task may get none.
 */
export function deal(assets: readonly CostedAsset[], tasks: number): Hand[] {
  const hands: Hand[] = Array.from({ length: tasks }, () => ({ cost: 0, assets: [] }));
  const ordered = assets.toSorted((a, b) => b.cost - a.cost || (a.file < b.file ? -1 : 1));
  for (const { file, cost } of ordered) {
    const least = hands.reduce((least, hand) => (hand.cost < least.cost ? hand : least));
    least.assets.push(file);
    least.cost += cost;
  }
  return hands;
}
