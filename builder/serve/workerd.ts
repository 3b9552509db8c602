/**
 * Starts workerd through Miniflare, which ends it and removes its temporary files at the end of this process, but not
 * when this process is killed. Then a watchdog ends workerd, and the next start removes the files.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import type { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { temporaryFolder } from "../lib/files/temporary-folder.ts";

export interface Workerd {
  miniflare: Miniflare;
  /** Ends workerd, and removes its temporary files. */
  close(): Promise<void>;
}

/**
 * A heap of 8 MB, which grows where more of it is in use. Otherwise V8 lets each of workerd's many isolates gather 60 MB of
 * garbage, which keeps as much again outside of the heap: the most that thousands of requests have left stays taken.
 */
const V8_FLAGS = "--initial-heap-size=8 --max-semi-space-size=1";

/** What workerd says of that at its start: it has a cache of compiled code for V8 without flags. */
const FLAGS_NOTE = /bootstrap compile cache failed its compatibility check/;

/**
 * Returns before workerd listens: `miniflare.ready` says when, or why it can't start.
 *
 * @param onLog takes the log lines, and what prints each as is otherwise done: to stdout, those of failures to stderr
 */
export async function startWorkerd(
  options: Parameters<typeof convertV4MiniflareOptions>[0],
  onLog: (line: string, print: (line: string) => void) => void = (line, print) => print(line),
): Promise<Workerd> {
  // Imported here because it takes a second to load, and a build to R2 doesn't need it.
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  watchChildren();
  // Miniflare reads them whenever it starts workerd, also after a crash.
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= V8_FLAGS;
  const handleStructuredLogs = ({ level, message }: { level: string; message: string }) => {
    if (FLAGS_NOTE.test(message)) return;
    const print = level === "error" || level === "warn" ? console.error : console.log;
    onLog(message, print);
  };
  const folder = temporaryFolder(tmpdir(), "soprano-workerd");
  const miniflare = withTemporaryFolder(
    folder.path,
    () => new Miniflare(convertV4MiniflareOptions({ ...options, handleStructuredLogs })),
  );
  return {
    miniflare,
    async close() {
      try {
        await miniflare.dispose();
      } finally {
        folder.remove();
        if (process.env.MINIFLARE_WORKERD_V8_FLAGS === V8_FLAGS) delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
      }
    },
  };
}

/** Miniflare chooses a folder for its temporary files as it is made, in that of the system. */
function withTemporaryFolder<T>(folder: string, make: () => T): T {
  const names = ["TMPDIR", "TEMP", "TMP"];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = folder;
  try {
    return make();
  } finally {
    for (const [i, name] of names.entries()) {
      if (before[i] === undefined) delete process.env[name];
      else process.env[name] = before[i];
    }
  }
}

// ── The watchdog ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Waits for the end of its standard input, which comes when the process at the other end is gone. */
const WATCHDOG = 'read -r _; kill -9 "$0"';

let isWatching = false;

/** Gives each workerd that this process starts a watchdog. Windows ends child processes with their parent. */
function watchChildren(): void {
  if (isWatching || process.platform === "win32") return;
  isWatching = true;
  subscribe("child_process", (message) => {
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      if (/workerd[^/]*$/.test(child.spawnfile)) watch(child);
    });
  });
}

function watch(child: ChildProcess): void {
  // A session of its own: what ends the process group of this one must not end the watchdog first.
  const watchdog = spawn("/bin/sh", ["-c", WATCHDOG, String(child.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // A system without a shell has no watchdog.
  watchdog.on("error", () => {});
  watchdog.unref();
  (watchdog.stdin as Socket).unref();
  // The id may become another process's.
  child.once("exit", () => watchdog.kill("SIGKILL"));
}
