/** clients/typescript as its users have it: compiled, in a node_modules of theirs. */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

/** Installs soprano-client in a folder. */
export async function installClient(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  const installed = join(modules, "soprano-client");
  mkdirSync(installed, { recursive: true });
  const source = join(PROJECT, "clients", "typescript");
  cpSync(join(source, "package.json"), join(installed, "package.json"));
  await promisify(execFile)(process.execPath, [join(source, "generate.ts")]);
  const tsc = join(PROJECT, "node_modules", "typescript", "bin", "tsc");
  const args = ["-p", join(source, "tsconfig.build.json"), "--outDir", join(installed, "dist")];
  await promisify(execFile)(process.execPath, [tsc, ...args]);
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"]) {
    symlinkSync(join(PROJECT, "node_modules", name), join(modules, name), "junction");
  }
}
