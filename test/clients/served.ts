/** Two tokens, served by the Worker on workerd, as `soprano serve` does; for the tests of the clients. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { serve } from "../../builder/serve/serve.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { newFolder } from "../folders.ts";

export interface Served {
  url: string;
  key: string;
  /** For files of the test. */
  folder: string;
  close(): Promise<void>;
}

/**
 * Builds ARIA (320 days, so that some sell what they have held for the long term; also as of 2025-12-01) and DUET (60 days),
 * both with lots, and serves them.
 */
export async function serveTokens(): Promise<Served> {
  const folder = newFolder();
  const persist = join(folder, "state");
  const state = await openLocalState(persist);
  for (const [seed, symbol, days] of [
    [1, "ARIA", 320],
    [2, "DUET", 60],
  ] as const) {
    const token = { out: join(folder, symbol), symbol, name: symbol, seed, transfers: 30 * days, days };
    const { assetPath } = await simulate(token);
    const asset: unknown = JSON.parse(readFileSync(assetPath, "utf8"));
    writeFileSync(assetPath, JSON.stringify(Object.assign({ lots: ["fifo"] }, asset)));
    const options = { threads: 1, progress: silentProgress() };
    if (symbol === "ARIA") await build(assetPath, state.objects, { ...options, asOf: Date.UTC(2025, 11, 1) / 1000 });
    await build(assetPath, state.objects, options);
  }
  const { key } = await createKey(state.keys, { name: "clients", plan: "unlimited" });
  await state.close();
  const server = await serve({ port: 0, persist });
  return {
    url: server.url,
    key,
    folder,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
