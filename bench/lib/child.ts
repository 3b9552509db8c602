/** Runs each measured program in a process of its own, with its own memory, threads and compiled code. */

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figures } from "./rounds.ts";

/** The peak memory, in bytes, of the largest among a process and those it started. Linux only. */
export type PeakMemory = { peak: number };

/**
 * Runs a program of bench/ and returns its peak memory and the JSON object on its last line of output.
 *
 * @throws {Error} the program failed
 */
export async function runChild<F extends Figures>(program: URL, ...args: (string | number)[]): Promise<F & PeakMemory> {
  const path = fileURLToPath(program);
  const child = spawn(process.execPath, [path, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const memory: PeakMemory = { peak: 0 };
  const watch = setInterval(() => notePeak(child.pid ?? 0, memory), 50);
  const status = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(watch);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  if (status !== 0) throw new Error(`${path} ${args.join(" ")} ended with ${status}`);
  return { ...(JSON.parse(last) as F), ...memory };
}

/** Linux keeps each process's own peak (VmHWM), so the last reading before a process ends is enough. */
function notePeak(pid: number, memory: PeakMemory): void {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const bytes = Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
    memory.peak = Math.max(memory.peak, bytes);
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8");
      for (const child of children.split(" ").filter(Boolean)) notePeak(Number(child), memory);
    }
  } catch {
    // The process has ended, or the system has no /proc: keep the last reading.
  }
}
