/** Builds the pages `/`, `/embed`, `/assets`, `/holders`, `/status`, `/boards`, `/docs` and `/methodology`, and the one for all other addresses, into explorer/dist. Assets are named by a hash of their content. */

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, parse, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { minify } from "terser";
import { BOARD_NAME } from "../data-schema/chart-link.ts";
import { headers } from "./headers.ts";
import { methodology } from "./methodology.ts";
import { scalar } from "./scalar.ts";
import { escapeHtml } from "./src/format/html.ts";
import { type Board, EMPTY_BOARD, parseFile } from "./src/state/board-in-link.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
export const EXPLORER = join(FOLDER, "dist");
/** What several pages have: a comment with the file's name stands for it. */
const INCLUDES = join(FOLDER, "includes");

/** Other pages load it, each of their readers anew: terser makes it 6 % smaller than esbuild does. */
const FRAMED = /^static\/embed-.*\.js$/;

/** The boards that are deployed: `boards/<name>.json` is the page `/boards/<name>`. */
const BOARDS = join(FOLDER, "../boards");

const PAGES = [
  "index.html",
  "embed.html",
  "assets.html",
  "holders.html",
  "status.html",
  "docs.html",
  "methodology.html",
  "not-found.html",
];
const STYLES = [
  "style.css",
  "embed.css",
  "assets.css",
  "holders.css",
  "status.css",
  "boards.css",
  "docs.css",
  "methodology.css",
].map((name) => `src/style/${name}`);
const ENTRIES = [
  "src/assets.ts",
  "src/holders.ts",
  "src/status.ts",
  "src/docs.ts",
  "src/methodology.ts",
  "src/theme.ts",
  "src/icon.svg",
  "src/card.png",
  ...STYLES,
];

/** The scripts that load parts of themselves only where someone asks for them, by `import()`. */
const IN_PARTS = ["src/main.ts", "src/boards.ts", "src/embed.ts"];

/** @param parts what the names of parts of the scripts begin with; null: they are whole */
const bundle = (entries: readonly string[], parts: string | null) =>
  build({
    entryPoints: entries.map((entry) => join(FOLDER, entry)),
    absWorkingDir: FOLDER,
    outdir: join(EXPLORER, "static"),
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    chunkNames: `${parts}-[name]-[hash]`,
    splitting: parts !== null,
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    loader: { ".woff2": "file", ".svg": "copy", ".png": "copy" },
    logLevel: "warning",
    plugins: parts === null ? [] : [withoutSmallParts(entries.map((entry) => join(FOLDER, entry)))],
  });

/**
 * Makes one file of all that a script shares with what it loads later. esbuild makes a file of each set of modules that the
 * same parts need, and the first chart would wait for all of them; so each part needs what the script imports, too.
 */
function withoutSmallParts(entries: readonly string[]): Plugin {
  const LATER = "later";
  return {
    name: "without-small-parts",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
        kind === "dynamic-import" ? { path: resolve(resolveDir, path), namespace: LATER } : undefined,
      );
      onLoad({ filter: /./, namespace: LATER }, async ({ path }) => {
        const imported = (await Promise.all(entries.map(importedBy))).flat();
        const lines = [
          ...imported.map((one) => `import ${JSON.stringify(one)};`),
          `export * from ${JSON.stringify(path)};`,
        ];
        return { contents: lines.join("\n"), resolveDir: dirname(path) };
      });
    },
  };
}

/** The project's modules whose values a script imports. */
async function importedBy(script: string): Promise<string[]> {
  const text = await readFile(script, "utf8");
  return Array.from(text.matchAll(/^import (?!type )[^;]* from "(\.[^"]*)";/gm), ([, path]) =>
    join(dirname(script), path!),
  );
}

/** @returns the folder to serve */
export async function buildExplorer(): Promise<string> {
  const { contents, text, pictures } = methodology();
  const bundles = await Promise.all([
    bundle([...ENTRIES, ...pictures], null),
    // What two pages share would be a file of its own, and so would what any of their parts share.
    ...IN_PARTS.map((entry) => bundle([entry], parse(entry).name)),
  ]);
  const outputFiles = bundles.flatMap((one) => one.outputFiles);
  const outputs = bundles.flatMap(({ metafile }) => Object.entries(metafile.outputs));
  const files = new Map<string, string | Uint8Array>();
  for (const { path, contents, text } of outputFiles) {
    const name = relative(EXPLORER, path);
    files.set(name, FRAMED.test(name) ? await minified(name, text) : contents);
  }
  const library = await scalar();
  files.set(join("static", library.name), library.text);
  const served = new Map([["scalar.js", `/static/${library.name}`]]);
  const shared = new Map<string, string[]>();
  for (const [output, { entryPoint, inputs, imports }] of outputs) {
    // An output that isn't an entry is a copied font, with one input, or what the parts of a script share.
    const [input = output] = Object.keys(inputs);
    const address = `/static/${basename(output)}`;
    served.set(entryPoint ?? basename(output.endsWith(".js") ? output : input), address);
    const needed = imports.filter(({ kind }) => kind === "import-statement");
    shared.set(
      address,
      needed.map(({ path }) => `/static/${basename(path)}`),
    );
  }
  const included = new Map<string, string>();
  for (const name of await readdir(INCLUDES)) {
    included.set(`<!-- ${name} -->`, (await readFile(join(INCLUDES, name), "utf8")).trimEnd());
  }
  const pageOf = async (page: string) => {
    const html = (await readFile(join(FOLDER, page), "utf8"))
      .replaceAll(/<!-- [a-z-]+\.html -->/g, (comment) => included.get(comment) ?? comment)
      .replace(navigationLink(page), (link) => `${link} aria-current="page"`)
      // The indentation, which browsers take for one blank.
      .replace(/\n +/g, "\n")
      .replace("<!-- contents -->", () => contents)
      .replace("<!-- text -->", () => text);
    return withShared(link(html, served), shared);
  };
  for (const page of PAGES) files.set(page, await pageOf(page));
  for (const [name, html] of boardPages(await pageOf("boards.html"), await readBoards())) files.set(name, html);
  files.set("_headers", headers());
  await writeFolder(EXPLORER, files);
  return EXPLORER;
}

/** What the navigation has of a page: its link, as the start of an element. */
const navigationLink = (page: string) => `<a href="/${page.replace(/\.html$/, "").replace(/^index$/, "")}"`;

/**
 * The boards that are deployed, by name.
 *
 * @throws {Error} a file is no board, or has no name for a path
 */
async function readBoards(): Promise<Map<string, Board>> {
  const boards = new Map<string, Board>();
  for (const file of (await readdir(BOARDS)).filter((file) => file.endsWith(".json")).sort()) {
    const name = file.slice(0, -".json".length);
    const path = join("boards", file);
    if (!BOARD_NAME.test(name)) throw new Error(`${path}: name it by up to 64 small letters, digits and hyphens.`);
    try {
      boards.set(name, parseFile(await readFile(join(BOARDS, file), "utf8")));
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
    }
  }
  return boards;
}

/** The page of each board, and that of one's own. */
function boardPages(html: string, boards: ReadonlyMap<string, Board>): Map<string, string> {
  const links = Array.from(boards, ([name, { title }]) => `<a href="/boards/${name}">${escapeHtml(title)}</a>`).join(
    "",
  );
  const page = (board: Board) =>
    html
      .replace("<!-- boards -->", () => links)
      // The end of the element can't be in it.
      .replace("{}</script>", () => `${JSON.stringify(board).replaceAll("<", "\\u003c")}</script>`);
  const titled = ({ title, text }: Board, page: string) =>
    page
      .replace("<title>Boards", () => `<title>${escapeHtml(title)}`)
      .replace(/(name="description" content=")[^"]*/, (_, start) => start + escapeHtml(text));
  return new Map([
    ["boards.html", page(EMPTY_BOARD)],
    ...Array.from(boards, ([name, board]): [string, string] => [`boards/${name}.html`, titled(board, page(board))]),
  ]);
}

/**
 * A script with each of its bytes considered once more. It takes a second, so it is made once: the name is that of the content
 * before.
 */
async function minified(name: string, text: string): Promise<string> {
  const known = await readFile(join(EXPLORER, name), "utf8").catch(() => undefined);
  return known ?? (await minify(text, { module: true, compress: { passes: 2 } })).code!;
}

/** Replaces the sources that a page names by their assets. */
function link(html: string, served: ReadonlyMap<string, string>): string {
  return html.replaceAll(/(src|href|content)="([^"]+)"/g, (all, attribute, source) =>
    served.has(source) ? `${attribute}="${served.get(source)}"` : all,
  );
}

/** A page that loads what its script shares with parts of itself at the same time, and not once the script is there. */
const withShared = (html: string, shared: ReadonlyMap<string, string[]>): string =>
  html.replace(/<script type="module" src="([^"]+)"><\/script>/, (script, source) => {
    const links = (shared.get(source) ?? []).map((address) => `<link rel="modulepreload" href="${address}">\n`);
    return links.join("") + script;
  });

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
