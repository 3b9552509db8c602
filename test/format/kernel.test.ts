/** The compiled kernel in the repository is what its source gives. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

it("worker/format/kernel.wasm is up to date: npm run build:wasm", () => {
  const folder = mkdtempSync(join(tmpdir(), "soprano-kernel-"));
  try {
    const compiled = join(folder, "kernel.wasm");
    const compiler = path("node_modules/assemblyscript/bin/asc.js");
    execFileSync(process.execPath, [compiler, "rows.ts", "--config", "asconfig.json", "--outFile", compiled], {
      cwd: path("worker/format/kernel"),
    });
    expect(readFileSync(compiled).equals(readFileSync(path("worker/format/kernel.wasm")))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
