/** Real builds on R2, killed at every moment of their last requests, then at random moments of their uploading. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newFolder } from "../folders.ts";
import { type KillPoint, Kills, type Moment } from "../publish/kills.ts";

const POINTS = Number(process.env.KILL_POINTS ?? 30);
const SEED = Number(process.env.KILL_SEED ?? 1);
const MOMENTS: readonly Moment[] = ["come", "done", "answered"];
/** The requests that check the listing, write the build's manifest and activate it. */
const LAST = 6;

const folder = newFolder();
let kills: Kills;

beforeAll(async () => {
  // Fewer objects than with all resolutions: more kills a minute.
  kills = await Kills.prepare(folder, 2_000, ["day"]);
});

afterAll(async () => {
  await kills.close();
  rmSync(folder, { recursive: true, force: true });
});

it(`${POINTS} builds that are killed leave a complete one, and are completed by the next run`, async () => {
  let killed = 0;
  for (const point of killPoints(kills.requests)) {
    const wasKilled = await kills.survive(point).catch((error: Error) => {
      throw new Error(`request ${point.request}, ${point.moment}: ${error.message}`);
    });
    if (wasKilled) killed++;
  }
  // A build may end before the kill that its last answer triggers.
  expect(killed).toBeGreaterThanOrEqual(POINTS - LAST);
});

function* killPoints(requests: number): Generator<KillPoint> {
  const random = randomNumbers(SEED);
  for (let i = 0; i < POINTS; i++) {
    const isLast = i < LAST * MOMENTS.length;
    const request = isLast ? requests - 1 - Math.floor(i / MOMENTS.length) : Math.floor(random() * requests);
    const moment = MOMENTS[isLast ? i % MOMENTS.length : Math.floor(random() * MOMENTS.length)]!;
    yield { request, moment };
  }
}

/** Numbers in [0, 1), the same for a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) >>> 0;
    return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
  };
}
