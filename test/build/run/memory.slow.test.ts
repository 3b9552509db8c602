/** What the processes of a build take together, where an object is larger than that. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { costOf } from "../../../bench/lib/process-tree.ts";
import { simulated } from "../../demo/simulate/simulated.ts";
import { timeLimit } from "../../effort.ts";

const CLI = fileURLToPath(new URL("../../../builder/cli.ts", import.meta.url));
const MEMORY = 512 * 2 ** 20;

it.runIf(process.platform === "linux")(
  "a build with lots by block stays within its memory and 100 MB",
  async () => {
    const folder = await simulated({ transfers: 300_000, days: 250 });
    const path = join(folder, "asset.json");
    const asset = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...asset, lots: ["fifo"], resolutions: ["day", "block"] }));
    const args = ["build", path, "--persist", join(folder, "store"), "--quiet", "--threads", "1", "--memory", "512M"];
    const { peak } = await costOf(process.execPath, [CLI, ...args], folder);
    expect(peak).toBeLessThan(MEMORY + 100e6);
  },
  timeLimit(600_000),
);
