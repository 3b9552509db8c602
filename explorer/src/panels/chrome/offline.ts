/**
 * Loads a chart again and again while the service can't be reached. Meanwhile the last chart stays, dimmed; the first one has
 * a notice in its place.
 */

import type { ChartData } from "../../chart-data.ts";
import type { ChartState } from "../../state/chart-state.ts";
import { announce } from "../dom.ts";

type Load = (chart: ChartState, signal: AbortSignal) => Promise<ChartData>;

/** Milliseconds before the first attempt, and at most. */
const PAUSE = { first: 1_000, most: 20_000 } as const;

/** @param banner says that there is no connection */
export function untilReachable(load: Load, banner: HTMLElement): Load {
  let hasLoaded = false;
  return async (chart, signal) => {
    for (let pause: number = PAUSE.first; ; pause = Math.min(2 * pause, PAUSE.most)) {
      const data = await load(chart, signal);
      if (signal.aborted) return data;
      const isCut = hasLoaded && data.problems.length > 0 && data.problems.every((one) => one?.type === "unreachable");
      if (isCut && banner.hidden) announce(banner.textContent ?? "");
      banner.hidden = !isCut;
      hasLoaded ||= data.table.t.length > 0;
      if (!isCut) return data;
      await online(pause, signal);
      if (signal.aborted) return data;
    }
  };
}

/** Waits, but not longer than until the browser is online again or the signal is aborted. */
function online(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
