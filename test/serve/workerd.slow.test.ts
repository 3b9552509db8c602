/** What is left of workerd when `soprano` is killed: nothing. */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { serve } from "../../builder/serve/serve.ts";
import { newFolder } from "../folders.ts";
import { start } from "../soprano-process.ts";
import { workerdsOf } from "./workerds.ts";

const folder = newFolder();
const temporary = join(folder, "temporary");
const isPosix = process.platform !== "win32";

beforeAll(() => void mkdirSync(temporary));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isRunning(id: number): boolean {
  const state = execFileSync("sh", ["-c", `ps -o stat= -p ${id} || true`], { encoding: "utf8" }).trim();
  // A zombie has ended; it waits for whoever adopted it.
  return state !== "" && !state.startsWith("Z");
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds() && performance.now() < deadline) await sleep(50);
  expect(holds()).toBe(true);
}

// A real process: nothing in it runs after SIGKILL.
it.runIf(isPosix)("a killed server leaves no workerd behind, and its files only until the next start", async () => {
  const child = start(["serve", "--port", "0", "--persist", join(folder, "state")], {
    env: { ...process.env, TMPDIR: temporary },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [output] = [child.stdout!, child.stderr!].map((stream) => stream.setEncoding("utf8"));
  const [workerd] = await new Promise<number[]>((resolve) => {
    let text = "";
    const look = (more: string) => {
      text += more;
      if (/listens on/.test(text)) resolve(workerdsOf(child.pid!));
    };
    output!.on("data", look);
    child.stderr!.on("data", look);
  });
  expect(workerd).toBeGreaterThan(0);
  const own = () => readdirSync(temporary).filter((name) => name.startsWith(`soprano-workerd-${child.pid}-`));
  expect(own()).toHaveLength(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  await until(() => !isRunning(workerd!));
  expect(own()).toHaveLength(1);

  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  const mine = join(temporary, `soprano-workerd-${process.pid}-another`);
  mkdirSync(mine, { recursive: true });
  writeFileSync(join(temporary, "soprano-workerd-notes"), "of nobody");
  try {
    const server = await serve({ port: 0, persist: join(folder, "other") });
    expect(own()).toEqual([]);
    await server.close();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  // The folder of a running process stays.
  const left = readdirSync(temporary).filter((name) => name.startsWith("soprano-workerd"));
  expect(left.sort()).toEqual([`soprano-workerd-${process.pid}-another`, "soprano-workerd-notes"]);
  expect(existsSync(mine)).toBe(true);
});
