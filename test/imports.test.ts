/** The tree's shape: imports make no circle, between files or between the folders and files of any one folder. */

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["bench", "builder", "clients", "data-schema", "explorer", "worker"];

const files = FOLDERS.flatMap((folder) =>
  globSync(`${folder}/**/*.ts`, { cwd: PROJECT, exclude: ["**/node_modules/**"] }),
);
const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join(PROJECT, file), "utf8");
    const specifiers = text.matchAll(/\b(?:from|import|import\(|new URL\()\s*"(\.[^"]+\.ts)"/g);
    return [file, Array.from(specifiers, ([, path]) => normalize(join(dirname(file), path!)))] as const;
  }),
);

/** A path of nodes that ends where it began; undefined if there is none. */
function findCircle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle) return circle;
  }
  return undefined;
}

/** The imports between the entries of a folder: its files, and its folders taken as one each. */
function entriesOf(folder: string): Map<string, Set<string>> {
  const entry = (file: string) => (file.startsWith(folder) ? file.slice(folder.length).split("/")[0] : undefined);
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const from = entry(file);
    if (from === undefined) continue;
    const to = graph.get(from) ?? new Set();
    graph.set(from, to);
    for (const name of targets.map(entry)) if (name !== undefined && name !== from) to.add(name);
  }
  return graph;
}

/** More is no step of anything. There is a file for each command. */
const MOST_FILES = 15;

it("no folder has more files than one can look through", () => {
  const counts = Map.groupBy(files, (file) => dirname(file));
  const large = [...counts].filter(([folder, { length }]) => length > MOST_FILES && folder !== "builder/commands");
  expect(large.map(([folder, { length }]) => `${folder} has ${length}`)).toEqual([]);
});

describe("imports", () => {
  it("make no circle between files", () => {
    expect(findCircle(new Map([...imports].map(([file, targets]) => [file, new Set(targets)])))).toBeUndefined();
  });

  const folders = new Set(
    files.flatMap((file) => file.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/"))),
  );
  it.each([...folders].sort())("make no circle between the entries of /%s", (folder) => {
    expect(findCircle(entriesOf(folder === "" ? "" : `${folder}/`))).toBeUndefined();
  });

  it("run from builder, worker and explorer to data-schema, never between builder, worker and explorer", () => {
    const sides = ["builder", "worker", "explorer", "data-schema"];
    const side = (file: string) => sides.find((name) => file.startsWith(`${name}/`));
    const across = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => side(file) && side(target) && side(file) !== side(target))
        .map((target) => `${file} → ${target}`),
    );
    const allowed = /^(builder|worker|explorer)\/\S+ → data-schema\/|^builder\/serve\/serve\.ts → explorer\/build\.ts$/;
    expect(across.filter((arrow) => !allowed.test(arrow))).toEqual([]);
  });

  it("lead from cards of links to nothing that looks for near names, which takes milliseconds a name", () => {
    const reached = new Set(["worker/chart-link/card.ts"]);
    for (const file of reached) for (const target of imports.get(file) ?? []) reached.add(target);
    expect([...reached]).toContain("worker/chart-link/metric.ts");
    expect([...reached]).not.toContain("data-schema/text/nearest.ts");
    expect([...imports.keys()]).toContain("data-schema/text/nearest.ts");
  });
});
