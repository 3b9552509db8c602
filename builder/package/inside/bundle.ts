/** In the package, in place of builder/serve/bundle.ts: the Worker has been bundled. */

import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { workerModules as bundled } from "../../serve/bundle.ts";
import { PROJECT } from "../../store/places.ts";

/** The modules of a folder of the package, as esbuild would have made them. workerd starts the first. */
export const workerModules: typeof bundled = async (entry) => {
  const folder = join(PROJECT, entry, "..");
  const kernels = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
  const modules = [`${basename(entry, ".ts")}.js`, ...kernels].map(async (name) => ({
    type: name.endsWith(".wasm") ? ("CompiledWasm" as const) : ("ESModule" as const),
    path: join(folder, name),
    contents: new Uint8Array(await readFile(join(folder, name))),
  }));
  return { modulesRoot: PROJECT, modules: await Promise.all(modules) };
};
