/** The part of package-lock.json that the package's dependencies need: the container image installs exactly these. */

import * as v from "valibot";

const names = v.optional(v.record(v.string(), v.string()), {});

const entrySchema = v.looseObject({
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
});

const lockSchema = v.object({ lockfileVersion: v.literal(3), packages: v.record(v.string(), v.unknown()) });

interface Manifest {
  name: string;
  version: string;
  dependencies: Readonly<Record<string, string>>;
}

/**
 * Pure.
 *
 * @param lock the project's package-lock.json
 * @returns the package's package-lock.json
 * @throws {Error} a dependency is not in it
 */
export function lockOf(manifest: Manifest, lock: unknown): object {
  const { lockfileVersion, packages } = v.parse(lockSchema, lock);
  const kept = new Set<string>();
  const keep = (from: string, needed: readonly string[], isOptional: boolean): void => {
    for (const name of needed) {
      const path = placesOf(from).find((place) => `${place}node_modules/${name}` in packages);
      if (path === undefined && isOptional) continue;
      if (path === undefined) throw new Error(`package-lock.json lacks ${name}: run npm install --package-lock-only.`);
      const key = `${path}node_modules/${name}`;
      if (kept.has(key)) continue;
      kept.add(key);
      const { dependencies, optionalDependencies, peerDependencies } = v.parse(entrySchema, packages[key]);
      keep(key, Object.keys(dependencies), false);
      keep(key, [...Object.keys(optionalDependencies), ...Object.keys(peerDependencies)], true);
    }
  };
  keep("", Object.keys(manifest.dependencies), false);
  const { name, version } = manifest;
  return {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: { "": manifest, ...Object.fromEntries([...kept].sort().map((key) => [key, asNeeded(packages[key])])) },
  };
}

/** The folders that Node.js looks for a package's dependencies in, from its own up to the root. */
function placesOf(path: string): string[] {
  const parts = path === "" ? [] : path.split("/node_modules/");
  return [...parts.map((_, depth) => `${parts.slice(0, parts.length - depth).join("/node_modules/")}/`), ""];
}

/** Whatever the project needs it for: here it is needed. */
function asNeeded(entry: unknown): object {
  const { dev: _, devOptional: __, peer: ___, ...needed } = v.parse(v.looseObject({}), entry);
  return needed;
}
