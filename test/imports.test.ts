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

/** The room of a file: a folder of builder, of worker, of data-schema or of the explorer's source; else the place itself. */
function roomOf(file: string): string {
  const [place, ...path] = file.replace("explorer/src/", "explorer-src/").split("/");
  const folder = path.length > 1 ? `${place}/${path[0]}` : place!;
  return folder.replace("explorer-src", "explorer/src");
}

const parentOf = (room: string) => room.slice(0, room.lastIndexOf("/"));

/** What any room may ask: the borders of data-schema, and what stands beside the rooms of worker and of the explorer. */
const BESIDE_ROOMS = ["data-schema", "worker", "explorer/src"];

interface Borders {
  /** The rooms beside it that it may import, apart from `BESIDE_ROOMS`. */
  may: string;
  /** Whom to ask instead. */
  otherwise: string;
}

/** Which room may import which, by name. */
const ROOMS: Readonly<Record<string, Borders>> = {
  "builder/lib": { may: "", otherwise: "lib knows no token: pass in what it is to know" },
  "builder/engine": { may: "lib", otherwise: "the engine is pure: builder/build reads, and passes in what it found" },
  "builder/store": { may: "lib", otherwise: "a store knows objects and no builds: builder/published says which" },
  "builder/input": { may: "engine lib store", otherwise: "input is files to columns: builder/build asks for them" },
  "builder/published": {
    may: "engine input lib store",
    otherwise: "what is published knows no stages: builder/build asks it",
  },
  "builder/build": {
    may: "engine input lib published store",
    otherwise: "inputs are there: commands fetch before they build",
  },
  "builder/fetch": {
    may: "build input lib store",
    otherwise: "fetch writes files: builder/input says what is in them",
  },
  "builder/alerts": {
    may: "build engine input lib published store",
    otherwise: "alerts read what is published, and the inputs that it was made of: ask their rooms",
  },
  "builder/probe": { may: "lib", otherwise: "a probe sees the Worker from outside, by its API" },
  "builder/new": { may: "lib store", otherwise: "a new repository is files: the package has them" },
  "builder/package": { may: "lib serve store", otherwise: "the package is made of all rooms by their paths" },
  "builder/serve": { may: "lib store", otherwise: "serve starts the Worker: its data are in a store" },
  "builder/demo": { may: "build lib published serve store", otherwise: "the demo is a user: it builds and serves" },
  "builder/commands": {
    may: "alerts build demo fetch input lib new probe published serve store",
    otherwise: "a command parses and prints: what computes is in the room of its step",
  },
  "worker/problems": { may: "", otherwise: "problems are a table: who throws one knows the rest" },
  "worker/observe": { may: "problems", otherwise: "what is observed is passed in" },
  "worker/chart-link": { may: "", otherwise: "links are read from their text alone" },
  "worker/request": {
    may: "observe problems",
    otherwise: "a request is read before anything is located: endpoints go on",
  },
  "worker/bucket": { may: "observe problems request", otherwise: "the bucket knows keys: worker/locate says which" },
  "worker/format": { may: "observe problems request", otherwise: "formats take rows: worker/table brings them" },
  "worker/read": {
    may: "bucket format problems request",
    otherwise: "manifests are passed in: worker/locate finds them",
  },
  "worker/locate": {
    may: "bucket observe problems read request",
    otherwise: "what is located is passed on by endpoints",
  },
  "worker/table": {
    may: "format locate read request",
    otherwise: "tables are made of what was read: endpoints send them",
  },
  "worker/respond": {
    may: "bucket format locate observe problems request",
    otherwise: "responses take a body: worker/table makes it",
  },
  "worker/catalog": {
    may: "format locate problems request",
    otherwise: "the catalog needs no series: endpoints answer with those",
  },
  "worker/mcp": {
    may: "catalog chart-link format locate observe problems read request table",
    otherwise: "tools answer texts: worker/endpoints sends them",
  },
  "worker/udf": {
    may: "problems read request table",
    otherwise: "a foreign protocol is words for what the steps do: endpoints carry them out",
  },
  "worker/endpoints": {
    may: "bucket catalog chart-link format locate mcp observe problems read request respond table udf",
    otherwise: "an endpoint asks the steps",
  },
  "data-schema/text": { may: "", otherwise: "texts mean nothing yet" },
  "data-schema/registry": { may: "data-schema/text", otherwise: "the registry is what all others look things up in" },
  "data-schema/access": { may: "data-schema/text", otherwise: "keys have nothing to do with series" },
  "data-schema/parquet": { may: "data-schema/registry data-schema/text", otherwise: "Parquet knows no manifests" },
  "data-schema/formula": { may: "data-schema/registry data-schema/text", otherwise: "formulas know no objects" },
  "data-schema/stored": {
    may: "data-schema/formula data-schema/parquet data-schema/registry data-schema/text",
    otherwise: "what is stored is read by nobody here",
  },
  "explorer/src/api": { may: "", otherwise: "the API knows no chart: src/data makes points of its answers" },
  "explorer/src/format": { may: "api", otherwise: "words for values: pass the value in" },
  "explorer/src/formula": { may: "api format", otherwise: "formulas know names: src/lines knows lines" },
  "explorer/src/lines": {
    may: "api format formula",
    otherwise: "a line is a value: src/state keeps it",
  },
  "explorer/src/data": { may: "api format", otherwise: "data are numbers: src/chart draws them" },
  "explorer/src/search": { may: "api format lines", otherwise: "search finds: src/commands carries out" },
  "explorer/src/state": { may: "api format formula lines", otherwise: "states are values: panels show them" },
  "explorer/src/commands": {
    may: "api format lines search state",
    otherwise: "commands change a state: panels show it",
  },
  "explorer/src/chart": {
    may: "api data format formula lines state",
    otherwise: "the chart draws: panels are around it",
  },
  "explorer/src/picture": {
    may: "chart data format formula state",
    otherwise: "a picture is drawn from the chart's own parts",
  },
  "explorer/src/studies": {
    may: "api chart format state",
    otherwise: "studies compute and draw: src/panels passes the curves in, and shows what they find",
  },
  "explorer/src/panels": {
    may: "api chart commands data format formula lines picture search state studies",
    otherwise: "panels know one chart: boards have several",
  },
  "explorer/src/screener": {
    may: "api format formula lines panels search",
    otherwise: "the screener has no chart",
  },
  "explorer/src/holders": { may: "api format panels search", otherwise: "tables of holders have no chart" },
  "explorer/src/boards": {
    may: "api chart commands data format panels picture state",
    otherwise: "a board is made of charts' panels",
  },
};

/** The files that others may import. */
const BORDERS = {
  "builder/engine": [
    "calendar.ts",
    "classification.ts",
    "closes.ts",
    "deposits.ts",
    "distributions.ts",
    "flow-sums.ts",
    "flows.ts",
    "formulas.ts",
    "history.ts",
    "lots.ts",
    "refusal.ts",
    "replay.ts",
    "series.ts",
  ],
  "data-schema": [
    "access.ts",
    "asset.ts",
    "chain.ts",
    "chart-link.ts",
    "formula.ts",
    "formula/error-text.ts",
    "link-query.ts",
    "holders.ts",
    "parquet.ts",
    "registry.ts",
    "search.ts",
    "stored.ts",
    "text.ts",
    "text/nearest.ts",
  ],
};

/** A border of data-schema is anybody's. */
const isBorder = (file: string) => BORDERS["data-schema"].some((border) => file === `data-schema/${border}`);

/** The command `serve` serves the explorer, and the package has it: the only arrows between builder, Worker and explorer. */
const SERVED: Readonly<Record<string, string>> = {
  "builder/package/package.ts": "explorer/build.ts",
  "builder/serve/serve.ts": "explorer/build.ts",
};

const arrows = [...imports].flatMap(([file, targets]) =>
  targets.map((target): [from: string, to: string] => [file, target]),
);

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

  it.each(Object.keys(ROOMS))("of %s ask only the rooms that the table allows", (room) => {
    const { may, otherwise } = ROOMS[room]!;
    const allowed = may.split(" ").map((name) => (name.startsWith("data-schema") ? name : `${parentOf(room)}/${name}`));
    const wrong = arrows
      .filter(([file, target]) => roomOf(file) === room && roomOf(target) !== room && !isBorder(target))
      .filter(([file, target]) => ![...allowed, ...BESIDE_ROOMS].includes(roomOf(target)) && target !== SERVED[file])
      .map(([file, target]) => `${file} → ${target}: ${otherwise}`);
    expect(wrong).toEqual([]);
  });

  it("are named in the table for every room", () => {
    const found = new Set(
      [...imports.keys()].map(roomOf).filter((room) => /^(builder|worker|explorer|data-schema)\/(?!src$)/.test(room)),
    );
    expect([...found].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it.each(Object.entries(BORDERS))("from outside of %s reach its borders alone", (place, borders) => {
    const isInside = (file: string) => file.startsWith(`${place}/`);
    const asked = new Set(arrows.filter(([file, target]) => !isInside(file) && isInside(target)).map(([, to]) => to));
    const files = borders.map((border) => `${place}/${border}`);
    const door = (file: string) => `${place}/${file.slice(place.length + 1).split("/")[0]}.ts`;
    const inner = [...asked].filter((file) => !files.includes(file));
    expect(inner.map((file) => `${file} is asked: ask ${door(file)}, which has what the room offers`)).toEqual([]);
    expect(files.filter((file) => !asked.has(file)).map((file) => `nobody asks ${file}`)).toEqual([]);
  });

  it("run from builder, worker and explorer to data-schema, never between builder, worker and explorer", () => {
    const sideOf = (file: string) => ["builder", "worker", "explorer"].find((name) => file.startsWith(`${name}/`));
    const across = arrows.filter(([file, target]) => {
      const sides = [sideOf(file), sideOf(target)];
      return sides[1] !== undefined && sides[0] !== sides[1] && !/^(bench|clients)\//.test(file);
    });
    expect(Object.fromEntries(across)).toEqual(SERVED);
  });

  it("lead from cards of links to nothing that looks for near names, which takes milliseconds a name", () => {
    const reached = new Set(["worker/chart-link/card.ts"]);
    for (const file of reached) for (const target of imports.get(file) ?? []) reached.add(target);
    expect([...reached]).toContain("worker/chart-link/metric.ts");
    expect([...reached]).not.toContain("data-schema/text/nearest.ts");
    expect([...imports.keys()]).toContain("data-schema/text/nearest.ts");
  });
});
