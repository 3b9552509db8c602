/** One word, one thing: a name that a file exports says which of all things within its readers' reach is meant. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** The rooms that a file of a room may import from. */
const REACH = {
  builder: ["builder", "data-schema"],
  worker: ["worker", "data-schema"],
  explorer: ["explorer", "data-schema"],
  bench: ["bench"],
  clients: ["clients"],
};

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|class|enum|function\*?|const|let) (\w+)/gm;

/**
 * AssemblyScript has no part in it: a kernel's names are those of its module alone. Nor has what stands in for other files in
 * the package, under their names.
 */
const filesOf = (room: string) =>
  globSync(`${room}/**/*.ts`, {
    cwd: PROJECT,
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      "**/assembly/**",
      "builder/package/inside/**",
      "clients/typescript/src/openapi.ts",
    ],
  });

it.each(Object.entries(REACH))("no two files that %s can import export the same name", (_, rooms) => {
  const places = rooms.flatMap(filesOf).flatMap((file) => {
    const text = readFileSync(join(PROJECT, file), "utf8");
    return Array.from(text.matchAll(EXPORT), ([, name]) => ({ name: name!, file }));
  });
  expect(places.length).toBeGreaterThan(0);
  const twins = [...Map.groupBy(places, ({ name }) => name)].filter(([, files]) => files.length > 1);
  expect(twins.map(([name, files]) => `${name}: ${files.map(({ file }) => file).join(", ")}`)).toEqual([]);
});
