/** `soprano` as a process of its own. It costs over a second of CPU to start: test/commands/soprano.ts has none. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Outcome } from "./commands/soprano.ts";

export const CLI = fileURLToPath(new URL("../builder/cli.ts", import.meta.url));

/** Starts a process outside the project's folder, where users are. */
export function start(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], { cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"], ...options });
}

/** Waits for the end of a process, and collects its output. */
export async function outcome(child: ChildProcess): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (texts.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (texts.stderr += text));
  const [status] = await once(child, "close");
  return { status, ...texts };
}
