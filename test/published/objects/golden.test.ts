import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { newFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";

/**
 * Objects are named by their content. If these change on purpose, raise `ENGINE_VERSION` or the schema version. What v1
 * serves has its own: weeks, months and prices have come later, and have changed nothing of it.
 */
const GOLDEN = {
  v1: { objects: 127, sha256: "b72660a3e790026382cc81d03aa9ef3e96080de927ec41f8beb56e7bfe8506f7" },
  others: { objects: 91, sha256: "d24416b368aab7c3fc33e4413ce61bf253cb07a86dda349af12d4cd5390ea340" },
};

it("the same input gives the same objects as ever, byte for byte", async () => {
  const out = newFolder();
  onTestFinished(() => rmSync(out, { recursive: true }));
  await simulate({ out, seed: 20, transfers: 3_000, days: 500, symbol: "SIM" });
  const store = new MemoryStore();
  await runBuild(store, join(out, "asset.json"), { threads: 2 });
  const keys = [...store.objects.keys()].filter((key) => key.startsWith("series/")).sort();
  const isOther = (key: string) => /\/(week|month)\/|\/price\//.test(key);
  const digest = (some: string[]) => {
    return { objects: some.length, sha256: createHash("sha256").update(some.join("\n")).digest("hex") };
  };
  expect({ v1: digest(keys.filter((key) => !isOther(key))), others: digest(keys.filter(isOther)) }).toEqual(GOLDEN);
});
