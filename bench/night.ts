/**
 * `npm run bench:night`: what a night of many quiet assets asks of a node, and how long it takes; some have two pools each.
 * Each was fetched for three years before, and has no transfer in the night. The node is made up (bench/night/), counts every
 * call of a batch for itself, and takes 50 ms to answer.
 *
 *   npm run bench:night -- --assets 200 --pools 100
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BENCH_FOLDER } from "./lib/data.ts";
import { duration, formatTable } from "./lib/markdown.ts";
import { type Cost, costOf } from "./lib/process-tree.ts";
import { machineText, saveResults, say } from "./lib/results.ts";
import { BLOCK_SECONDS, FEED, FIRST_BLOCK, poolOf, tokenOf } from "./night/chain.ts";
import { startNode } from "./node/start.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const DAYS = 3 * 365;
const DAY_BLOCKS = 86_400 / BLOCK_SECONDS;
/** After midnight, until the day's last block is final. */
const AFTER_MIDNIGHT = 30;
const LATENCY_MS = 50;

const { values: options } = parseArgs({
  options: { assets: { type: "string", default: "200" }, pools: { type: "string", default: "100" } },
});
/** Assets without pools of their own, and those with. */
const [plain, priced] = [Number(options.assets), Number(options.pools)];
const count = plain + priced;

mkdirSync(BENCH_FOLDER, { recursive: true });
const folder = mkdtempSync(join(BENCH_FOLDER, "night-"));
const node = await startNode(new URL("night/node.ts", import.meta.url), `${count}`, `${DAYS}`);

/** Sets the night and the time of an answer; returns how many calls there were since the last time. */
const set = (day: number, latency: number) => node.set(day * DAY_BLOCKS + AFTER_MIDNIGHT, latency);

function assetFile(index: number, hasPools: boolean): string {
  const prices = {
    pools: [
      { address: poolOf(index, 0), kind: "uniswap-v2", quoteUsd: 1 },
      { address: poolOf(index, 1), kind: "uniswap-v2", quoteUsd: { feed: FEED } },
    ],
  };
  const source = { chainId: 1, firstBlock: FIRST_BLOCK, events: "erc20", labels: "none", ...(hasPools && { prices }) };
  const symbol = `T${index}`;
  const path = join(folder, `${symbol}.json`);
  const token = { symbol, name: symbol, chain: "ethereum", contract: tokenOf(index), decimals: 18, maxSupply: "1000" };
  writeFileSync(path, JSON.stringify({ ...token, source }));
  return path;
}

/** Fetches assets as a user would. */
const fetchAll = (files: readonly string[]): Promise<Cost> =>
  costOf(process.execPath, ["builder/cli.ts", "fetch", ...files, "--rpc", node.url, "--yes", "--quiet"], PROJECT);

type Figures = { requests: number; wall: number; cpu: number };

try {
  const files = Array.from({ length: count }, (_, index) => assetFile(index, index >= plain));
  await set(DAYS, 0);
  say(`Fetching three years of ${count} assets…`);
  await fetchAll(files);
  // The night after: what is kept from the first fetch is settled.
  await set(DAYS + 1, 0);
  await fetchAll(files);
  let day = DAYS + 1;
  const night = async (some: readonly string[]): Promise<Figures> => {
    await set(++day, LATENCY_MS);
    const { wall, cpu } = await fetchAll(some);
    return { requests: await set(day, 0), wall, cpu };
  };
  /** A night of some, after one that catches up with those of the others. */
  const nightOf = async (some: readonly string[]) => {
    await night(some);
    return night(some);
  };
  const figures = {
    all: await night(files),
    plain: await night(files.slice(0, plain)),
    two: await nightOf(files.slice(0, 2)),
    one: await nightOf(files.slice(2, 3)),
    twoWithPools: await nightOf(files.slice(-2)),
    oneWithPools: await nightOf(files.slice(-3, -2)),
  };
  await saveResults("night", { plain, priced, figures });
  const { all, plain: quiet, two, one, twoWithPools, oneWithPools } = figures;
  console.log(`${machineText()}, ${new Date().toISOString().slice(0, 10)}\n`);
  console.log(
    formatTable({
      title: `A night of quiet assets, three years after their first block`,
      columns: ["", "measured", "at most"],
      rows: [
        [`requests, ${plain} assets without pools`, `${quiet.requests}`, `${1.5 * plain}`],
        ["one of them by itself", `${one.requests}`, ""],
        ["two of them", `${two.requests}`, ""],
        ["requests of its own, with two pools", `${twoWithPools.requests - oneWithPools.requests}`, ""],
        [`requests, these and ${priced} with two pools each`, `${all.requests}`, ""],
        [`time, ${plain} assets without pools, ${LATENCY_MS} ms an answer`, duration(quiet.wall), ""],
        [`time, all ${count}`, duration(all.wall), "180 s"],
        [`CPU time, all ${count}`, duration(all.cpu), ""],
      ],
    }),
  );
} finally {
  node.stop();
  rmSync(folder, { recursive: true, force: true });
}
