/** Contexts that pages have one after the other: a new one costs a process, which takes as long as most tests. */

import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";

const keyOf = (options: BrowserContextOptions) => JSON.stringify(options);

export class Contexts {
  readonly #browser: Browser;
  readonly #origin: string;
  /** Contexts that no page has, by their options. */
  readonly #free = new Map<string, BrowserContext[]>();

  constructor(browser: Browser, origin: string) {
    this.#browser = browser;
    this.#origin = origin;
  }

  async take(options: BrowserContextOptions): Promise<BrowserContext> {
    const free = this.#free.get(keyOf(options))?.pop();
    if (free) return free;
    const context = await this.#browser.newContext(options);
    // Its process would end with its last page.
    const first = await context.newPage();
    await first.goto(`${this.#origin}/robots.txt`);
    return context;
  }

  /** Closes all pages of a context but its first, and removes what they have stored and cached. */
  async giveBack(context: BrowserContext, options: BrowserContextOptions): Promise<void> {
    const [first, ...others] = context.pages();
    for (const page of others) await page.close();
    const devtools = await context.newCDPSession(first!);
    const storageTypes = "cookies,local_storage,indexeddb,cache_storage,service_workers";
    await devtools.send("Storage.clearDataForOrigin", { origin: this.#origin, storageTypes });
    await devtools.send("Network.clearBrowserCache");
    await devtools.detach();
    const key = keyOf(options);
    this.#free.set(key, [...(this.#free.get(key) ?? []), context]);
  }
}
