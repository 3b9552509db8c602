/** The command line as a user runs it: a process of its own, real files, real HTTP. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const CLI = fileURLToPath(new URL("../../builder/cli.ts", import.meta.url));

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface StartOptions {
  detached?: boolean;
  env?: NodeJS.ProcessEnv;
}

export function start(args: readonly string[], options: StartOptions = {}): ChildProcess {
  // Not the project's folder: users are anywhere.
  return spawn(process.execPath, [CLI, ...args], { cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"], ...options });
}

/** Runs `soprano` to its end. */
export function soprano(...args: string[]): Promise<Outcome> {
  return sopranoIn({}, ...args);
}

/** Runs `soprano` to its end, with these variables in its environment. */
export function sopranoIn(variables: Record<string, string>, ...args: string[]): Promise<Outcome> {
  return outcome(start(args, { env: { ...process.env, ...variables } }));
}

/** What a process says until its end. */
export async function outcome(child: ChildProcess): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => (texts.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (texts.stderr += text));
  const [status] = await once(child, "close");
  return { status, ...texts };
}

export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts `soprano serve` on a free port and waits until it listens; `lines` are what it says. */
export async function serve(persist: string): Promise<RunningServer & { lines: readonly string[] }> {
  const child = start(["serve", "--port", "0", "--persist", persist]);
  const ended = once(child, "close");
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      lines.push(line);
      const [found] = line.match(/http:\/\/\S+/) ?? [];
      if (found) resolve(found);
    });
    child.once("close", () => reject(new Error(`soprano serve ended: ${stderr}`)));
  });
  return {
    url,
    lines,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** A new folder that is removed when the test ends. */
export function scratchFolder(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder; the caller removes it. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "soprano-"));
}
