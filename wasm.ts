/** Compiles the WebAssembly kernels from their AssemblyScript: `npm run build:wasm`. */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import binaryen from "binaryen";

interface Kernel {
  folder: string;
  entry: string;
  output: string;
  inlined?: number;
}

/**
 * Entry and output of each kernel, and up to what size its functions are inlined, where the compiler's own choice is too
 * small: the replay takes a sixth longer with it. Sources and outputs are in the tree, so that nothing has to be
 * compiled before it runs.
 */
export const KERNELS: Kernel[] = [
  { folder: "builder/engine/kernel", entry: "replay.ts", output: "builder/engine/kernel/replay.wasm", inlined: 100 },
  { folder: "builder/engine/kernel", entry: "flows.ts", output: "builder/engine/kernel/flows.wasm" },
  { folder: "builder/input/kernel", entry: "cells.ts", output: "builder/input/kernel/cells.wasm" },
  { folder: "builder/input/kernel", entry: "addresses.ts", output: "builder/input/kernel/addresses.wasm" },
  { folder: "worker/format/kernel", entry: "rows.ts", output: "worker/format/kernel.wasm" },
];

/** @throws {Error} with the compiler's messages */
export async function compileKernel({ folder, entry, inlined }: Kernel): Promise<Uint8Array> {
  const compiled: Uint8Array[] = [];
  const baseDir = fileURLToPath(new URL(folder, import.meta.url));
  const { error, stderr } = await asc.main(
    [entry, "--config", "asconfig.json", "--outFile", "out", "--baseDir", baseDir],
    {
      writeFile(_, contents) {
        if (typeof contents !== "string") compiled.push(contents);
      },
    },
  );
  if (error || compiled.length !== 1) throw new Error(`${folder}/${entry}: ${stderr}`);
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
  for (const kernel of KERNELS) writeFileSync(new URL(kernel.output, import.meta.url), await compileKernel(kernel));
}
