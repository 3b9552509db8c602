/** The compiled kernels in the tree are what their sources compile to. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import asc from "assemblyscript/asc";
import { expect, it } from "vitest";

it.each([
  ["worker/format", "rows.ts"],
  ["builder/engine", "replay.ts"],
])("%s/kernel.wasm is compiled from its sources: else run `npm run build:wasm`", async (folder, entry) => {
  const parent = join(import.meta.dirname, "..", folder);
  let compiled: Uint8Array | undefined;
  const { error, stderr } = await asc.main([entry, "--config", "asconfig.json", "--baseDir", join(parent, "kernel")], {
    writeFile(_, contents) {
      if (typeof contents !== "string") compiled = contents;
    },
  });
  expect(String(stderr)).toBe("");
  expect(error).toBeNull();
  expect(Buffer.from(compiled ?? []).equals(readFileSync(join(parent, "kernel.wasm")))).toBe(true);
});
