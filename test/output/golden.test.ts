import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { simulate } from "../../builder/simulate/simulate.ts";
import { newFolder } from "../folders.ts";
import { runBuild } from "../incremental/nights.ts";
import { MemoryStore } from "../store/memory-store.ts";

/** Objects are named by their content. If this changes on purpose, raise `ENGINE_VERSION` or the schema version. */
const GOLDEN = { objects: 127, sha256: "b72660a3e790026382cc81d03aa9ef3e96080de927ec41f8beb56e7bfe8506f7" };

it("the same input gives the same objects as ever, byte for byte", async () => {
  const out = newFolder();
  onTestFinished(() => rmSync(out, { recursive: true }));
  await simulate({ out, seed: 20, transfers: 3_000, days: 500, symbol: "SIM" });
  const store = new MemoryStore();
  await runBuild(store, join(out, "asset.json"), { threads: 2 });
  const keys = [...store.objects.keys()].filter((key) => key.startsWith("series/")).sort();
  expect({ objects: keys.length, sha256: createHash("sha256").update(keys.join("\n")).digest("hex") }).toEqual(GOLDEN);
});
