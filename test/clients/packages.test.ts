/** The clients as packages: built, packed, and installed where nothing else is. */

import { execFile, spawnSync } from "node:child_process";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../folders.ts";
import { installClient } from "./typescript/package.ts";

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** Debian's, which has the packages that build wheels. */
const PYTHON = "/usr/bin/python3";
const hasTools = spawnSync(PYTHON, ["-c", "import setuptools, wheel, pip, venv, ensurepip"]).status === 0;

describe.skipIf(!hasTools)("the Python client (needs pip, setuptools, wheel and venv)", () => {
  it("is a wheel that installs into a fresh environment, typed and with its licence", async () => {
    const folder = scratchFolder();
    const source = join(folder, "source");
    cpSync(join(PROJECT, "clients", "python"), source, { recursive: true });
    const sources = readdirSync(source).sort();
    const offline = ["--no-index", "--no-deps", "--disable-pip-version-check"];
    await run(PYTHON, ["-m", "pip", "wheel", ...offline, "--no-build-isolation", "-w", folder, source]);
    expect(readdirSync(source).sort()).toEqual(sources);
    const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"))!;
    expect(wheel).toBe("soprano-0.4.0-py3-none-any.whl");
    const environment = join(folder, "environment");
    // A pip of its own would take seconds to come, and isn't what is installed.
    await run(PYTHON, ["-m", "venv", "--without-pip", environment]);
    const python = join(environment, "bin", "python");
    await run(PYTHON, ["-m", "pip", "--python", python, "install", ...offline, join(folder, wheel)]);
    const program = `
import importlib.metadata, soprano
names = sorted(str(file) for file in importlib.metadata.files("soprano"))
print(soprano.Client("http://127.0.0.1:9").url, "soprano/py.typed" in names, any("LICENSE" in name for name in names))`;
    const { stdout } = await run(python, ["-c", program], { cwd: folder });
    expect(stdout.trim()).toBe("http://127.0.0.1:9 True True");
  }, 120_000);
});

describe("the TypeScript client", () => {
  it("is a tarball with README and licence, and would be published", async () => {
    const folder = scratchFolder();
    const args = [
      "publish",
      "--dry-run",
      "--json",
      "--workspace",
      "clients/typescript",
      "--cache",
      join(folder, "cache"),
    ];
    const { stdout } = await run("npm", args, { cwd: PROJECT });
    const told = JSON.parse(stdout.slice(stdout.indexOf("{")));
    const { files } = told["soprano-client"] ?? told;
    const names = (files as { path: string }[]).map(({ path }) => path);
    expect(names).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/client.js", "dist/client.d.ts"]),
    );
    expect(names.filter((name) => name.startsWith("src/"))).toEqual([]);
  }, 60_000);

  it("compiles for those who resolve modules as Node.js 10 did", async () => {
    const folder = scratchFolder();
    await installClient(folder);
    writeFileSync(
      join(folder, "use.ts"),
      'import { createClient } from "soprano-client";\nexport const { series } = createClient({ url: "http://127.0.0.1:8787" });\n',
    );
    const tsc = join(PROJECT, "clients", "typescript", "node_modules", "typescript", "bin", "tsc");
    const options = [
      "--moduleResolution",
      "node10",
      "--module",
      "esnext",
      "--target",
      "es2022",
      "--skipLibCheck",
      "--noEmit",
    ];
    const { stdout } = await run(process.execPath, [tsc, ...options, join(folder, "use.ts")], { cwd: folder });
    expect(stdout).toBe("");
  }, 60_000);
});
