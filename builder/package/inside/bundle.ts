/** In the package, in place of builder/serve/bundle.ts: the Worker has been bundled. */

import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { workerModules as bundled } from "../../serve/bundle.ts";
import { PROJECT } from "../../store/places.ts";
import { DECODER } from "./decoder.ts";

/** The modules of a folder of the package, as esbuild would have made them. workerd starts the first. */
export const workerModules: typeof bundled = async (entry) => {
  const folder = join(PROJECT, entry, "..");
  const script = join(folder, `${basename(entry, ".ts")}.js`);
  const kernels = (await readdir(folder)).filter((name) => name.endsWith(".wasm")).map((name) => join(folder, name));
  const compiled = [...kernels, fileURLToPath(import.meta.resolve(DECODER))].map(async (path) => ({
    type: "CompiledWasm" as const,
    path: join(folder, basename(path)),
    contents: new Uint8Array(await readFile(path)),
  }));
  // workerd knows no packages.
  const text = (await readFile(script, "utf8")).replace(JSON.stringify(DECODER), `"./${basename(DECODER)}"`);
  const module = { type: "ESModule" as const, path: script, contents: new TextEncoder().encode(text) };
  return { modulesRoot: PROJECT, modules: [module, ...(await Promise.all(compiled))] };
};
