/** What the benchmark is doing, on stderr: stdout has the tables alone. */

import { progressFor } from "../builder/terminal/progress.ts";

/** Work with a progress bar of its own. */
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

/** One line: what runs now. */
export function say(line: string): void {
  console.error(line);
}
