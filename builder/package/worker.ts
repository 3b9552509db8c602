/** The Worker's bundle, for the package: that of `serve`, but for the module that a dependency has. */

import { basename } from "node:path";
import type { workerModules } from "../serve/bundle.ts";
import { DECODER } from "./inside/decoder.ts";

type Modules = Awaited<ReturnType<typeof workerModules>>["modules"];

/**
 * Pure.
 *
 * @returns the files of the package's folder worker/, by name
 * @throws {Error} the module is not there, or not imported once
 */
export function workerFiles(modules: Modules): Map<string, Uint8Array> {
  const [stem] = basename(DECODER).split(".");
  const files = new Map(modules.map(({ path, contents }) => [basename(path), contents]));
  const decoder = [...files.keys()].find((name) => name.startsWith(`${stem}-`));
  const script = [...files.keys()].find((name) => name.endsWith(".js"));
  const parts = new TextDecoder().decode(files.get(script ?? "")).split(`"./${decoder}"`);
  if (decoder === undefined || script === undefined || parts.length !== 2) {
    throw new Error(`The Worker does not import ${DECODER} once: see builder/package/worker.ts.`);
  }
  files.delete(decoder);
  return files.set(script, new TextEncoder().encode(parts.join(JSON.stringify(DECODER))));
}
