/** Tests that run in workerd, with its real R2, KV and cache. */

import { resolve } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = resolve(import.meta.dirname, "../..");

export default defineConfig({
  root,
  plugins: [cloudflareTest({ wrangler: { configPath: `${root}/wrangler.toml` } })],
  resolve: {
    // The builder's encoder then shares the instance that the Worker's decoder has started.
    alias: { "parquet-wasm/esm": "parquet-wasm/esm", "parquet-wasm": "parquet-wasm/esm/parquet_wasm.js" },
  },
  test: {
    name: "worker",
    include: ["test/worker/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
