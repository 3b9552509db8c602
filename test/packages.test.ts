/** Updating packages in a folder that has node_modules drops those of other systems from the lock file: `npm ci` fails. */

import { expect, test } from "vitest";
import lock from "../package-lock.json" with { type: "json" };

interface Package {
  optionalDependencies?: Record<string, string>;
}

test("package-lock.json has the optional packages of every system", () => {
  const packages = lock.packages as Record<string, Package>;
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
