import { references } from "../../data-schema/stored.ts";
/**
 * A build finds the objects of the one before damaged: its checkpoint, its manifests, the series that it extends. It
 * publishes what a full build publishes, or refuses with a sentence; and `verify` names what stays damaged.
 */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import fc from "fast-check";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { Failure } from "../../builder/lib/failure.ts";
import { activeManifest, runBuild } from "../build/checkpoint/nights.ts";
import { newFolder } from "../folders.ts";
import { copyOf, manifestIn, variant, verifyIn } from "../published/verify/published.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Attack, Target } from "./attack.ts";
import { type Damage, damage, damaged } from "./byte-damage.ts";
import { share } from "./share.ts";

const SYMBOL = "PREV";

/** Which objects are damaged, as shares of all. */
type Case = { object: number; damage: Damage }[];

const cases: fc.Arbitrary<Case> = fc.array(fc.record({ object: share, damage }), { minLength: 1, maxLength: 3 });

export const damagedPrevious: Attack = {
  name: "damaged-previous",
  unit: "builds after damage",
  twin: "test/store/damage.slow.test.ts",
  async open() {
    const folder = newFolder();
    const { assetPath } = await simulate({ out: folder, seed: 7, transfers: 1_000, days: 40, symbol: SYMBOL });
    const asset = variant(assetPath, "late.json", { resolutions: ["day"] });
    const before = new MemoryStore();
    before.now = Date.now();
    await runBuild(before, variant(asset, "early.json", { asOf: "2025-12-20T00:00:00Z" }));
    const whole = new MemoryStore();
    await runBuild(whole, asset);
    const expected = JSON.stringify(await activeManifest(whole, SYMBOL));
    const target: Target<Case> = {
      cases,
      async attempt(damages) {
        const store = copyOf(before);
        await damageIn(store, damages);
        await buildAfter(store, asset, expected);
        return 1;
      },
      async close() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
    return target;
  },
};

/** Half of the damage is done to the manifests and the checkpoint. */
async function damageIn(store: MemoryStore, damages: Case): Promise<void> {
  const keys = [...store.objects.keys()];
  const few = keys.filter((key) => !key.startsWith("series/"));
  for (const { object, damage } of damages) {
    const from = object < 0.5 ? few : keys;
    const key = from[Math.floor(((2 * object) % 1) * from.length)]!;
    const others = keys.filter((other) => other !== key).map((other) => store.objects.get(other)!.bytes);
    await store.write(key, damaged(store.objects.get(key)!.bytes, damage, others));
  }
}

async function buildAfter(store: MemoryStore, asset: string, expected: string): Promise<void> {
  try {
    await runBuild(store, asset);
  } catch (error) {
    // A manifest that says another contract keeps the symbol.
    if (error instanceof Failure) return;
    throw error;
  }
  if (JSON.stringify(await activeManifest(store, SYMBOL)) !== expected)
    throw new Error("the build is not what a full build publishes");
  const isBroken = (key: string) => {
    const bytes = store.objects.get(key)?.bytes;
    return bytes === undefined || !key.includes(createHash("sha256").update(bytes).digest("hex").slice(0, 32));
  };
  const broken = references(manifestIn(store, SYMBOL))
    .map(({ key }) => key)
    .filter(isBroken);
  const { problems } = await verifyIn(store, SYMBOL);
  const untold = broken.filter((key) => !problems.some((problem) => problem.includes(key)));
  if (untold.length > 0) throw new Error(`verify does not name ${untold[0]}, which is damaged`);
  if (broken.length > 0) return;
  // It names damaged objects of earlier builds, too.
  const wrong = problems.find((problem) => {
    const [key, ...sentence] = problem.split(" ");
    return !(/\.(parquet|pack)$/.test(key!) && isBroken(key!) && sentence.join(" ").startsWith("is damaged"));
  });
  if (wrong !== undefined) throw new Error(`verify names what is whole: ${wrong}`);
}
