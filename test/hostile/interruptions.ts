/**
 * Commands one after the other, each interrupted at any of its writes: every build that has a manifest is complete at
 * any time, and an undisturbed build completes what was interrupted.
 */

import fc from "fast-check";
import { Failure } from "../../builder/lib/failure.ts";
import { collect } from "../../builder/published/builds/collect.ts";
import { rollback } from "../../builder/published/builds/rollback.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { buildPrefix, collectionPrefix } from "../../data-schema/stored/objects.ts";
import { manifestIn } from "../published/verify/published.ts";
import { INTERRUPTIONS, type Interruption, interruptedStore } from "../store/interrupted-store.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Attack, Target } from "./attack.ts";
import { brokenObjects, type MadeBuild, publish, threeBuilds } from "./three-builds.ts";

const SYMBOL = "STOP";
const HOUR_MS = 3_600_000;

interface Command {
  does: "build" | "rollback" | "gc";
  /** The build to publish or to roll back to. */
  build: number;
  /** Where it is interrupted; a number of writes that it does not reach leaves it undisturbed. */
  interruption: Interruption;
  /** How much later it begins. */
  hours: number;
}

/** A build writes 44 objects and 2 manifests, and 44 more for a new week or month, a rollback 2 manifests; a collection removes manifests, then objects. */
const at = fc.oneof(fc.nat(2), fc.nat(46), fc.integer({ min: 42, max: 46 }), fc.constant(Number.POSITIVE_INFINITY));

const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.record({
    does: fc.constantFrom("build", "build", "rollback", "gc"),
    build: fc.nat(2),
    interruption: fc.record({ at, kind: fc.constantFrom(...INTERRUPTIONS) }).map(({ at, kind }) => ({ at, ...kind })),
    hours: fc.constantFrom(0, 1, 7),
  }),
  { minLength: 1, maxLength: 8 },
);

export const interruptions: Attack = {
  name: "interruptions",
  unit: "interrupted commands",
  twin: "test/published/publish/interrupted.slow.test.ts",
  async open() {
    return new Interruptions(await threeBuilds(SYMBOL, ["day"]));
  },
};

class Interruptions implements Target<Command[]> {
  readonly cases = commands;
  readonly #builds: readonly MadeBuild[];

  constructor(builds: readonly MadeBuild[]) {
    this.#builds = builds;
  }

  async attempt(commands: Command[]): Promise<number> {
    const store = new MemoryStore();
    store.now = Date.now();
    await publish(store, this.#builds[0]!);
    for (const command of commands) {
      store.now += command.hours * HOUR_MS;
      await this.#carryOut(command, store);
      await this.#expectComplete(store);
    }
    for (const build of this.#builds) {
      await publish(store, build);
      await this.#expectComplete(store);
      if (manifestIn(store, SYMBOL).build !== build.manifest.build) throw new Error("a build is not active at its end");
    }
    return commands.length;
  }

  /** Fails unless the command succeeds, is interrupted, or refuses with a sentence. */
  async #carryOut({ does, build, interruption }: Command, store: MemoryStore): Promise<void> {
    const chosen = this.#builds[build]!;
    const run: Record<Command["does"], (to: ObjectStore) => Promise<unknown>> = {
      build: (to) => publish(to, chosen),
      rollback: (to) => rollback(to, SYMBOL, chosen.manifest.build),
      gc: (to) => collect(to, SYMBOL, { dryRun: false, keep: 0, minAge: HOUR_MS, now: new Date(store.now) }),
    };
    const interrupted = interruptedStore(store, interruption);
    try {
      await run[does](interrupted);
    } catch (error) {
      const wasInterrupted = interrupted.writes > interruption.at;
      const isRefused = does === "rollback" && error instanceof Failure;
      if (!wasInterrupted && !isRefused) throw error;
    }
    // The lease of an interrupted collection ends after ten minutes, for which nothing waits here.
    for (const key of store.objects.keys()) if (key.startsWith(collectionPrefix(SYMBOL))) store.objects.delete(key);
  }

  /** The active build is complete, and so is every build whose manifest is there: one may roll back to it. */
  async #expectComplete(store: MemoryStore): Promise<void> {
    const kept = [...store.objects.keys()].filter((key) => key.startsWith(buildPrefix(SYMBOL)));
    for (const id of [
      manifestIn(store, SYMBOL).build,
      ...kept.map((key) => key.slice(buildPrefix(SYMBOL).length, -5)),
    ]) {
      const build = this.#builds.find(({ manifest }) => manifest.build === id);
      if (!build) throw new Error(`the build ${id} is none that was made`);
      const [broken] = await brokenObjects(store, build);
      if (broken !== undefined) throw new Error(`${broken} of the build ${id} is missing or damaged`);
    }
  }

  async close(): Promise<void> {}
}
