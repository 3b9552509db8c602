/** Tests that run in workerd, with its real R2, KV and cache. */

import { resolve } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = resolve(import.meta.dirname, "../..");

export default defineConfig({
  root,
  plugins: [cloudflareTest({ wrangler: { configPath: `${root}/wrangler.toml` } })],
  test: {
    name: "worker",
    // Its files share one isolate and its modules, which reset.ts empties before each: a new one takes seconds.
    isolate: false,
    // Where one run has several projects: this one has a single worker.
    sequence: { groupOrder: 1 },
    setupFiles: ["test/repeat.ts", "test/worker/reset.ts"],
    provide: { seed: process.env.TEST_SEED ?? "", effort: Number(process.env.TEST_EFFORT ?? 1) },
    include: ["test/worker/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
