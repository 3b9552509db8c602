import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compileKernel, KERNELS } from "../wasm.ts";

it.each(KERNELS)("$path is compiled from its sources: else run `npm run build:wasm`", async (kernel) => {
  const committed = readFileSync(join(import.meta.dirname, "..", `${kernel.path}.wasm`));
  expect(Buffer.from(await compileKernel(kernel)).equals(committed)).toBe(true);
});
