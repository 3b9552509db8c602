/** Which tests CI leaves out: never one that a change may make fail. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PATHS, unchanged } from "../.github/unchanged.ts";

const project = join(import.meta.dirname, "..");

it.each([
  [["docs/api.md"], ["clients", "cluster", "bench"]],
  [["clients/python/soprano/__init__.py"], ["cluster", "bench"]],
  [["worker/service.ts"], ["cluster"]],
  [["builder/build/run/build.ts"], ["clients"]],
  [
    ["test/cluster/slurm.cluster.test.ts", "docs/api.md"],
    ["clients", "bench"],
  ],
  [["package-lock.json"], []],
  [["vitest.config.ts"], []],
  [[".github/workflows/ci.yml"], []],
  [[], []],
])("after changes of %j, the tests of %j are left out", (changed, expected) => {
  expect(unchanged(changed)).toEqual(expected);
});

it("every path that decides whether tests run is there", () => {
  const places = Object.entries(PATHS).flatMap(([name, paths]) => [`test/${name}`, ...paths]);
  expect(places.filter((path) => !existsSync(join(project, path)))).toEqual([]);
});
