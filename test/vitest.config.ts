import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  test: {
    // On two cores one alone would be the default, and mostly waits for processes that it has started.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A line a request would bury what a test has to say.
    onConsoleLog: (line) => !line.startsWith('{"event":"request"'),
    projects: [
      {
        test: {
          name: "node",
          root: here(".."),
          include: ["test/**/*.test.ts"],
          exclude: ["test/worker/**"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      here("worker/vitest.worker.config.ts"),
    ],
  },
});
