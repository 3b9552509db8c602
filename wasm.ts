/** Compiles the WebAssembly kernels from their AssemblyScript: `npm run build:wasm`. */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

/** Entry and output of each kernel; both are in the tree, so that nothing has to be compiled before it runs. */
export const KERNELS = [
  { folder: "builder/engine/kernel", entry: "replay.ts", output: "builder/engine/kernel/replay.wasm" },
  { folder: "builder/engine/kernel", entry: "flows.ts", output: "builder/engine/kernel/flows.wasm" },
  { folder: "worker/format/kernel", entry: "rows.ts", output: "worker/format/kernel.wasm" },
];

/** @throws {Error} with the compiler's messages */
export async function compileKernel({ folder, entry }: { folder: string; entry: string }): Promise<Uint8Array> {
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
  return compiled[0];
}

if (import.meta.main) {
  for (const kernel of KERNELS) writeFileSync(new URL(kernel.output, import.meta.url), await compileKernel(kernel));
}
