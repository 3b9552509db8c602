/** How long one waits for what may never come. */

/** Whether the work is done in so many milliseconds, without a failure. */
export async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const done = work.then(
    () => true,
    () => false,
  );
  const late = scheduler.wait(ms, { signal: timer.signal }).then(
    () => false,
    () => false,
  );
  return Promise.race([done, late]).finally(() => timer.abort());
}
