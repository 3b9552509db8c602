/** Builds on a disk that is too small for them: each ends within a minute, with status 1 and at most three lines. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { newFolder } from "../folders.ts";
import { outcome, start } from "../soprano-process.ts";
import type { Attack, Target } from "./attack.ts";

const LONGEST_MS = 60_000;

export const diskFull: Attack = {
  name: "disk-full",
  unit: "builds on a full disk",
  twin: "test/commands/full-disk.slow.test.ts",
  lacks: () => (process.platform === "linux" && process.getuid?.() === 0 ? undefined : "a tmpfs, which needs root"),
  async open() {
    const folder = newFolder();
    // Its objects and the local database take more than the largest disk.
    const { assetPath } = await simulate({
      out: join(folder, "token"),
      seed: 3,
      transfers: 100_000,
      days: 700,
      symbol: "FULL",
    });
    const target: Target<number> = {
      cases: fc.integer({ min: 1, max: 20 }),
      async attempt(megabytes) {
        await buildOn(join(folder, "disk"), megabytes, assetPath);
        return 1;
      },
      async close() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
    return target;
  },
};

async function buildOn(disk: string, megabytes: number, assetPath: string): Promise<void> {
  mkdirSync(disk, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk]);
  try {
    // A group of its own: whatever it started must not keep the disk busy.
    const child = start(["--quiet", "build", assetPath, "--persist", join(disk, "state")], { detached: true });
    let isLate = false;
    const watch = setTimeout(() => {
      isLate = true;
      process.kill(-child.pid!, "SIGKILL");
    }, LONGEST_MS);
    const { status, stdout, stderr } = await outcome(child);
    clearTimeout(watch);
    if (isLate) throw new Error(`a build on ${megabytes} MB has not ended after ${LONGEST_MS / 1000} s`);
    const lines = stderr.trimEnd().split("\n");
    const isTold = status === 1 && stdout === "" && lines.length <= 3 && lines.at(-1)!.startsWith("soprano: ");
    if (!isTold) throw new Error(`a build on ${megabytes} MB ended with ${status}: ${stdout}${stderr}`);
  } finally {
    execFileSync("umount", ["--lazy", disk]);
  }
}
