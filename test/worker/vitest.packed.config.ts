/** Tests of answers once more, of tokens that lie in packs. */

import { mergeConfig } from "vitest/config";
import worker from "./vitest.config.ts";

const OF_ANSWERS = ["test/worker/**/*.test.ts"];

export default mergeConfig(worker, {
  test: { name: "packed", include: OF_ANSWERS, setupFiles: ["test/worker/lay-in-packs.ts"] },
});
