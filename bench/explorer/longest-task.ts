/** The work of a page's main thread, by the browser's own trace. */

import type { Page } from "playwright-core";

/** What the browser calls a page's main thread, and the work that it does without a pause. */
const MAIN_THREAD = "CrRendererMain";
const TASK = "ThreadControllerImpl::RunTask";

/** `tdur` is CPU time in µs. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

/**
 * The longest task of a page's main thread, in seconds of CPU time: the browser's own count of long tasks would include the
 * waits for other processes.
 */
export async function longestTask(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ["toplevel"] });
  await act();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === MAIN_THREAD).map(thread),
  );
  const tasks = traceEvents.filter((event) => event.name === TASK && main.has(thread(event)));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1e6));
}
