/** Bundles Workers as wrangler does: one JavaScript module, and each WebAssembly file as a module of its own. */

import { join } from "node:path";
import { build } from "esbuild";
import { PROJECT } from "../store/places.ts";

/**
 * Bundles a Worker for Miniflare.
 *
 * @param entry its path in the project
 */
export async function workerModules(entry: string) {
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, entry)],
    outdir: join(PROJECT, "dist", "worker"),
    write: false,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    loader: { ".wasm": "copy" },
    logLevel: "silent",
  });
  // workerd starts the first module.
  const modules = outputFiles
    .toSorted((a) => (a.path.endsWith(".js") ? -1 : 1))
    .map(({ path, contents }) => ({
      type: path.endsWith(".wasm") ? ("CompiledWasm" as const) : ("ESModule" as const),
      path,
      contents,
    }));
  return { modulesRoot: PROJECT, modules };
}
