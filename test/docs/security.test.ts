/** Each promise of SECURITY.md names a test that there is. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const [, section = ""] = readFileSync(join(PROJECT, "SECURITY.md"), "utf8").split("## What is promised\n");
const promises = section
  .split("\n## ")[0]!
  .split("\n")
  .filter((line) => line.startsWith("- "));

it("there are promises", () => {
  expect(promises.length).toBeGreaterThan(5);
});

it.each(promises)("%s", (promise) => {
  const tests = Array.from(promise.matchAll(/\]\((test\/[^)]+\.test\.ts)\)/g), ([, path]) => path!);
  expect(tests).not.toEqual([]);
  expect(tests.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
});
