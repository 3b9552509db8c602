/** What workerd says when it can't work, as a user reads it. Each failure is a real one. */

import { expect, it, onTestFinished, vi } from "vitest";
import { openLocalState } from "../../builder/store/local.ts";
import { scratchFolder } from "../folders.ts";

it("a clock that is behind", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2025, 10, 22) });
  onTestFinished(() => void vi.useRealTimers());
  await expect(openLocalState(scratchFolder())).rejects.toThrow(
    /^The clock of this machine says 2025-11-22, but this version of Soprano is from \d{4}-\d\d-\d\d or later: set the clock\.$/,
  );
});
