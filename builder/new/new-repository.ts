/** `soprano new`: a repository of one's own, for a few assets, a Worker and their nights. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { Failure, writing } from "../lib/failure.ts";
import { PROJECT } from "../store/places.ts";

const NAME = "soprano";

/** What it gets as it is, by its path there. */
const FILES: Readonly<Record<string, string>> = {
  ".github/workflows/nightly.yml": "nightly.yml",
  ".gitignore": "gitignore",
  "README.md": "README.md",
  "night.sh": "night.sh",
};
const TEMPLATES = fileURLToPath(new URL("files/", import.meta.url));

const jsonOf = <const S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema);

/** What npm notes in node_modules/.package-lock.json. */
const installedSchema = jsonOf(
  v.object({ packages: v.record(v.string(), v.looseObject({ resolved: v.optional(v.string()) })) }),
);

const manifestSchema = jsonOf(
  v.pipe(
    v.unknown(),
    v.check((manifest) => !Array.isArray(manifest)),
    v.looseObject({ dependencies: v.optional(v.record(v.string(), v.string()), {}) }),
  ),
);

/**
 * Writes the repository.
 *
 * @param folder may exist, but not with any of the files; a package.json gets the dependency
 * @param installed the folder of the package, in node_modules
 * @returns the paths of what was written, in the folder
 * @throws {Failure} a file is there, the folder can't be written, or this is no installed package
 */
export async function newRepository(folder: string, installed = PROJECT): Promise<string[]> {
  const from = sourceOf(installed);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new Failure(`${folder} is a file: name a new folder.`);
  }
  const present = [...Object.keys(FILES), "wrangler.toml"].find((path) => existsSync(join(folder, path)));
  if (present !== undefined) throw new Failure(`${join(folder, present)} is there already: name a new folder.`);
  const tarball = from.startsWith("file:") ? resolve(installed, "../..", from.slice("file:".length)) : undefined;
  if (tarball !== undefined && !existsSync(tarball)) {
    throw new Failure(`${tarball}, which Soprano was installed from, is gone: put it back, or install Soprano again.`);
  }
  const spec = tarball === undefined ? from : `file:${basename(tarball)}`;
  const texts = new Map<string, string>([
    ...Object.entries(FILES).map(([path, file]) => [path, readFileSync(join(TEMPLATES, file), "utf8")] as const),
    ["wrangler.toml", readFileSync(join(installed, "wrangler.toml"), "utf8")],
    ["package.json", manifestWith(spec, join(folder, "package.json"))],
    // git keeps no empty folder.
    ["assets/.gitkeep", ""],
  ]);
  await writing(folder, async () => {
    for (const [path, text] of texts) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await chmod(join(folder, "night.sh"), 0o755);
    if (tarball === undefined) return;
    const copy = resolve(folder, basename(tarball));
    if (copy !== tarball) await copyFile(tarball, copy);
  });
  return [...texts.keys(), ...(tarball === undefined ? [] : [basename(tarball)])].sort();
}

/**
 * Where npm has this package from: `file:` and a path from the folder of node_modules, or the URL of a tarball. Its name
 * would mean another program, in npm's public registry.
 *
 * @throws {Failure} npm has not installed it
 */
function sourceOf(installed: string): string {
  const path = join(installed, "..", ".package-lock.json");
  const noted = existsSync(path) ? v.safeParse(installedSchema, readFileSync(path, "utf8")) : undefined;
  const from = noted?.success ? noted.output.packages[`node_modules/${NAME}`]?.resolved : undefined;
  if (from !== undefined) return from;
  throw new Failure(
    "A new repository names the package that it needs, and this Soprano is none that npm has installed in a folder: " +
      "make one with `npm run package` in a copy of Soprano's repository, install its tarball in another folder, and begin there.",
  );
}

/** The package.json of a folder, or a new one, with the dependency. */
function manifestWith(spec: string, path: string): string {
  const text = existsSync(path) ? readFileSync(path, "utf8") : '{ "private": true }';
  const result = v.safeParse(manifestSchema, text);
  if (!result.success) throw new Failure(`${path} is no package.json: mend it, or name a new folder.`);
  const { dependencies, ...rest } = result.output;
  return `${JSON.stringify({ ...rest, dependencies: { ...dependencies, [NAME]: spec } }, null, 2)}\n`;
}
