/** How long a fresh visit takes until it shows a chart. */

import { drawn, type Stage } from "../../test/explorer/browser.ts";

/** Seconds from the navigation until the chart is drawn, and of them the CPU time of the page's main thread. */
export type FirstChart = { shown: number; worked: number };

/** Visits the explorer without anything in the browser's cache. */
export async function firstChart(stage: Stage): Promise<FirstChart> {
  const { page, close } = await stage.open();
  try {
    await page.addInitScript(`
      new MutationObserver((_, observer) => {
        if (!document.querySelector("#frame[aria-busy=false] .uplot")) return;
        observer.disconnect();
        requestAnimationFrame(() => (firstChart = performance.now()));
      }).observe(document, { childList: true, subtree: true, attributes: true });
    `);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(`${stage.url}/#key=${stage.key}`);
    await drawn(page);
    const shown = (await page.evaluate<number>("firstChart")) / 1000;
    const { metrics } = await devtools.send("Performance.getMetrics");
    return { shown, worked: metrics.find(({ name }) => name === "TaskDuration")!.value };
  } finally {
    await close();
  }
}
