/**
 * `npm run bench:hour`: what an hour of a large token costs, from the start of the fetch to the data in the bucket, beside a
 * night. The token is simulated, and served by a node of its own (bench/hour/), which answers at once.
 *
 *   npm run bench:hour -- --transfers 5000000
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BUCKET, startS3 } from "../test/store/s3.ts";
import { HOUR_BLOCK_SECONDS } from "./hour/chain.ts";
import { BENCH_FOLDER, settingText, simulatedToken, tokenSize } from "./lib/data.ts";
import { bytes, duration, formatTable } from "./lib/markdown.ts";
import { type Cost, costOf } from "./lib/process-tree.ts";
import { saveResults, say } from "./lib/results.ts";
import { startNode } from "./node/start.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const DAY = 86_400;
const HOUR = 3_600;

const { values: options } = parseArgs({
  options: { transfers: { type: "string", default: "5000000" }, hours: { type: "string", default: "3" } },
});
const transfers = Number(options.transfers);

const simulated = await simulatedToken(tokenSize(transfers));
const folder = await mkdtemp(join(BENCH_FOLDER, "hour-"));
say(`Loading ${transfers} transfers…`);
const node = await startNode(new URL("hour/node.ts", import.meta.url), dirname(simulated));
const [firstBlock = 0, genesis = 0, lastBlock = 0] = node.facts;

type Figures = Record<"fetch" | "build", Cost> & { requests: number; writes: number; written: number };

const s3 = await startS3();
try {
  const token = JSON.parse(readFileSync(simulated, "utf8"));
  for (const key of ["asOf", "transfers", "prices", "exchanges", "contracts"]) delete token[key];
  const [path, report] = [join(folder, "asset.json"), join(folder, "report.json")];
  const prices = join(dirname(simulated), "prices.csv");
  const source = { chainId: 1, firstBlock, events: "erc20", labels: "none", prices };
  writeFileSync(path, JSON.stringify({ ...token, resolutions: ["day", "hour"], source }));

  const run = (...args: string[]) => costOf(process.execPath, ["builder/cli.ts", ...args], PROJECT, s3.environment);
  async function update(end: number, ...args: string[]): Promise<Figures> {
    const head = Math.ceil((end - genesis) / HOUR_BLOCK_SECONDS);
    await node.set(head);
    const before = s3.requests.length;
    const fetch = await run("fetch", path, "--rpc", node.url, "--yes", "--quiet", ...args);
    const kept = ["--work", join(folder, "work"), "--report", report];
    const build = await run("build", path, "--store", `r2://${BUCKET}`, "--quiet", ...kept);
    const [{ bytesWritten: written }] = JSON.parse(readFileSync(report, "utf8")).assets;
    const requests = await node.set(head);
    const puts = s3.requests.slice(before).filter(({ method }) => method === "PUT");
    return { fetch, build, requests, writes: puts.length, written };
  }

  const last = Math.floor((genesis + HOUR_BLOCK_SECONDS * lastBlock) / DAY) * DAY;
  say("The first fetch and build…");
  await update(last - 2 * DAY);
  const night = await update(last - DAY);
  const hours: Figures[] = [];
  for (let hour = 1; hour <= Number(options.hours); hour++)
    hours.push(await update(last - DAY + hour * HOUR, "--hours"));
  const evening = await update(last - HOUR, "--hours");
  const midnight = await update(last, "--hours");
  const figures = {
    night,
    ...Object.fromEntries(hours.map((one, index) => [`hour ${index + 1}`, one])),
    evening,
    midnight,
  };
  await saveResults("hour", { transfers, figures });
  const row = (name: string, { fetch, build, requests, writes, written }: Figures) => [
    ...[name, `${requests}`, duration(fetch.cpu), duration(build.cpu), duration(fetch.cpu + build.cpu)],
    ...[duration(fetch.wall + build.wall), `${writes}`, bytes(written), bytes(Math.max(fetch.peak, build.peak))],
  ];
  console.log(`${await settingText()}\n`);
  console.log(
    formatTable({
      title: `${transfers.toLocaleString("en-US")} transfers, day and hour: from the chain to the bucket`,
      columns: [
        "",
        "requests",
        "CPU of the fetch",
        "of the build",
        "of both",
        "time of both",
        "writes",
        "written",
        "peak",
      ],
      rows: [
        row("a night", night),
        ...hours.map((one, index) => row(`the day's hour ${index + 1}`, one)),
        row("all hours up to its last but one at once", evening),
        row("the last hour, which ends the day", midnight),
      ],
    }),
  );
} finally {
  node.stop();
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
}
