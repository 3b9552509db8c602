/** The Worker as wrangler runs and deploys it. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { soprano } from "../commands/soprano.ts";
import { scratchFolder } from "../folders.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", NO_COLOR: "1" };

it("fits the free plan: under 3 MB gzip", () => {
  const { stdout } = spawnSync("wrangler", ["deploy", "--dry-run", "--outdir", scratchFolder()], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  const [, kibibytes] = stdout.match(/gzip: ([\d.]+) KiB/) ?? [];
  expect(Number(kibibytes) * 1024).toBeGreaterThan(0);
  expect(Number(kibibytes) * 1024).toBeLessThan(3_000_000);
});

it("serves under wrangler dev what soprano build wrote", async () => {
  const folder = scratchFolder();
  const persist = `${folder}/state`;
  const token = ["--out", `${folder}/token`, "--transfers", "2000", "--days", "60", "--symbol", "DEV"];
  expect(await soprano("simulate", ...token)).toMatchObject({ status: 0 });
  expect(await soprano("build", `${folder}/token/asset.json`, "--persist", persist)).toMatchObject({ status: 0 });
  const key = (await soprano("keys", "create", "--name", "dev", "--plan", "free", "--persist", persist)).stdout.trim();

  const dev = spawn("wrangler", ["dev", "--ip", "127.0.0.1", "--port", "0", "--persist-to", persist], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let stdout = "";
      dev.stdout.setEncoding("utf8").on("data", (text) => {
        stdout += text;
        const [found] = stdout.match(/http:\/\/127\.0\.0\.1:\d+/) ?? [];
        if (found) resolve(found);
      });
      dev.once("close", () => reject(new Error(`wrangler dev ended: ${stdout}`)));
    });
    const response = await fetch(`${url}/v1/metrics/supply?api_key=${key}&a=DEV`);
    expect(response.status).toBe(200);
    const points = (await response.json()) as { v: number }[];
    expect(points.length).toBeGreaterThan(50);
    expect(points.at(-1)?.v).toBeGreaterThan(0);
    expect(response.headers.get("RateLimit-Policy")).toBe('"free";q=60;w=60');
    for (const page of ["/", "/embed", "/boards", "/boards/valuation", "/assets", "/docs", "/methodology"]) {
      const answer = await fetch(url + page);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  } finally {
    // The whole process group: wrangler starts workerd.
    process.kill(-dev.pid!, "SIGTERM");
    await once(dev, "close");
  }
});
