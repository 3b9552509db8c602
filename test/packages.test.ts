/** What `npm ci` installs, and what may run meanwhile. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import lock from "../package-lock.json" with { type: "json" };

interface Package {
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const packages = lock.packages as Record<string, Package>;
/** Packages that come from a registry: not the project, its workspaces and links to them. */
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

test("every package of package-lock.json has a digest, and none the address of a registry", () => {
  expect(installed.length).toBeGreaterThan(100);
  // npm compares nothing where it is missing.
  expect(installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(JSON.stringify(lock)).not.toMatch(/\w+:\/\/[^"]*\.tgz|"resolved":"[a-z]+:/);
});

test("no package runs a script when it is installed, unless package.json says whether it may", () => {
  const settings = readFileSync(join(import.meta.dirname, "..", ".npmrc"), "utf8").split("\n");
  expect(settings).toEqual(
    expect.arrayContaining(["strict-allow-scripts=true", "omit-lockfile-registry-resolved=true"]),
  );
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect([...new Set(scripted)].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
});

// Updating packages in a folder that has node_modules drops those of other systems from the lock file: `npm ci` fails.
test("package-lock.json has the optional packages of every system", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !places(path).some((place) => `${place}node_modules/${name}` in packages))
      .map((name) => `${path || "package.json"}: ${name}`),
  );
  expect(missing).toEqual([]);
});

/** The folders that Node looks for a package's dependencies in, from its own up to the project's. */
function places(path: string): string[] {
  const parts = path === "" ? [] : path.split("/node_modules/");
  return [...parts.map((_, depth) => `${parts.slice(0, depth + 1).join("/node_modules/")}/`), ""];
}
