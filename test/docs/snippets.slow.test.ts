/**
 * Every snippet of the pages runs, against the demo: the token of `npm start`, built twice and served. Those that can't
 * run here say why in a comment before them.
 */

import { type ExecFileException, execFile, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { exportBuild } from "../../builder/published/export/export.ts";
import { type Server, serve } from "../../builder/serve/serve.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { findPython, PYTHON_CLIENT } from "../clients/pythons.ts";
import { installClient } from "../clients/typescript/package.ts";
import { type Anvil, hasAnvil, openAnvil } from "../fetch/chain/anvil.ts";
import { creation, encode } from "../fetch/chain/contracts.ts";
import { newFolder } from "../folders.ts";
import { CLI } from "../soprano-process.ts";
import { dialoguesOf, isShown, type Snippet, snippetsOf } from "./snippets.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = ["README.md", "examples/README.md", ...globSync("docs/*.md", { cwd: PROJECT })].map((page) =>
  page.replaceAll("\\", "/"),
);
const snippets = PAGES.flatMap((page) => snippetsOf(page, readFileSync(join(PROJECT, page), "utf8")));
const runnable = (...languages: string[]) =>
  snippets.filter(({ language, notRun }) => languages.includes(language) && notRun === undefined);
/** Snippets of a page continue each other. */
const programs = (language: string): [page: string, code: string][] =>
  Object.entries(Object.groupBy(runnable(language), ({ page }) => page)).map(([page, parts = []]) => [
    page,
    parts.map(({ code }) => code).join("\n"),
  ]);

const JQ = spawnSync("jq", ["--version"]).status === 0;

/** A snippet that reads a chain. */
const needsChain = ({ code }: Snippet) => /soprano (init|fetch)\b/.test(code);

const folder = newFolder();
const persist = join(folder, "state");
/** Where commands and programs run. */
const desk = join(folder, "desk");
const bin = join(folder, "bin");
let server: Server;
let key = "";

interface Run {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. */
function run(program: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Run> {
  const env = { ...process.env, ...PYTHON_CLIENT, SOPRANO_KEY: key, SOPRANO_URL: server.url, ...variables };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: desk, env, timeout: 60_000 }, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

/** A token on a chain of this test, in place of the one that pages name. */
let chain: Anvil | undefined;
let contract = "";
const HUM = "0x174afe7a032b5a33a3270a9f6c30746e25708532";

/** A snippet as a reader would change it: the addresses and the key are their own. */
const adapted = (code: string) =>
  code
    .replaceAll("https://…", chain?.url ?? "")
    .replaceAll(HUM, contract)
    .replaceAll("http://127.0.0.1:8787", server.url)
    .replaceAll("api_key=…", `api_key=${key}`)
    .replaceAll("Bearer …", `Bearer ${key}`)
    .replaceAll("X-Api-Key: …", `X-Api-Key: ${key}`)
    .replaceAll('"…"', JSON.stringify(key));

beforeAll(async () => {
  for (const path of [desk, bin]) mkdirSync(path, { recursive: true });
  await installClient(desk);
  // `npx soprano`, on the state of this test.
  writeFileSync(
    join(bin, "npx"),
    `#!/bin/sh
shift
case $1 in
  init | fetch) exec "${process.execPath}" "${CLI}" "$@" ;;
  *) exec "${process.execPath}" "${CLI}" "$@" --persist "${persist}" ;;
esac
`,
    { mode: 0o755 },
  );
  // The token is that of builder/demo/demo.ts: pages show numbers of it.
  const token = { out: join(folder, "token"), symbol: "ARIA", name: "Aria (simulated)", seed: 1 };
  const { assetPath } = await simulate({ ...token, transfers: 200_000, days: 3 * 365 });
  const state = await openLocalState(persist);
  const options = { threads: 2, progress: silentProgress() };
  await build(assetPath, state.objects, options);
  ({ key } = await createKey(state.keys, { name: "docs", plan: "unlimited" }));
  const exported = { out: join(desk, "aria"), resolutions: ["day", "hour"], duckdb: true } as const;
  await exportBuild(state.objects, "ARIA", exported, silentProgress());
  await state.close();
  if (hasAnvil) {
    chain = await openAnvil();
    contract = await chain.deploy(creation("Token", "Humanscape", "HUM", 18));
    await chain.mine();
    for (const value of [5n, 7n]) {
      await chain.send({ to: contract, data: encode("Token", "mint", chain.accounts[1], value * 10n ** 18n) });
      await chain.mine(chain.time + 86_400);
    }
    await chain.mine(chain.time + 86_400, 5);
  }
  server = await serve({ port: 0, persist });
}, 300_000);

afterAll(async () => {
  await chain?.stop();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

it("every snippet is in a language that this test runs, or says why it can't run", () => {
  // embedding.test.ts compares HTML with what the explorer writes, new-repository.test.ts YAML with what `soprano new` does.
  const known = ["console", "json", "bash", "ts", "python", "sql", "html", "yaml", "graphql"];
  expect(snippets.filter(({ language }) => !known.includes(language)).map(({ place }) => place)).toEqual([]);
  expect(snippets.filter(({ notRun }) => notRun !== undefined).map(({ page, notRun }) => [page, notRun])).toEqual([
    ...[
      "BigQuery",
      "Dune",
      "Dune",
      "BigQuery",
      "Snowflake",
      "a node",
      "a key of Etherscan",
      "a node",
      "a subgraph",
    ].map((what) => ["docs/building.md", `needs ${what}`]),
    ["docs/nightly.md", "needs BigQuery"],
    ["docs/using.md", "needs DuckDB's extension httpfs"],
  ]);
});

describe("console", () => {
  it.each(runnable("console"))("$place", async (snippet) => {
    const { code } = snippet;
    if (needsChain(snippet) && !hasAnvil) return;
    // Commands of a page continue each other.
    let variables = "";
    for (const { command, output } of dialoguesOf(code)) {
      if (command.startsWith("export ")) {
        variables += `${adapted(command)}; `;
        continue;
      }
      const { status, stdout, stderr } = await run("bash", ["-c", variables + adapted(command)], {
        PATH: `${bin}:${process.env.PATH}`,
      });
      expect({ command, status, stderr: status === 0 ? "" : stderr }).toEqual({ command, status: 0, stderr: "" });
      if (command.startsWith("curl")) {
        expect(isShown(output, stdout), `${command}\n\nprints\n\n${stdout.slice(0, 1000)}\n\nnot\n\n${output}`).toBe(
          true,
        );
      }
    }
  });
});

describe("json", () => {
  it.each(runnable("json"))("$place", ({ code }) => expect(JSON.parse(code)).toBeTypeOf("object"));
});

describe("bash", () => {
  const scripts: Snippet[] = snippets.filter(({ language }) => language === "bash");

  it.each(scripts)("is well-formed: $place", async ({ code }) => {
    expect(await run("bash", ["-n", "-c", code])).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it.skipIf(!JQ || !hasAnvil).each(runnable("bash"))("runs (needs jq and anvil): $place", async ({ code }) => {
    const SOPRANO_RPC_URL = chain!.url;
    const night = join(folder, "night");
    mkdirSync(night);
    const inNight = (program: string) =>
      run("bash", ["-c", `cd "${night}" && ${program}`], { PATH: `${bin}:${process.env.PATH}`, SOPRANO_RPC_URL });
    expect(await inNight(`npx soprano init ${contract} --yes --prices none`)).toMatchObject({ status: 0 });
    // On this machine instead of R2.
    const { status, stderr } = await inNight(code.replaceAll(' --store "$store"', ""));
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(readFileSync(join(night, "fetched.json"), "utf8")).assets).toMatchObject([
      { status: "fetched", rows: 2 },
    ]);
    expect(JSON.parse(readFileSync(join(night, "report.json"), "utf8")).assets).toMatchObject([{ symbol: "HUM" }]);
  });
});

describe("TypeScript, with --strict", () => {
  it.each(programs("ts"))("%s", async (page, code) => {
    const path = join(desk, `${page.replaceAll(/\W/g, "-")}.mts`);
    writeFileSync(path, adapted(code));
    const types = ["--types", "node", "--typeRoots", join(PROJECT, "node_modules", "@types")];
    const options = [
      "--ignoreConfig",
      "--strict",
      "--noEmit",
      "--skipLibCheck",
      "--target",
      "es2024",
      "--module",
      "nodenext",
    ];
    const tsc = join(PROJECT, "node_modules", "typescript", "bin", "tsc");
    expect(await run(process.execPath, [tsc, ...options, ...types, path])).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(await run(process.execPath, [path])).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("Python", () => {
  const anyPython = findPython();

  describe.each(programs("python"))("%s", (_, code) => {
    const imported = Array.from(code.matchAll(/^(?:import|from) (\w+)/gm), ([, name]) => name!);
    // The client imports it when it makes the first frame.
    const forFrames = code.includes("soprano.frame(") ? ["pandas"] : [];
    const modules = [...new Set([...imported, ...forFrames])].join(", ");
    const python = findPython(modules);

    it.skipIf(!anyPython)("is well-formed (needs Python)", async () => {
      const parse = ["-c", "import ast, sys; ast.parse(sys.argv[1])", code];
      expect(await run(anyPython!, parse)).toMatchObject({ status: 0 });
    });

    it.skipIf(!python)(`runs (needs Python with ${modules})`, async () => {
      expect(await run(python!, ["-c", adapted(code)])).toMatchObject({ status: 0, stderr: "" });
    });
  });

  const pandas = findPython("pandas");
  it.skipIf(!pandas)("the examples of the client hold (needs Python with pandas)", async () => {
    const examples = "import doctest, soprano, sys; sys.exit(doctest.testmod(soprano).failed)";
    expect(await run(pandas!, ["-c", examples])).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});

describe("SQL, by DuckDB", () => {
  let connection: DuckDBConnection;

  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(`SET file_search_path = '${desk},${join(desk, "aria")}'`);
    await connection.run(readFileSync(join(desk, "aria", "duckdb.sql"), "utf8"));
  });

  /** What the last statement of a snippet selects. */
  async function rowsOf(code: string) {
    const statements = await connection.extractStatements(adapted(code));
    let rows: unknown[][] = [];
    for (let index = 0; index < statements.count; index++) {
      rows = (await (await statements.prepare(index)).runAndReadAll()).getRowsJson();
    }
    return rows;
  }

  it.each(runnable("sql"))("$place gives every point once", async ({ code }) => {
    const rows = await rowsOf(code);
    const times = rows.map(([t]) => String(t));
    expect(rows.length).toBeGreaterThan(300);
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  it("the files of an export have as many points as the API", async () => {
    const [exported] = runnable("sql").filter(({ code }) => code.includes("aria/sopr/day/"));
    const response = await fetch(`${server.url}/v1/metrics/sopr?a=ARIA&c=users`, { headers: { "X-Api-Key": key } });
    const points = (await response.json()) as unknown[];
    expect(await rowsOf(exported!.code)).toHaveLength(points.length);
  });
});
