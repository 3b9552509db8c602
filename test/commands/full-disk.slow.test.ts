/** Builds onto a disk that is full, or goes away: they end with a sentence. Only root can mount a small disk. */

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newFolder } from "../folders.ts";
import { outcome, start } from "../soprano-process.ts";
import { soprano } from "./soprano.ts";

const folder = newFolder();
const asset = join(folder, "token", "asset.json");
const disk = join(folder, "disk");
const mounted = (size: string) => spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]).status === 0;
const unmount = () => spawnSync("umount", ["--lazy", disk]);

mkdirSync(disk);
const canMount = process.platform === "linux" && mounted("1m");
if (canMount) unmount();
else console.warn("test/commands/full-disk.slow.test.ts: only root can mount a small disk: skipped.");

beforeAll(async () => {
  const options = ["--out", join(folder, "token"), "--transfers", "40000", "--days", "400", "--symbol", "SIM"];
  expect(await soprano("simulate", ...options)).toMatchObject({ status: 0 });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Real processes: a call that never ends would keep the process alive.
it.runIf(canMount).each(["1m", "3m"])("a build onto a full disk of %s ends with a sentence", async (size) => {
  expect(mounted(size)).toBe(true);
  try {
    const build = outcome(start(["build", asset, "--persist", disk, "--threads", "1", "--quiet"]));
    const { status, stdout, stderr } = await build;
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^soprano: SIM failed: [^\n]*\bdisk\b[^\n]*\n$/);
  } finally {
    unmount();
  }
});
