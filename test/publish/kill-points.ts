/**
 * `npm run test:kills [-- POINTS [SEED]]`: kills builds at every moment of their last requests, then at random moments
 * of their uploading, 200 of them unless told otherwise, and tells how many were survived. Takes some minutes; run by hand.
 */

import { rmSync } from "node:fs";
import { newFolder } from "../folders.ts";
import { type KillPoint, Kills } from "./kills.ts";

const [points, seed] = [process.argv[2] ?? "200", process.argv[3] ?? "1"].map(Number);

/** Numbers in [0, 1), the same for a seed. */
let state = seed;
function random(): number {
  state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) >>> 0;
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

const MOMENTS = ["come", "done", "answered"] as const;
/** Those that look, put the build's manifest and swap. */
const LAST = 6;

const folder = newFolder();
const counts = { survived: 0, killed: 0 };
// Fewer objects than with all resolutions: more kills a minute.
const kills = await Kills.prepare(folder, 2_000, ["day"]);
console.log(`a build makes ${kills.requests} requests`);
try {
  for (let i = 0; i < points; i++) {
    const point: KillPoint =
      i < LAST * MOMENTS.length
        ? { request: kills.requests - 1 - Math.floor(i / MOMENTS.length), moment: MOMENTS[i % MOMENTS.length] }
        : { request: Math.floor(random() * kills.requests), moment: MOMENTS[Math.floor(random() * MOMENTS.length)] };
    try {
      if (await kills.survive(point)) counts.killed++;
      counts.survived++;
    } catch (error) {
      console.log(`request ${point.request}, ${point.moment}: ${(error as Error).message}`);
    }
    if ((i + 1) % 10 === 0) console.log(`${i + 1} of ${points}: ${counts.survived} survived`);
  }
} finally {
  await kills.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `${counts.survived} of ${points} kill points survived (${counts.killed} builds were killed before their end)`,
);
process.exitCode = counts.survived === points ? 0 : 1;
