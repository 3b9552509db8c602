/**
 * The package as a user has it: made, installed into an empty folder outside the project, and used there. And the image of
 * cluster/Dockerfile: its steps, run in a folder.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { basename, delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePackage } from "../../builder/package/package.ts";
import { PROJECT } from "../../builder/store/places.ts";
import { listedObjects } from "../../data-schema/stored.ts";
import project from "../../package.json" with { type: "json" };
import { readPublished } from "../commands/published.ts";
import { type Outcome, soprano } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { outcome } from "../soprano-process.ts";

/** Bytes: what dependencies take comes on top. */
const MOST_BYTES = 6_000_000;
/** Seconds of a processor: how long it takes also depends on what else runs. */
const MOST_SECONDS = 0.3;

const folder = newFolder();
const files = join(folder, "package");
/** Where it is installed. */
const home = join(folder, "home");
let tarball: string;

/** The Node.js of this process, and nothing of the project. */
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)]
    .filter((place) => !place.includes("node_modules") || place === dirname(process.execPath))
    .join(delimiter),
  // `npm run` hands the project's settings on to what it starts.
  npm_config_local_prefix: undefined,
  npm_config_strict_allow_scripts: undefined,
  npm_config_omit_lockfile_registry_resolved: undefined,
  NODE_COMPILE_CACHE: undefined,
  WRANGLER_SEND_METRICS: "false",
};

const runIn = (cwd: string, program: string, ...args: string[]): ChildProcess =>
  spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
const npx = (...args: string[]): Promise<Outcome> => outcome(runIn(home, "npx", "--no-install", ...args));
const command = join(home, "node_modules", ".bin", "soprano");
const installed = (...args: string[]): Promise<Outcome> => outcome(runIn(home, command, ...args));

beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  tarball = await makePackage(files, folder);
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  expect(await outcome(runIn(home, "npm", "install", ...options, tarball))).toMatchObject({ status: 0 });
  const token = ["--seed", "7", "--transfers", "3000", "--days", "60", "--symbol", "SIM"];
  expect(await installed("simulate", "--out", "sim", ...token)).toMatchObject({
    status: 0,
    stdout: "sim/asset.json\n",
  });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the tarball", () => {
  it("is small", () => expect(statSync(tarball).size).toBeLessThan(MOST_BYTES));

  it("has every file of the builder that is no source", () => {
    const others = globSync("builder/**/*", { cwd: PROJECT, exclude: ["**/*.ts", "**/{as,ts}config.json"] }).filter(
      (path) => statSync(join(PROJECT, path)).isFile(),
    );
    expect(others).toContain("builder/fetch/labels/exchanges/ethereum.csv");
    expect(others.filter((path) => !existsSync(join(home, "node_modules/soprano", path)))).toEqual([]);
  });

  it("has what the program finds by its own address, no source, and no path of the machine that it was made on", () => {
    const root = join(home, "node_modules", "soprano");
    const all = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = all
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !/\.(png|woff2)$/.test(path));
    expect(paths.filter((path) => path.endsWith(".ts"))).toEqual([]);
    expect(paths.filter((path) => readFileSync(path).includes(PROJECT))).toEqual([]);
    const programs = globSync("program/*.js", { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
    const addresses = programs.flatMap((text) => [
      ...text.matchAll(/new URL\("([^"]+)", ?(?:new URL\("([^"]+)", ?import\.meta\.url\)\.href|import\.meta\.url)\)/g),
    ]);
    const found = addresses.map(([, path = "", from]) => join(root, "program", from ? join(from, "..", path) : path));
    const named = found.filter((path) => !path.endsWith(".ts"));
    expect(named.map((path) => basename(path))).toEqual(expect.arrayContaining(["replay.wasm", "thread-task.js"]));
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("has the licences of what is bundled in it", () => {
    const notices = readFileSync(join(files, "NOTICES"), "utf8");
    for (const name of ["commander", "itty-router", "uplot", "valibot"]) {
      expect(notices).toMatch(
        new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\n\n[\\s\\S]*?Permission is hereby granted`, "m"),
      );
    }
  });

  it("needs exact versions, those of the project", () => {
    const { dependencies } = JSON.parse(readFileSync(join(files, "package.json"), "utf8"));
    expect(project.dependencies).toMatchObject(dependencies);
    expect(Object.keys(dependencies)).toEqual([
      "@duckdb/node-api",
      "@duckdb/node-bindings",
      "miniflare",
      "parquet-wasm",
      "piscina",
      "wrangler",
    ]);
  });
});

describe("installed in an empty folder, it", () => {
  it("starts by npx", async () => {
    expect(await npx("soprano", "--version")).toEqual({ status: 0, stdout: `${project.version}\n`, stderr: "" });
    for (const name of ["init", "alerts"]) {
      expect(await npx("soprano", name, "--help")).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`Usage: soprano ${name} `),
      });
    }
  });

  it("starts fast", () => {
    const time = () => {
      const script = `TIMEFORMAT='%U %S'; time "$0" "$1" --version > /dev/null`;
      const { stderr } = spawnSync("bash", ["-c", script, process.execPath, command], { cwd: home, env });
      const [user = 0, system = 0] = stderr.toString().trim().split(" ").map(Number);
      return user + system;
    };
    expect(Math.min(...Array.from({ length: 5 }, time))).toBeLessThan(MOST_SECONDS);
  });

  it("knows the labels that ship", async () => {
    const [, address = ""] = readFileSync(join(PROJECT, "builder/fetch/labels/exchanges/ethereum.csv"), "utf8").match(
      /^(0x[0-9a-f]{40}),/m,
    )!;
    expect((await installed("labels", "check", address)).stdout).toContain("ethereum: exchange ");
  });

  it("builds what the sources build, with threads, verifies it and serves it", async () => {
    const built = await installed("build", "sim/asset.json", "--threads", "2");
    expect(built).toMatchObject({ status: 0, stdout: expect.stringMatching(/^SIM [0-9a-f]{16}\n$/) });
    expect(await installed("verify", "SIM")).toMatchObject({ status: 0 });

    const own = join(folder, "by-sources");
    expect(await soprano("build", join(home, "sim/asset.json"), "--persist", own)).toMatchObject({ status: 0 });
    const [ours, theirs] = await Promise.all([own, join(home, ".wrangler", "state")].map(readPublished));
    const objects = (published: typeof ours) => [...listedObjects(published!.manifest("SIM")!)];
    expect(objects(theirs)).toEqual(objects(ours));
    expect(objects(theirs).length).toBeGreaterThan(100);

    const key = (await installed("keys", "create", "--name", "me")).stdout.trim();
    const server = runIn(home, command, "serve", "--port", "0");
    const ended = outcome(server);
    try {
      const [said] = await once(server.stdout!, "data");
      const [url = ""] = String(said).match(/http:\/\/[\d.:]+/) ?? [];
      const answer = await fetch(`${url}/v1/metrics/sopr?a=SIM&r=day`, { headers: { "X-Api-Key": key } });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toContainEqual({ t: expect.stringMatching(/^2025-12-31T/), v: expect.any(Number) });
      for (const [path, text] of [
        ["/", "<title>Soprano"],
        ["/methodology", "sopr"],
        ["/docs", "scalar"],
      ] as const) {
        expect(await (await fetch(url + path)).text()).toContain(text);
      }
    } finally {
      server.kill("SIGTERM");
    }
    expect(await ended).toMatchObject({ status: 143, stderr: "" });
  });

  it("refuses a taken port for its demo, before it builds", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { status, stderr } = await installed("demo", "--port", String(port));
    other.close();
    expect([status, stderr]).toEqual([
      1,
      `soprano: Port ${port} on 127.0.0.1 is taken: choose another one with --port.\n`,
    ]);
    expect(existsSync(join(home, ".demo"))).toBe(false);
  });

  it("makes a repository from which the Worker can be deployed", async () => {
    expect(await installed("new", ".")).toMatchObject({
      status: 0,
      stdout:
        ".github/workflows/nightly.yml\n.gitignore\nREADME.md\nassets/.gitkeep\nnight.sh\npackage.json\nwrangler.toml\n".replace(
          "wrangler",
          `${basename(tarball)}\nwrangler`,
        ),
    });
    expect(JSON.parse(readFileSync(join(home, "package.json"), "utf8"))).toEqual({
      dependencies: { soprano: `file:${basename(tarball)}` },
    });
    const { status, stdout } = await npx("wrangler", "deploy", "--dry-run", "--outdir", join(folder, "worker"));
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/env\.BUCKET \(soprano\)[\s\S]*--dry-run: exiting now/),
    ]);
    const wasm = readdirSync(join(folder, "worker")).filter((name) => name.endsWith(".wasm"));
    expect(wasm).toHaveLength(2);
  });
});

describe("the image", () => {
  const dockerfile = readFileSync(join(PROJECT, "cluster", "Dockerfile"), "utf8");
  const all = (instruction: string) =>
    Array.from(dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, "gm")), ([, rest = ""]) => rest);

  it("starts the command, once its steps have run in a folder", async () => {
    const [root] = all("WORKDIR");
    const image = join(folder, "image");
    mkdirSync(image);
    for (const path of all("COPY").flatMap((line) => line.split(" ").slice(0, -1))) {
      const source = path === "soprano-*.tgz" ? tarball : join(PROJECT, path);
      copyFileSync(source, join(image, basename(source)));
    }
    for (const step of all("RUN")) {
      const { status, stderr } = await outcome(runIn(image, "sh", "-c", step));
      expect([step, status, status === 0 ? "" : stderr]).toEqual([step, 0, ""]);
    }
    const entry: string[] = JSON.parse(all("ENTRYPOINT")[0]!).map((word: string) => word.replace(root!, image));
    expect(await outcome(runIn(folder, entry[0]!, ...entry.slice(1), "--version"))).toMatchObject({
      status: 0,
      stdout: `${project.version}\n`,
    });
    const plan = [
      "stage",
      "plan",
      join(home, "sim/asset.json"),
      "--work",
      join(folder, "work"),
      "--persist",
      join(folder, "planned"),
    ];
    expect(await outcome(runIn(folder, entry[0]!, ...entry.slice(1), ...plan))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^map \d+$/m),
    });
  });

  const hasDocker = spawnSync("docker", ["info"]).status === 0;
  it.runIf(hasDocker)("is built where Docker is", async () => {
    const context = join(folder, "context");
    mkdirSync(context);
    for (const path of [tarball, join(PROJECT, ".npmrc")]) copyFileSync(path, join(context, basename(path)));
    const tag = "soprano-test";
    const built = await outcome(
      runIn(folder, "docker", "build", "--file", join(PROJECT, "cluster/Dockerfile"), "--tag", tag, context),
    );
    expect([built.status, built.status === 0 ? "" : built.stderr]).toEqual([0, ""]);
    expect(await outcome(runIn(folder, "docker", "run", "--rm", tag, "--version"))).toMatchObject({
      status: 0,
      stdout: `${project.version}\n`,
    });
  });
});
