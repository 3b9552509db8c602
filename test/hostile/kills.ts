/**
 * Kills real builds on R2 with SIGKILL: before, during and after any of their requests to the store. After each kill
 * the Worker must answer from one complete build, and the next run must complete the killed one.
 */

import { rmSync } from "node:fs";
import fc from "fast-check";
import { newFolder } from "../folders.ts";
import { type KillPoint, Kills, type Moment } from "../published/publish/kills.ts";
import type { Attack, Target } from "./attack.ts";
import { share } from "./share.ts";

/** Counted from the last request, or as a share of all. The last ones check the listing and write the manifests. */
const request = fc.oneof(fc.record({ fromEnd: fc.nat(5) }), fc.record({ share }));
const point = fc.record({ request, moment: fc.constantFrom<Moment[]>("come", "done", "answered") });

export const kills: Attack = {
  name: "kills",
  unit: "killed builds",
  twin: "test/published/publish/disturbed.slow.test.ts",
  async open() {
    const folder = newFolder();
    // Fewer objects than with all resolutions: more kills a minute.
    const prepared = await Kills.prepare(folder, 2_000, ["day"]);
    const target: Target<Point> = {
      cases: point,
      async attempt(one) {
        await prepared.survive(requestOf(one, prepared.requests));
        return 1;
      },
      async close() {
        await prepared.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
    return target;
  },
};

type Point = { request: { fromEnd: number } | { share: number }; moment: Moment };

function requestOf({ request, moment }: Point, requests: number): KillPoint {
  const number = "share" in request ? Math.floor(request.share * requests) : requests - 1 - request.fromEnd;
  return { request: number, moment };
}
