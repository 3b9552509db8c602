/**
 * `npm run package`: writes the package, which installs without the sources' tools, into dist-package/ or the folder that is
 * given, and its tarball beside what it is run for: soprano-<version>.tgz.
 */

import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { buildExplorer } from "../../explorer/build.ts";
import project from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { LEAST_NODE } from "../lib/least-node.ts";
import { workerModules } from "../serve/bundle.ts";
import { PROJECT } from "../store/places.ts";
import { lockOf } from "./lock.ts";
import { noticesOf } from "./notices.ts";
import { bundleProgram, PROGRAM } from "./program.ts";
import { packagedToml } from "./wrangler-toml.ts";

/** Files that are in the package as they are, at the same paths. */
const FILES = [
  "builder/**/*.{csv,md,wasm}",
  "builder/new/files/*",
  "docs/*.md",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
];

/** No code imports it: users deploy with it. */
const DEPLOYS = "wrangler";

/** They make the package, and none of it is theirs. */
const TOOLS = ["esbuild", "marked", "terser"];

/**
 * Writes the package.
 *
 * @param folder is emptied first
 * @param to where the tarball goes
 * @returns the path of the tarball
 */
export async function makePackage(folder: string, to: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const put = (path: string, contents: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  };
  const { installed, bundled } = await bundleProgram(folder);
  const { modules } = await workerModules("worker/index.ts");
  for (const { path, contents } of modules) put(`worker/${basename(path)}`, contents);
  cpSync(await buildExplorer(), join(folder, "explorer", "dist"), { recursive: true });
  for (const path of FILES.flatMap((files) => globSync(files, { cwd: PROJECT }))) {
    put(path, readFileSync(join(PROJECT, path)));
  }
  put("wrangler.toml", packagedToml(readFileSync(join(PROJECT, "wrangler.toml"), "utf8")));
  const manifest = manifestOf([...installed, DEPLOYS]);
  put("package.json", textOf(manifest));
  // npm leaves a package-lock.json out of a package.
  put("image-lock.json", textOf(lockOf(manifest, lock)));
  const served = Object.keys(project.dependencies).filter((name) => !(name in manifest.dependencies));
  const contained = [...new Set([...bundled, ...served])].filter((name) => !TOOLS.includes(name));
  put("NOTICES", noticesOf(join(PROJECT, "node_modules"), contained.sort()));
  return pack(folder, to);
}

/** @param installed names of dependencies, which get the project's versions */
function manifestOf(installed: readonly string[]) {
  const versions: Readonly<Record<string, string>> = project.dependencies;
  const { name, version, description, license } = project;
  return {
    name,
    version,
    description,
    license,
    type: "module",
    bin: { soprano: `${PROGRAM}/cli.js` },
    engines: { node: `>=${LEAST_NODE.join(".")}` },
    dependencies: Object.fromEntries(installed.toSorted().map((name) => [name, versions[name]!])),
  };
}

const textOf = (json: object) => `${JSON.stringify(json, null, 2)}\n`;

function pack(folder: string, to: string): string {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", resolve(to)];
  execFileSync("npm", args, {
    cwd: folder,
    shell: process.platform === "win32",
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(to, `${project.name}-${project.version}.tgz`);
}

if (import.meta.main) {
  const [folder = join(PROJECT, "dist-package"), to = PROJECT] = process.argv.slice(2);
  console.log(await makePackage(folder, to));
}
