/**
 * Builds on a Slurm cluster of four nodes with one bucket, while nodes lose their power. Everything that is published must
 * be what one machine publishes.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../builder/simulate/simulate.ts";
import { withStore } from "../../builder/store/open.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { sopranoIn } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { outcome } from "../soprano-process.ts";
import { BUCKET, type S3, startS3 } from "../store/s3.ts";
import { contentsOf, differences } from "./contents.ts";
import { clusterObstacle, HOST, type Slurm, startSlurm, until } from "./slurm.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const SCRIPTS = join(PROJECT, "cluster", "slurm");
const STORE = ["--store", `r2://${BUCKET}`];

/** What Slurm grants a task, and enforces. */
const TASK_MEGABYTES = 1024;

const obstacle = clusterObstacle();

describe.skipIf(obstacle)(obstacle ? `a Slurm cluster (${obstacle})` : "a Slurm cluster", () => {
  const folder = newFolder();
  const alone = join(folder, "alone");
  let slurm: Slurm;
  let s3: S3;
  let environment: Record<string, string | undefined>;
  /** The objects that make a build the active one, as they were written. */
  let activations: string[];
  /** Called when an object has been written. */
  let onWritten: (key: string) => void;

  beforeAll(async () => {
    slurm = await startSlurm({ folder: newFolder(), nodes: 4, memory: 2 * TASK_MEGABYTES });
    s3 = await startS3(undefined, HOST);
    environment = { ...slurm.environment, ...s3.environment };
    activations = [];
    onWritten = () => {};
    s3.watch = ({ method, path }, moment) => {
      if (method !== "PUT" || moment !== "done") return;
      if (path.startsWith("/current/")) activations.push(path);
      onWritten(path);
    };
  });

  afterAll(async () => {
    await slurm?.close();
    await s3?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a program on the login node. */
  const start = (command: string, ...args: string[]): ChildProcess =>
    spawn(command, args, { cwd: PROJECT, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  const buildAlone = (...assets: string[]) => sopranoIn({}, "build", ...assets, "--persist", alone, "--quiet");

  /** A simulated token; returns its ASSET.json. */
  async function token(symbol: string, transfers: number, days: number, resolutions: Resolution[]): Promise<string> {
    const { assetPath } = await simulate({
      out: join(folder, symbol),
      seed: 3,
      transfers,
      days,
      symbol,
      monthly: true,
    });
    changeAsset(assetPath, { resolutions });
    return assetPath;
  }

  /** Cuts the power of a node that runs a task of the stage, and turns it on again when Slurm has noticed. */
  async function cutPowerIn(stage: string): Promise<string> {
    const { node } = (await slurm.running()).find(({ comment }) => comment === stage)!;
    await slurm.cutPower(node);
    await slurm.start(node);
    return node;
  }

  /** Expects that the store of the cluster holds what that of the single machine does. */
  async function expectEqualStores(): Promise<void> {
    const expected = await withStore({ persist: alone }, {}, contentsOf);
    const found = await withStore({ persist: "", store: STORE[1]! }, s3.environment, contentsOf);
    expect(expected.size).toBeGreaterThan(0);
    expect(differences(found, expected)).toEqual([]);
  }

  it("builds a fleet; a node that is lost costs the asset that it was building once more, and nothing else", async () => {
    const symbols = ["F0", "F1", "F2", "F3", "F4", "F5"];
    const files: string[] = [];
    for (const symbol of symbols) files.push(await token(symbol, 5_000, 60, ["day"]));
    const deals = join(folder, "deals.json");
    expect(await sopranoIn(s3.environment, "deal", ...files, "--into", "3", "--out", deals, ...STORE)).toMatchObject({
      status: 0,
    });

    // The first node to publish an asset loses its power before it has published its second.
    let lost: Promise<string> | undefined;
    onWritten = (key) => {
      if (key.startsWith("/current/")) lost ??= cutPowerIn("fleet");
    };
    const sbatch = ["--array=0-2", "--comment=fleet", "--mem=1500M", "--cpus-per-task=1"];
    const logs = `--output=${join(folder, "fleet-%a.log")}`;
    const submitted = start("sbatch", ...sbatch, logs, join(SCRIPTS, "fleet.sbatch"), deals, ...STORE);
    expect(await outcome(submitted)).toMatchObject({ status: 0 });
    await until(async () => (await slurm.run("squeue", "--noheader")) === "", "the fleet is built");
    expect(slurm.nodes).toContain(await lost);
    onWritten = () => {};

    expect(await buildAlone(...files)).toMatchObject({ status: 0 });
    expect(activations.toSorted()).toEqual(symbols.map((symbol) => `/current/${symbol}.json`));
    await expectEqualStores();
  }, 300_000);
});

/** Changes members of an ASSET.json. */
function changeAsset(file: string, changes: Record<string, unknown>): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...changes }));
}
