/** Builds the pages `/`, `/embed`, `/assets`, `/status`, `/docs` and `/methodology` into explorer/dist. Assets are named by a hash of their content. */

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { headers } from "./headers.ts";
import { methodology } from "./methodology.ts";
import { scalar } from "./scalar.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
export const EXPLORER = join(FOLDER, "dist");
/** What several pages have: a comment with the file's name stands for it. */
const INCLUDES = join(FOLDER, "includes");

const PAGES = ["index.html", "embed.html", "assets.html", "status.html", "docs.html", "methodology.html"];
const STYLES = ["style.css", "embed.css", "assets.css", "status.css", "docs.css", "methodology.css"].map(
  (name) => `src/style/${name}`,
);
const ENTRIES = [
  "src/main.ts",
  "src/embed.ts",
  "src/assets.ts",
  "src/status.ts",
  "src/docs.ts",
  "src/theme.ts",
  "src/icon.svg",
  "src/card.png",
  ...STYLES,
];

/** @returns the folder to serve */
export async function buildExplorer(): Promise<string> {
  const { contents, text, pictures } = methodology();
  const { outputFiles, metafile } = await build({
    entryPoints: [...ENTRIES, ...pictures].map((entry) => join(FOLDER, entry)),
    absWorkingDir: FOLDER,
    outdir: join(EXPLORER, "static"),
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    loader: { ".woff2": "file", ".svg": "copy", ".png": "copy" },
    logLevel: "warning",
  });
  const files = new Map<string, string | Uint8Array>();
  for (const { path, contents } of outputFiles) files.set(relative(EXPLORER, path), contents);
  const library = await scalar();
  files.set(join("static", library.name), library.text);
  const served = new Map([["scalar.js", `/static/${library.name}`]]);
  for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
    // An output that isn't an entry is a copied font, with one input.
    const [input = output] = Object.keys(inputs);
    served.set(entryPoint ?? basename(input), `/static/${basename(output)}`);
  }
  const included = new Map<string, string>();
  for (const name of await readdir(INCLUDES)) {
    included.set(`<!-- ${name} -->`, (await readFile(join(INCLUDES, name), "utf8")).trimEnd());
  }
  for (const page of PAGES) {
    const html = (await readFile(join(FOLDER, page), "utf8"))
      .replaceAll(/<!-- [a-z-]+\.html -->/g, (comment) => included.get(comment) ?? comment)
      // The indentation, which browsers take for one blank.
      .replace(/\n +/g, "\n")
      .replace("<!-- contents -->", () => contents)
      .replace("<!-- text -->", () => text);
    files.set(page, link(html, served));
  }
  files.set("_headers", headers());
  await writeFolder(EXPLORER, files);
  return EXPLORER;
}

/** Replaces the sources that a page names by their assets. */
function link(html: string, served: ReadonlyMap<string, string>): string {
  return html.replaceAll(/(src|href|content)="([^"]+)"/g, (all, attribute, source) =>
    served.has(source) ? `${attribute}="${served.get(source)}"` : all,
  );
}

/** Makes a folder contain exactly these files. Builds that run at the same time disturb neither each other nor a server. */
async function writeFolder(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  for (const [name, contents] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    const old = await readFile(path).catch(() => undefined);
    if (old && Buffer.from(contents).equals(old)) continue;
    const partial = `${path}.${process.pid}.part`;
    await writeFile(partial, contents);
    await rename(partial, path);
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, resolve(entry.parentPath, entry.name));
    if (entry.isFile() && !files.has(name) && !name.endsWith(".part")) await rm(join(folder, name), { force: true });
  }
}

if (import.meta.main) await buildExplorer();
