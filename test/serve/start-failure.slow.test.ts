/** What workerd says when it can't start, as a user reads it. Each failure is a real one. */

import { spawn } from "node:child_process";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../../builder/serve/serve.ts";
import { scratchFolder } from "../folders.ts";
import { CLI, outcome } from "../soprano-process.ts";

it("a clock that is behind", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2025, 10, 22) });
  onTestFinished(() => void vi.useRealTimers());
  await expect(serve({ port: 0, persist: scratchFolder() })).rejects.toThrow(
    /^The clock of this machine says 2025-11-22, but this version of Soprano is from \d{4}-\d\d-\d\d or later: set the clock\.$/,
  );
});

// Real processes: the limit is theirs. Each reaches it in another place.
it.runIf(process.platform === "linux").each([14, 30])(
  "a process that may use %i GB of addresses",
  async (gigabytes) => {
    const command = `ulimit -v ${gigabytes}000000; exec "$@"`;
    const args = [process.execPath, CLI, "serve", "--port", "0", "--persist", scratchFolder()];
    const { status, stderr } = await outcome(spawn("bash", ["-c", command, "bash", ...args]));
    expect(status).toBe(1);
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^soprano: .*limits.* `ulimit -v`.*\.$/);
  },
);
