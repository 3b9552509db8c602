/** The Worker and the explorer on workerd, on this machine, over what was built. */

import { join } from "node:path";
import { build as bundle } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { buildExplorer } from "../../explorer/build.ts";
import { Failure } from "../failure.ts";
import { PROJECT, preparePersist, workerOptions } from "../store/local.ts";

const HOST = "127.0.0.1";

export interface Server {
  url: string;
  close(): Promise<void>;
}

/** @throws {Failure} the port is taken, or the folder can't be written */
export async function serve({ port, persist }: { port: number; persist: string }): Promise<Server> {
  await preparePersist(persist);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await workerOptions(persist)),
      host: HOST,
      port,
      modulesRoot: PROJECT,
      modules: await workerModules(join(PROJECT, "worker", "index.ts")),
      // The explorer's files first; the Worker gets what is none of them.
      assets: { directory: await buildExplorer(), routerConfig: { has_user_worker: true } },
      logRequests: false,
    }),
  );
  try {
    const url = await miniflare.ready;
    return { url: url.origin, close: () => miniflare.dispose() };
  } catch (error) {
    await miniflare.dispose().catch(() => {});
    if (/EADDRINUSE|Address already in use/i.test(String(error))) {
      throw new Failure(`Port ${port} on ${HOST} is taken: choose another one with --port.`);
    }
    throw error;
  }
}

/** Bundles a Worker as wrangler does, WebAssembly as modules of its own. */
export async function workerModules(entry: string) {
  const { outputFiles } = await bundle({
    entryPoints: [entry],
    outdir: join(PROJECT, "dist", "worker"),
    write: false,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    loader: { ".wasm": "copy" },
    logLevel: "silent",
  });
  // The first module is the one that workerd starts.
  return outputFiles
    .toSorted((a) => (a.path.endsWith(".js") ? -1 : 1))
    .map(({ path, contents }) => ({
      type: path.endsWith(".wasm") ? ("CompiledWasm" as const) : ("ESModule" as const),
      path,
      contents,
    }));
}
