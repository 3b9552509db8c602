/** `npm run test:soak`: minutes of load and of kills. */

import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: resolve(import.meta.dirname, "../.."),
  test: {
    include: ["test/soak/**/*.soak.ts"],
    // Each keeps the machine busy.
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    onConsoleLog: (line) => !line.startsWith('{"event":"request"'),
  },
});
