/**
 * The command as JavaScript, in one flat folder: Node.js strips no types below node_modules. Each source keeps the address
 * that it has in the project, from which it finds kernels and labels: they lie in the package as in the project.
 */

import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { LEAST_NODE } from "../lib/least-node.ts";
import { PROJECT } from "../store/places.ts";

/** The folder of the package that the command is in. */
export const PROGRAM = "program";

/** What the package starts: the command, and its worker threads. */
const ENTRIES = ["builder/cli.ts", "builder/build/threads/thread-task.ts"];

/** Sources that others take the place of. */
const REPLACED: Readonly<Record<string, string>> = {
  "builder/store/places.ts": "builder/package/inside/places.ts",
  "builder/serve/bundle.ts": "builder/package/inside/bundle.ts",
  "explorer/build.ts": "builder/package/inside/explorer.ts",
};

/** Packages that are installed, not bundled: they find files or programs of their own beside them. */
const INSTALLED = ["@duckdb/node-api", "@duckdb/node-bindings", "miniflare", "parquet-wasm", "piscina"];

/** What modules of the older kind, which some packages have, call to load others. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

export interface Program {
  /** Packages to install, by name. */
  installed: string[];
  /** Packages that are in the program, by name. */
  bundled: string[];
}

/** Writes the command into a folder of the package. @throws {Error} a source can't be bundled */
export async function bundleProgram(folder: string): Promise<Program> {
  const { metafile } = await build({
    entryPoints: ENTRIES.map((entry) => join(PROJECT, entry)),
    absWorkingDir: PROJECT,
    outdir: join(folder, PROGRAM),
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: "esm",
    platform: "node",
    target: `node${LEAST_NODE.join(".")}`,
    external: INSTALLED,
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: "warning",
    plugins: [replaced, addressed],
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const installed = imported.filter(({ path, external }) => external && !isBuiltin(path)).map(({ path }) => path);
  const bundled = Object.keys(metafile.inputs).flatMap((path) => path.split("node_modules/").slice(1).slice(-1));
  return { installed: packagesOf(installed), bundled: packagesOf(bundled) };
}

/** The packages that paths within node_modules begin with. */
const packagesOf = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((path) => path.split("/", path.startsWith("@") ? 2 : 1).join("/")))].sort();

const replaced: Plugin = {
  name: "replaced",
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const source = relative(PROJECT, join(resolveDir, path)).replaceAll("\\", "/");
      return { path: join(PROJECT, REPLACED[source] ?? source) };
    });
  },
};

/** A thread's source, which is the entry of its name. */
const THREAD = /new URL\("[^"]*?([\w-]+)\.ts", import\.meta\.url\)/g;

const addressed: Plugin = {
  name: "addressed",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:builder|data-schema|worker)[\\/].*\.ts$/ }, async ({ path }) => {
      const source = relative(PROJECT, path).replaceAll("\\", "/");
      return { loader: "ts", contents: withAddress(source, await readFile(path, "utf8")) };
    });
  },
};

/**
 * A source as a file of the program's folder. Pure.
 *
 * @param source its path in the project, with slashes
 * @throws {Error} it starts a thread whose source is none of the entries
 */
export function withAddress(source: string, text: string): string {
  // The own file's address, kept apart from what is replaced below.
  const here = "import\u0000meta\u0000url";
  const own = `new URL(${JSON.stringify(`../${source}`)}, ${here}).href`;
  return text
    .replaceAll(THREAD, (_, name: string) => {
      if (!ENTRIES.some((entry) => basename(entry) === `${name}.ts`)) {
        throw new Error(`${source}: add ${name}.ts to ENTRIES of builder/package/program.ts.`);
      }
      return `new URL("./${name}.js", ${here})`;
    })
    .replaceAll("import.meta.url", own)
    .replaceAll(here, "import.meta.url");
}
