/** Progress on stderr, so that stdout has the tables only. */

import { progressFor } from "../builder/terminal/progress.ts";

/** Runs work with a progress bar of its own. */
export async function withProgress<T>(
  title: string,
  total: number,
  work: (onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  const progress = progressFor(process.stderr, false);
  progress.step(title, total);
  try {
    return await work((done) => progress.update(done));
  } finally {
    progress.end();
  }
}

/** Prints one line about what runs now. */
export function say(line: string): void {
  console.error(line);
}
