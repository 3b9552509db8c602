import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  test: {
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
