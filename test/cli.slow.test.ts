/**
 * `soprano` as a process: what no call of run() shows. Exit codes, signals and broken pipes belong to the process; all
 * else that the commands do is in test/commands.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import project from "../package.json" with { type: "json" };
import { brokenSeries, readPublished } from "./commands/published.ts";
import { soprano } from "./commands/soprano.ts";
import { newFolder, scratchFolder } from "./folders.ts";
import { CLI, outcome, start } from "./soprano-process.ts";

const folder = newFolder();
const asset = join(folder, "asset.json");
const isPosix = process.platform !== "win32";

beforeAll(async () => {
  const options = ["--out", folder, "--seed", "7", "--transfers", "3000", "--days", "250", "--symbol", "SIM"];
  expect(await soprano("simulate", ...options)).toMatchObject({ status: 0, stdout: `${asset}\n` });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// npm sets the bit when it links the command; a checkout without it would show a change.
it.runIf(isPosix)("is executable as it is checked out", async () => {
  expect(statSync(CLI).mode & 0o111).toBe(0o111);
  // A real process: the shebang line is the system's to read.
  expect(await outcome(spawn(CLI, ["--version"], { cwd: folder }))).toEqual({
    status: 0,
    stdout: `${project.version}\n`,
    stderr: "",
  });
});

// Real processes: the exit code is what shells and workflows decide by.
it.each([
  [1, "a failure", ["build", "nowhere.json", "--persist", join(folder, "none")], /^soprano: nowhere\.json [^\n]+\n$/],
  [2, "wrong usage", ["frobnicate"], /^soprano: unknown command/],
])("exits with %i after %s", async (status, _, args, sentence) => {
  expect(await outcome(start(args))).toEqual({ status, stdout: "", stderr: expect.stringMatching(sentence) });
});

// A real process: `npx soprano` is how the README and the nightly workflow start it.
it("starts by npx", async () => {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const npx = spawn("npx", ["--no-install", "soprano", "--version"], { cwd, shell: !isPosix });
  expect(await outcome(npx)).toMatchObject({ status: 0, stdout: `${project.version}\n` });
});

// A real process: only a pipe can be closed by its reader.
it("succeeds when the reader of its output leaves early", async () => {
  const child = start(["simulate", "--out", join(scratchFolder(), "token"), "--transfers", "1000"]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  expect(await outcome(child)).toMatchObject({ status: 0 });
});

// A real process: nothing in a process runs after SIGKILL.
it.runIf(isPosix)(
  "leaves the earlier build complete when a build is killed, and completes it when run again",
  async () => {
    const persist = join(folder, "killed");
    const build = (path: string) => ["build", path, "--persist", persist, "--threads", "1", "--allow-shorter"];
    expect(await soprano(...build(asset))).toMatchObject({ status: 0 });
    const before = await readPublished(persist);
    // Another as-of time: another build, with other objects.
    const asOf = new Date((before.manifest("SIM")!.resolutions.day.last! - 40 * 86_400) * 1000).toISOString();
    const changed = join(folder, "changed.json");
    writeFileSync(changed, JSON.stringify({ ...JSON.parse(readFileSync(asset, "utf8")), asOf }));

    // A group of its own, so that nothing that it started lives on.
    const child = start(build(changed), { detached: true });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      // It is putting objects from here on.
      if (text.includes("series…")) process.kill(-child.pid!, "SIGKILL");
    });
    await once(child, "close");
    expect(child.signalCode).toBe("SIGKILL");
    const after = await readPublished(persist);
    expect(after.objects.get("current/SIM.json")).toEqual(before.objects.get("current/SIM.json"));
    expect(brokenSeries(after, after.manifest("SIM")!)).toEqual([]);

    expect(await soprano(...build(changed))).toMatchObject({ status: 0 });
    const completed = await readPublished(persist);
    expect(completed.manifest("SIM")?.asOf).toBe(asOf);
    expect(brokenSeries(completed, completed.manifest("SIM")!)).toEqual([]);
  },
);

it.runIf(isPosix)("serve ends with the shell that npx has started it by, which passes no signal on", async () => {
  const program = `"${process.execPath}" "${CLI}" serve --port 0 --persist "${scratchFolder()}" & wait`;
  const shell = spawn("/bin/sh", ["-c", program], { env: { ...process.env, npm_command: "exec" } });
  let said = "";
  shell.stdout.on("data", (text) => {
    said += text;
    if (said.includes("listens")) shell.kill("SIGKILL");
  });
  // The pipe closes when all that have it have ended.
  await once(shell.stdout, "close");
  expect(said).toContain("listens");
});

// A real process: the signal ends it, with the status that shells give to a SIGTERM.
it.runIf(isPosix)("serve stops at SIGTERM", async () => {
  const child = start(["serve", "--port", "0", "--persist", scratchFolder()]);
  const ended = outcome(child);
  child.stdout?.once("data", () => child.kill("SIGTERM"));
  expect(await ended).toMatchObject({ status: 143, stdout: expect.stringMatching(/^Soprano listens on http:/) });
});

it("the demo says so when its port is taken, before it builds", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const refused = await soprano("demo", "--port", String(port));
  other.close();
  expect(refused).toEqual({
    status: 1,
    stdout: "",
    stderr: `soprano: Port ${port} on 127.0.0.1 is taken: choose another one with --port.\n`,
  });
});

it("the demo refuses what is no port", async () => {
  for (const port of ["http", "70000"]) {
    expect(await soprano("demo", "--port", port)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("It must be a whole number from 0 to 65535."),
    });
  }
});

// A real process: no other test runs an older Node.js than the project's.
it("an older Node.js is told what it lacks", async () => {
  const script = `Object.defineProperty(process.versions, "node", { value: "22.14.0" }); import(${JSON.stringify(CLI)});`;
  expect(await outcome(spawn(process.execPath, ["--eval", script]))).toEqual({
    status: 1,
    stdout: "",
    stderr: "soprano: Node.js 22.14.0 is too old: install 22.15 or newer.\n",
  });
});
