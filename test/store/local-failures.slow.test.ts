/** What workerd says when it can't work, as a user reads it. Each failure is a real one. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { type LocalState, openLocalState } from "../../builder/store/local.ts";
import { scratchFolder } from "../folders.ts";
import { CLI, outcome } from "../soprano-process.ts";

it("a clock that is behind", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2025, 10, 22) });
  onTestFinished(() => void vi.useRealTimers());
  await expect(openLocalState(scratchFolder())).rejects.toThrow(
    /^The clock of this machine says 2025-11-22, but this version of Soprano is from \d{4}-\d\d-\d\d or later: set the clock\.$/,
  );
});

it("two builds in one folder", async () => {
  const persist = scratchFolder();
  const states = [await openLocalState(persist), await openLocalState(persist)];
  const failures: string[] = [];
  const put = ({ objects }: LocalState, key: string, bytes: Uint8Array) => {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return objects.put(key, bytes, { contentType: "", sha256 }).catch(({ message }: Error) => failures.push(message));
  };
  // One of them finds the other's lock sooner or later.
  for (let round = 0; round < 30 && failures.length === 0; round++) {
    const keys = Array.from({ length: 100 }, (_, n) => `${round}/${n}`);
    await Promise.all(states.flatMap((state) => keys.map((key) => put(state, key, new Uint8Array(20_000)))));
  }
  await Promise.all(states.map((state) => state.close()));
  expect(new Set(failures.map((message) => message.replace(/^\S+/, "…")))).toEqual(
    new Set([
      `… can't be stored in ${persist}: another build or server uses the folder at this moment, or its disk is full. Let one finish, then build again.`,
    ]),
  );
});

// Real processes: the limit is theirs. Each reaches it in another place.
it.runIf(process.platform === "linux").each([14, 30])(
  "a process that may use %i GB of addresses",
  async (gigabytes) => {
    const command = `ulimit -v ${gigabytes}000000; exec "$@"`;
    const args = [process.execPath, CLI, "keys", "list", "--persist", scratchFolder()];
    const { status, stderr } = await outcome(spawn("bash", ["-c", command, "bash", ...args]));
    expect(status).toBe(1);
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^soprano: .*limits.* `ulimit -v`.*\.$/);
  },
);
