/** The part of a lock file that some dependencies need. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { lockOf } from "../../builder/package/lock.ts";

const manifest = (...names: string[]) => ({
  name: "p",
  version: "1.0.0",
  dependencies: Object.fromEntries(names.map((name) => [name, "1.0.0"])),
});
const lock = (packages: Record<string, object>) => ({ name: "project", lockfileVersion: 3, packages });
const kept = (names: string[], packages: Record<string, object>) => {
  const { packages: found } = lockOf(manifest(...names), lock(packages)) as { packages: Record<string, object> };
  return found;
};

it("has what is needed, from the nearest folder, as the lock file has it", () => {
  const found = kept(["a"], {
    "": { dependencies: { a: "1", z: "1" } },
    "node_modules/a": {
      version: "1.0.0",
      integrity: "sha512-a",
      dependencies: { b: "2" },
      optionalDependencies: { o: "1", gone: "1" },
    },
    "node_modules/a/node_modules/b": { version: "2.0.0", dependencies: { "@s/c": "1" } },
    "node_modules/b": { version: "1.0.0" },
    "node_modules/@s/c": { version: "1.0.0", dev: true, peerDependencies: { a: "1", b: "1" } },
    "node_modules/o": { version: "1.0.0", optional: true, os: ["linux"] },
    "node_modules/z": { version: "1.0.0" },
  });
  expect(found).toEqual({
    "": manifest("a"),
    "node_modules/a": {
      version: "1.0.0",
      integrity: "sha512-a",
      dependencies: { b: "2" },
      optionalDependencies: { o: "1", gone: "1" },
    },
    "node_modules/a/node_modules/b": { version: "2.0.0", dependencies: { "@s/c": "1" } },
    "node_modules/b": { version: "1.0.0" },
    "node_modules/@s/c": { version: "1.0.0", peerDependencies: { a: "1", b: "1" } },
    "node_modules/o": { version: "1.0.0", optional: true, os: ["linux"] },
  });
});

it("refuses a dependency that the lock file lacks, and a lock file of another form", () => {
  expect(() => kept(["a"], { "node_modules/a": { dependencies: { b: "1" } } })).toThrow("package-lock.json lacks b: ");
  expect(() => lockOf(manifest(), { lockfileVersion: 1, dependencies: {} })).toThrow();
});

it("has of flat packages those that can be reached, whatever their circles", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const graph = fc.record(Object.fromEntries(names.map((name) => [name, fc.subarray(names)])));
  fc.assert(
    fc.property(graph, fc.subarray(names), (needs, wanted) => {
      const packages = names.map((name) => [
        `node_modules/${name}`,
        { dependencies: Object.fromEntries(needs[name]!.map((other) => [other, "1"])) },
      ]);
      // Grows until nothing is added.
      let reached = new Set(wanted);
      for (const _ of names) reached = new Set([...reached, ...[...reached].flatMap((name) => needs[name]!)]);
      const found = Object.keys(kept(wanted, Object.fromEntries(packages))).filter((path) => path !== "");
      expect(found).toEqual([...reached].sort().map((name) => `node_modules/${name}`));
    }),
  );
});
