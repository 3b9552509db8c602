/** Compiles the WebAssembly kernels from their AssemblyScript: `npm run build:wasm`. */

import { writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import binaryen from "binaryen";

interface Kernel {
  /** Without the ending: of its entry, `.ts`, and of what that compiles to, `.wasm`. */
  path: string;
  inlined?: number;
}

/**
 * Each kernel, and up to what size its functions are inlined, where the compiler's own choice is too small: the replay
 * takes a sixth longer with it. Sources and outputs are in the tree, so that nothing has to be compiled before it runs.
 */
export const KERNELS: Kernel[] = [
  { path: "builder/engine/kernel/replay", inlined: 100 },
  { path: "builder/engine/kernel/flows" },
  { path: "builder/input/kernel/cells" },
  { path: "builder/input/kernel/addresses" },
  { path: "worker/format/kernel/rows" },
];

/** @throws {Error} with the compiler's messages */
export async function compileKernel({ path, inlined }: Kernel): Promise<Uint8Array> {
  const compiled: Uint8Array[] = [];
  const entry = fileURLToPath(new URL(`${path}.ts`, import.meta.url));
  const { error, stderr } = await asc.main(
    [basename(entry), "--config", "asconfig.json", "--outFile", "out", "--baseDir", dirname(entry)],
    {
      writeFile(_, contents) {
        if (typeof contents !== "string") compiled.push(contents);
      },
    },
  );
  if (error || compiled.length !== 1) throw new Error(`${path}.ts: ${stderr}`);
  return inlined === undefined ? compiled[0] : inline(compiled[0], inlined);
}

/** Optimises once more, with functions up to a size inlined. The settings are the compiler's own, too: they are put back. */
function inline(kernel: Uint8Array, size: number): Uint8Array {
  const before = [binaryen.getAlwaysInlineMaxSize(), binaryen.getFlexibleInlineMaxSize()];
  const module = binaryen.readBinary(kernel);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  binaryen.setAlwaysInlineMaxSize(size);
  binaryen.setFlexibleInlineMaxSize(size);
  module.optimize();
  binaryen.setAlwaysInlineMaxSize(before[0]);
  binaryen.setFlexibleInlineMaxSize(before[1]);
  const inlined = module.emitBinary();
  module.dispose();
  return inlined;
}

if (import.meta.main) {
  for (const kernel of KERNELS) {
    writeFileSync(new URL(`${kernel.path}.wasm`, import.meta.url), await compileKernel(kernel));
  }
}
