/** New folders for the files of a test. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

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
