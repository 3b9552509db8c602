/** Compiles the WebAssembly kernels from their AssemblyScript: `npm run build:wasm`. */

import { writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import binaryen from "binaryen";

interface Kernel {
  /** The path of its entry, `.ts`, and of the compiled module, `.wasm`, without the extension. */
  path: string;
  /** Functions up to this size are inlined; the default is the compiler's own choice. */
  inlined?: number;
}

/**
 * All kernels. Sources and compiled modules are both in the repository, so that nothing has to be compiled before it runs.
 *
 * With the compiler's own choice of inlining, the replay would take a sixth longer. What is inlined also depends on the
 * order of functions, which follows their names: measure the replay after renaming one.
 */
export const KERNELS: Kernel[] = [
  { path: "builder/engine/assembly/replay", inlined: 100 },
  { path: "builder/engine/assembly/flows" },
  { path: "builder/engine/assembly/lots/lots" },
  { path: "builder/input/assembly/cells" },
  { path: "builder/input/assembly/addresses" },
  { path: "worker/format/assembly/table" },
  { path: "worker/read/assembly/pages" },
];

/** @throws {Error} with the compiler's messages */
export async function compileKernel({ path, inlined }: Kernel): Promise<Uint8Array> {
  const outputs: Uint8Array[] = [];
  const entry = fileURLToPath(new URL(`${path}.ts`, import.meta.url));
  const { error, stderr } = await asc.main(
    [basename(entry), "--config", "asconfig.json", "--outFile", "out", "--baseDir", dirname(entry)],
    {
      writeFile(_, contents) {
        if (typeof contents !== "string") outputs.push(contents);
      },
    },
  );
  const [compiled] = outputs;
  if (error || !compiled) throw new Error(`${path}.ts: ${stderr}`);
  return inlined === undefined ? compiled : inline(compiled, inlined);
}

/** Optimises again, inlining functions up to a size. Restores the settings, which the compiler shares. */
function inline(kernel: Uint8Array, size: number): Uint8Array {
  const before = [binaryen.getAlwaysInlineMaxSize(), binaryen.getFlexibleInlineMaxSize()] as const;
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
