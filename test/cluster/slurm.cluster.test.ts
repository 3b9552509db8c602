/**
 * Builds on a Slurm cluster of four nodes with one bucket, while nodes lose their power. Everything that is published must
 * be what one machine publishes. `CLUSTER_TRANSFERS=20000000 npm run test:cluster` builds a larger token.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { withStore } from "../../builder/store/open.ts";
import type { Resolution } from "../../data-schema/registry/resolutions.ts";
import { sopranoIn } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { outcome } from "../soprano-process.ts";
import { BUCKET, type S3, startFilesS3 } from "../store/s3.ts";
import { contentsOf, differences } from "./contents.ts";
import { PeakMemory } from "./memory.ts";
import { type StageProcess, stageProcesses } from "./processes.ts";
import { clusterObstacle, HOST, MOST_TASKS, type Slurm, startSlurm, until } from "./slurm.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const SCRIPTS = join(PROJECT, "cluster", "slurm");
const STORE = ["--store", `r2://${BUCKET}`];

const TRANSFERS = Number(process.env.CLUSTER_TRANSFERS ?? 500_000);

// A test takes two minutes at most; a busy machine needs several times that.
const PATIENCE_SECONDS = 900 * Math.max(1, TRANSFERS / 2_000_000);
vi.setConfig({ testTimeout: 1_500 * PATIENCE_SECONDS, hookTimeout: 1_000 * PATIENCE_SECONDS });

/** What Slurm grants a task, in MB, and enforces. With little memory, there are several partitions. */
const GRANTED = { LARGE: TRANSFERS > 5_000_000 ? 1024 : 512, BLOCKS: 1024, WRONG: 512 };

const obstacle = clusterObstacle();

describe.skipIf(obstacle)(obstacle ? `a Slurm cluster (${obstacle})` : "a Slurm cluster", () => {
  const folder = newFolder();
  const alone = join(folder, "alone");
  let slurm: Slurm;
  let s3: S3;
  let environment: Record<string, string | undefined>;
  /** The objects that make a build the active one, as they were written. */
  let activations: string[];
  /** Called when an object is about to be written, which waits for it, and when it has been written. */
  let onWriting: (key: string) => unknown;
  let onWritten: (key: string) => void;

  beforeAll(async () => {
    slurm = await startSlurm({ folder: join(folder, "slurm"), nodes: 4, memory: 2048 });
    // The nodes, which have started, may keep the machine busy; a bucket answers at once all the same.
    setPriority(constants.priority.PRIORITY_HIGH);
    s3 = await startFilesS3(undefined, HOST);
    environment = { ...slurm.environment, ...s3.environment };
    activations = [];
    [onWriting, onWritten] = [() => {}, () => {}];
    s3.watch = async ({ method, path }, moment) => {
      if (method !== "PUT") return;
      if (moment === "come") await onWriting(path);
      if (moment !== "done") return;
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

  /** Cuts the power of a node, and turns it on again when Slurm has noticed. */
  async function cutPower(node: string): Promise<string> {
    await slurm.cutPower(node);
    await slurm.start(node);
    return node;
  }

  /** Expects that the store of the cluster holds what that of the single machine does. */
  async function expectEqualStores(): Promise<void> {
    const expected = await withStore({ persist: alone }, {}, contentsOf);
    const found = await withStore({ persist: "", store: STORE[1]! }, s3.environment, contentsOf);
    expect(expected.size).toBeGreaterThan(0);
    expect(differences(found, expected).slice(0, 20)).toEqual([]);
  }

  describe("builds an asset stage by stage", () => {
    const work = join(folder, "work");
    const build = (symbol: keyof typeof GRANTED) => {
      const memory = ["--memory", `${GRANTED[symbol]}M`];
      const asset = join(folder, symbol, "asset.json");
      return outcome(start(join(SCRIPTS, "build.sh"), asset, "--work", work, ...memory, ...STORE));
    };
    const isPublished = (symbol: string) => ({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^${symbol} [0-9a-f]{16}$`, "m")),
    });
    const logsOf = (symbol: string) =>
      files(join(work, "logs"))
        .filter((file) => file.startsWith(`soprano-${symbol}-`))
        .map((file) => readFileSync(join(work, "logs", file), "utf8"))
        .join("");
    let large: string;
    let blocks: string;

    beforeAll(async () => {
      large = await token("LARGE", TRANSFERS, 730, ["day", "hour"]);
      blocks = await token("BLOCKS", TRANSFERS / 4, 120, ["day", "hour", "block"]);
      // The last day is the night that the second build adds.
      changeAsset(large, { asOf: "2025-12-31T00:00:00Z" });
    });

    /** Whether the build of LARGE that a test has started has ended: what has not happened by then never will. */
    let hasEnded = false;

    /**
     * Waits for a task of LARGE that is as wanted, and stops its process: however fast it is, it does not end.
     * Undefined, if what the task is to suffer has happened before.
     */
    async function caught(
      what: string,
      isWanted: (task: StageProcess) => boolean,
      isOver = () => false,
    ): Promise<StageProcess | undefined> {
      let found: StageProcess | undefined;
      await until(
        () => {
          found = stageProcesses().find((task) => task.job === "soprano-LARGE" && isWanted(task));
          if (found) process.kill(found.pid, "SIGSTOP");
          if (found || isOver()) return true;
          if (hasEnded) throw new Error(`The build has ended, and it was never so that ${what}.`);
          return false;
        },
        what,
        PATIENCE_SECONDS,
      );
      return found;
    }

    /** Waits for a task of the stage that has begun to write, and cuts the power of its node. */
    async function cutPowerWhileWriting(stage: string): Promise<string> {
      const isWriting = () => partFiles(join(work, "LARGE")).length > 0;
      const task = await caught(`a task of ${stage} writes`, (task) => task.stage === stage && isWriting());
      return cutPower(task!.node);
    }

    /** Lets Slurm grant the first task of a stage too little memory, and the task wait until Slurm notices. */
    async function starve(stage: string): Promise<void> {
      let job = "";
      const format = ["--noheader", "--name=soprano-LARGE", "--states=PD", "--format=%F %k"];
      await until(async () => {
        job = new RegExp(`^(\\d+) ${stage}$`, "m").exec(await slurm.run("squeue", ...format))?.[1] ?? "";
        return job !== "";
      }, `${stage} is submitted`);
      await slurm.run("scontrol", "update", `JobId=${job}_0`, "MinMemoryNode=100");
      // The second attempt has enough memory: stopped, it would never end.
      const isFirst = (task: StageProcess) =>
        task.arrayTask === `${job}_0` && task.restarts === 0 && task.megabytes > 120;
      const isRetried = () => logsOf("LARGE").includes(`${stage}, task 0 is retried`);
      await caught(`the first task of ${stage} needs more memory than it is granted`, isFirst, isRetried);
    }

    it("while nodes lose their power, and one task has too little memory", async () => {
      const peaks = new PeakMemory();
      const lost = [cutPowerWhileWriting("map")];
      lost.push(lost[0]!.then(() => cutPowerWhileWriting("replay")));
      onWriting = (key) => {
        if (lost.length > 2 || !key.startsWith("/packs/LARGE/")) return;
        // Tasks of the stage `write` put packs, too.
        const finishing = stageProcesses().find(({ job, stage }) => job === "soprano-LARGE" && stage === "finish");
        if (!finishing) return;
        lost.push(cutPower(finishing.node));
        return lost[2];
      };
      const ending = build("LARGE").finally(() => (hasEnded = true));
      const [built, other] = await Promise.all([ending, build("BLOCKS"), starve("flows")]);
      peaks.stop();
      expect(built).toMatchObject(isPublished("LARGE"));
      expect(other).toMatchObject(isPublished("BLOCKS"));
      for (const stage of ["map", "replay", "finish"]) {
        expect(built.stderr).toMatch(new RegExp(`^n[1-4], ${stage}, task \\d+: the node was lost\\.$`, "m"));
      }
      expect(built.stderr).toMatch(/^n[1-4], flows, task 0: exit status 137\.$/m);
      expect(built.stderr).toMatch(/\nrestarts: \d+\n$/);
      // What a task had put before its node was lost is new, too.
      const [, objects] = /^ +objects +([\d,]+),/m.exec(built.stdout)!;
      expect(built.stdout).toMatch(new RegExp(`^ +written +${objects} new, `, "m"));
      expect(await Promise.all(lost)).toHaveLength(3);
      expect(activations.toSorted()).toEqual(["/current/BLOCKS.json", "/current/LARGE.json"]);
      expect(logsOf("LARGE")).toMatch(/^flows, task 0 is retried: exit status 137\.$/m);
      const [, writers] = /^write (\d+)$/m.exec(logsOf("LARGE"))!;
      expect(Number(writers)).toBeGreaterThan(MOST_TASKS);
      expect([...peaks.megabytes.keys()].sort()).toEqual(
        ["finish", "flows", "map", "periods", "plan", "replay", "write"], // All were seen.
      );
      expect(Math.max(...peaks.megabytes.values())).toBeLessThanOrEqual(1024);
      console.log(`Peak memory in MB: ${JSON.stringify(Object.fromEntries(peaks.megabytes))}`);

      expect(await buildAlone(large, blocks)).toMatchObject({ status: 0 });
      await expectEqualStores();
    });

    it("and a night on top, whatever unfinished files the tasks before have left", async () => {
      for (const file of files(join(work, "LARGE"))) writeFileSync(`${join(work, "LARGE", file)}.0.part`, "unfinished");
      changeAsset(large, { asOf: "2026-01-01T00:00:00Z" });
      expect(await build("LARGE")).toMatchObject(isPublished("LARGE"));
      expect(activations.filter((key) => key === "/current/LARGE.json")).toHaveLength(2);
      expect(await buildAlone(large)).toMatchObject({ status: 0 });
      await expectEqualStores();

      expect(await build("LARGE")).toMatchObject({ status: 0, stdout: "LARGE is unchanged since its last build.\n" });
      expect(activations.filter((key) => key === "/current/LARGE.json")).toHaveLength(2);
    });

    it("unless its input is wrong, which one line says; nothing is retried or published", async () => {
      const wrong = await token("WRONG", 1_000, 30, ["day"]);
      const { transfers, contract } = JSON.parse(readFileSync(wrong, "utf8"));
      changeAsset(wrong, { transfers: [transfers, "more.csv"] });
      const header = "block_number,log_index,block_timestamp,from_address,to_address,value,token_address\n";
      const [from, to] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
      writeFileSync(join(folder, "WRONG", "more.csv"), `${header}1,0,1760000000,${from},${to},1e18,${contract}\n`);
      const { status, stderr } = await build("WRONG");
      expect(status).toBe(1);
      expect(stderr).toMatch(/\nbuild\.sh: map, task \d+ failed: .*more\.csv, row 1.* See \S+\.log\.\n$/);
      expect(logsOf("WRONG")).not.toContain("is retried");
      expect(await slurm.run("squeue", "--noheader")).toBe("");
      await expectEqualStores();
    });
  });

  it("builds a fleet; a node that is lost costs the asset that it was building once more, and nothing else", async () => {
    const symbols = ["F0", "F1", "F2", "F3", "F4", "F5"];
    const assets: string[] = [];
    for (const symbol of symbols) assets.push(await token(symbol, 5_000, 60, ["day"]));
    const deals = join(folder, "deals.json");
    expect(await sopranoIn(s3.environment, "deal", ...assets, "--into", "3", "--out", deals, ...STORE)).toMatchObject({
      status: 0,
    });

    // The first node to publish an asset loses its power before it has published its second.
    let lost: Promise<string> | undefined;
    onWritten = (key) => {
      if (key.startsWith("/current/")) lost ??= slurm.nodeOf("fleet").then(cutPower);
    };
    const sbatch = ["--array=0-2", "--job-name=fleet", "--mem=1500M", "--cpus-per-task=1"];
    const logs = `--output=${join(folder, "fleet-%a.log")}`;
    const submitted = start("sbatch", ...sbatch, logs, join(SCRIPTS, "fleet.sbatch"), deals, ...STORE);
    expect(await outcome(submitted)).toMatchObject({ status: 0 });
    await until(async () => (await slurm.run("squeue", "--noheader")) === "", "the fleet is built");
    expect(slurm.nodes).toContain(await lost);
    onWritten = () => {};

    expect(await buildAlone(...assets)).toMatchObject({ status: 0 });
    expect(activations.filter((key) => key.startsWith("/current/F")).sort()).toEqual(
      symbols.map((symbol) => `/current/${symbol}.json`),
    );
    await expectEqualStores();
  });
});

/** The files in a folder and below. */
function files(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/** Files that have not been written to their end, or never will be. */
const partFiles = (folder: string) => files(folder).filter((file) => file.endsWith(".part"));

/** Changes members of an ASSET.json. */
function changeAsset(file: string, changes: Record<string, unknown>): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...changes }));
}
