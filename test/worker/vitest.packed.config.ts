/** What the Worker answers from tokens that lie in packs: tests of the answers, once more. */

import { mergeConfig } from "vitest/config";
import worker from "./vitest.config.ts";

const packed = mergeConfig(worker, { test: { setupFiles: ["test/worker/lay-in-packs.ts"] } });
packed.test.name = "packed";
packed.test.include = [
  "test/worker/locate/{locate,read-known}.test.ts",
  "test/worker/mcp/{distribution,holders}-for-model.test.ts",
  "test/worker/read/around-price.test.ts",
  "test/worker/respond/all-files.test.ts",
  // Which lets the reads of one object fail.
  "test/worker/table/!(streaming).test.ts",
];
export default packed;
