/** An attack finds what is wrong. The attacks themselves are tried by `npm run hostile`. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Attack, carryOut, inFolders } from "./attack.ts";

const SEED = 1;

describe("an attack", () => {
  let closed = 0;

  /** Finds numbers from 100 on wrong, and takes its time for each. */
  const attack: Attack = {
    name: "numbers",
    unit: "numbers",
    async open() {
      return {
        cases: fc.nat(1_000),
        async attempt(number) {
          await new Promise((done) => setTimeout(done, 1));
          if ((number as number) >= 100) throw new Error(`too large and ${(number as number) % 2 ? "odd" : "even"}`);
          return 2;
        },
        async close() {
          closed++;
        },
      };
    },
  };

  it("reports the least case that goes wrong, and what repeats it", async () => {
    const { findings } = await carryOut(attack, { seed: SEED, cases: 100 });
    expect(findings).toEqual([{ problem: "too large and even", example: "100", seed: SEED, path: expect.any(String) }]);
    const { seed, path } = findings[0]!;
    expect((await carryOut(attack, { seed, path })).findings).toEqual(findings);
    expect(closed).toBe(2);
  });

  it("ends when its time is over, and counts what it tried", async () => {
    const harmless = { ...attack, open: async () => ({ ...(await attack.open()), cases: fc.nat(99) }) };
    const { tried, findings } = await carryOut(harmless, { seed: SEED, until: Date.now() + 200 });
    expect(findings).toEqual([]);
    expect(tried).toBeGreaterThan(0);
  });

  it("goes on with other seeds after a finding", async () => {
    const unequal = { ...attack, open: async () => ({ ...(await attack.open()), cases: fc.noShrink(fc.nat(1_000)) }) };
    const { findings } = await carryOut(unequal, { seed: SEED, until: Date.now() + 500 });
    expect(findings.map(({ problem }) => problem).sort()).toEqual(["too large and even", "too large and odd"]);
  });

  it("tries each case in an empty folder, and leaves none", async () => {
    const folders: string[] = [];
    const open = inFolders(fc.nat(9), async (number, folder) => {
      folders.push(folder);
      expect(readdirSync(folder)).toEqual([]);
      writeFileSync(join(folder, "a"), "");
      if (number > 4) throw new Error("too large");
      return 1;
    });
    const { findings } = await carryOut({ name: "files", unit: "files", open }, { seed: SEED, cases: 20 });
    expect(findings.map(({ problem }) => problem)).toEqual(["too large"]);
    expect([...folders, dirname(folders[0]!)].filter(existsSync)).toEqual([]);
  });
});

it("each twin of an attack is a test", () => {
  const texts = readdirSync(import.meta.dirname).map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
  const twins = texts.flatMap((text) => /^ {2}twin: "(.*)",$/m.exec(text)?.[1] ?? []);
  expect(twins).toHaveLength(8);
  for (const twin of twins) expect(existsSync(twin), twin).toBe(true);
});
