/** How long the Worker takes to start, by `wrangler check startup`. */

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../builder/store/places.ts";

export interface Startup {
  /** Seconds from the first to the last sample of its profile, and seconds with work. */
  window: number;
  active: number;
  /** Compressed size of what is deployed, bytes. */
  bundle: number;
}

export async function startup(): Promise<Startup> {
  const folder = await mkdtemp(join(tmpdir(), "soprano-startup-"));
  try {
    const output = execFileSync(
      join(PROJECT, "node_modules", ".bin", "wrangler"),
      ["check", "startup", "--outfile", join(folder, "startup.cpuprofile")],
      { cwd: PROJECT, encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
    );
    const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
    return {
      window: number(/Profile window: ([\d.]+) ms/) / 1000,
      active: number(/Active: ([\d.]+) ms/) / 1000,
      bundle: number(/gzip: ([\d.]+) KiB/) * 1024,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
