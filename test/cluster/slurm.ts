/**
 * A Slurm cluster on this machine. Each node has namespaces of its own for processes, mounts, names and the network, so it
 * can lose its power: the network goes first, so that nothing says goodbye, then every process at once.
 */

import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const BRIDGE = "soprano0";
const NETWORK = "10.213.77";

/** This machine, as the nodes see it: Slurm's commands run here. */
export const HOST = `${NETWORK}.1`;

/** Where Slurm's controller runs: it listens at every address that it has. */
const HEAD = "head";
const HEAD_ADDRESS = `${NETWORK}.2`;

/** Tasks of an array, at most. */
export const MOST_TASKS = 3;

export interface Slurm {
  /** What Slurm's commands need to find the cluster. */
  environment: { SLURM_CONF: string };
  nodes: readonly string[];
  /** Runs one of Slurm's commands, and returns what it prints. */
  run(command: string, ...args: string[]): Promise<string>;
  /** A node that runs a task of such a `--job-name`. */
  nodeOf(job: string): Promise<string>;
  /** Returns when Slurm has noticed. */
  cutPower(node: string): Promise<void>;
  /** Starts a node whose power was cut. */
  start(node: string): Promise<void>;
  close(): Promise<void>;
}

export interface SlurmOptions {
  /** Empty: for configuration, logs and state. */
  folder: string;
  nodes: number;
  /** The memory of each node, in MB. */
  memory: number;
}

/** Why a cluster can't run on this machine, after an attempt to install what is missing; undefined if it can. */
export function clusterObstacle(): string | undefined {
  if (process.platform !== "linux") return "Slurm needs Linux";
  if (process.getuid!() !== 0) return "nodes in namespaces of their own need root";
  const programs = ["slurmctld", "slurmd", "munged", "mungekey", "unshare", "setpriv", "ip"];
  const missing = () => programs.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);
  if (missing().length > 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const apt = "apt-get update && apt-get install -y --no-install-recommends slurm-wlm munge iproute2";
    spawnSync("sh", ["-c", apt], { env, stdio: "ignore", timeout: 180_000 });
  }
  if (missing().length > 0) return `${missing().join(", ")} can't be installed (Debian: slurm-wlm, munge, iproute2)`;
  if (spawnSync("unshare", ["--pid", "--fork", "--mount", "--uts", "--net", "true"]).status !== 0) {
    return "this machine allows no namespaces";
  }
  return undefined;
}

/** @throws {Error} a daemon did not start in time; its log is in the folder */
export async function startSlurm({ folder, nodes: count, memory }: SlurmOptions): Promise<Slurm> {
  for (const name of ["munge", "state", "spool", "log"]) mkdirSync(join(folder, name), { recursive: true });
  const nodes = Array.from({ length: count }, (_, index) => `n${index + 1}`);
  const socket = join(folder, "munge", "socket");
  const SLURM_CONF = join(folder, "slurm.conf");
  const environment = { SLURM_CONF };
  writeFileSync(SLURM_CONF, configuration(folder, socket, nodes, memory));

  const daemons = new Map<string, ChildProcess>();
  const daemon = (name: string, command: string, ...args: string[]) => {
    const log = openSync(join(folder, "log", `${name}.out`), "a");
    // However this process ends, its daemons end with it.
    const dependent = ["--pdeathsig", "KILL", command, ...args];
    daemons.set(
      name,
      spawn("setpriv", dependent, { stdio: ["ignore", log, log], env: { ...process.env, ...environment } }),
    );
    closeSync(log);
  };
  const stop = async (name: string, signal: NodeJS.Signals) => {
    const child = daemons.get(name);
    daemons.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const run = async (command: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, ...environment } });
    return stdout;
  };
  const ip = (...args: string[]) => run("ip", ...args);
  const interfaceOf = (node: string) => `${BRIDGE}${node}`;

  /** Runs a daemon in namespaces of its own. Their first process, a shell, waits for the network and collects orphans. */
  const startMachine = async (name: string, address: string, command: string) => {
    const hasAddress = "ip addr show eth0 2>/dev/null | grep -q 'inet '";
    const script = `hostname ${name}; ip link set lo up; until ${hasAddress}; do sleep 0.05; done; ${command} & wait`;
    const namespaces = ["--pid", "--fork", "--kill-child", "--mount-proc", "--mount", "--uts", "--net"];
    daemon(name, "unshare", ...namespaces, "bash", "-c", script);
    const first = String(await firstProcess(daemons.get(name)!.pid!));
    const inside = (...args: string[]) => run("nsenter", "--target", first, "--net", "ip", ...args);
    // Left over, if a cluster before this one was killed.
    await ip("link", "delete", interfaceOf(name)).catch(() => {});
    await ip("link", "add", interfaceOf(name), "type", "veth", "peer", "name", "eth0", "netns", first);
    await ip("link", "set", interfaceOf(name), "master", BRIDGE, "up");
    await inside("link", "set", "eth0", "up");
    await inside("addr", "add", `${address}/24`, "dev", "eth0");
  };
  const start = (node: string) => startMachine(node, addressOf(nodes.indexOf(node)), `slurmd -D -N ${node}`);

  const close = async () => {
    for (const name of [...nodes, HEAD, "munged"]) await stop(name, "SIGKILL");
    await ip("link", "delete", BRIDGE).catch(() => {});
  };

  try {
    await run("mungekey", "--create", "--keyfile", join(folder, "munge", "key"));
    daemon("munged", "munged", "--foreground", "--force", `--socket=${socket}`, ...mungeFiles(folder));
    await ip("link", "delete", BRIDGE).catch(() => {});
    await ip("link", "add", BRIDGE, "type", "bridge");
    await ip("addr", "add", `${HOST}/24`, "dev", BRIDGE);
    await ip("link", "set", BRIDGE, "up");
    await startMachine(HEAD, HEAD_ADDRESS, "slurmctld -D -c");
    for (const node of nodes) await start(node);
    const idle = () => run("sinfo", "-h", "-t", "idle", "-o", "%D").catch(() => "0");
    await until(async () => Number(await idle()) === count, `all nodes are idle (see ${join(folder, "log")})`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    environment,
    nodes,
    run,
    async nodeOf(job) {
      return (await run("squeue", "--noheader", "--states=R", `--name=${job}`, "--format=%N")).trim().split("\n")[0]!;
    },
    async cutPower(node) {
      await ip("link", "delete", interfaceOf(node));
      await stop(node, "SIGKILL");
      await until(async () => (await run("sinfo", "-h", "-n", node, "-o", "%T")).startsWith("down"), `${node} is down`);
    },
    start,
    close,
  };
}

const addressOf = (index: number) => `${NETWORK}.${index + 11}`;

const mungeFiles = (folder: string) =>
  ["key", "log", "pid", "seed"].map((name) => `--${name}-file=${join(folder, "munge", name)}`);

/** What a small cluster has, but with short waits: a node is lost after seconds, not five minutes. */
function configuration(folder: string, socket: string, nodes: readonly string[], memory: number): string {
  return `${[
    "ClusterName=soprano",
    `SlurmctldHost=${HEAD}(${HEAD_ADDRESS})`,
    "AuthType=auth/munge",
    `AuthInfo=socket=${socket},cred_expire=5`,
    "CredType=cred/munge",
    "SlurmUser=root",
    `StateSaveLocation=${join(folder, "state")}`,
    `SlurmctldPidFile=${join(folder, "slurmctld.pid")}`,
    `SlurmctldLogFile=${join(folder, "log", "slurmctld.log")}`,
    `SlurmdSpoolDir=${join(folder, "spool", "%n")}`,
    `SlurmdPidFile=${join(folder, "spool", "%n.pid")}`,
    `SlurmdLogFile=${join(folder, "log", "%n.log")}`,
    "SlurmdTimeout=5",
    "MessageTimeout=3",
    "ReturnToService=2",
    // So few that a stage needs several arrays.
    `MaxArraySize=${MOST_TASKS}`,
    "MpiDefault=none",
    "SwitchType=switch/none",
    "ProctrackType=proctrack/linuxproc",
    "TaskPlugin=task/none",
    "SchedulerType=sched/backfill",
    "SchedulerParameters=sched_interval=2,sched_min_interval=100000",
    "SelectType=select/cons_tres",
    "SelectTypeParameters=CR_Core_Memory",
    // A task that takes more than it has asked for is killed.
    "JobAcctGatherType=jobacct_gather/linux",
    "JobAcctGatherFrequency=task=1",
    "JobAcctGatherParams=OverMemoryKill",
    "KillWait=3",
    "SlurmdParameters=config_overrides",
    ...nodes.map((name, index) => `NodeName=${name} NodeAddr=${addressOf(index)} CPUs=1 RealMemory=${memory}`),
    `PartitionName=all Nodes=${nodes.join(",")} Default=YES State=UP`,
  ].join("\n")}\n`;
}

/** The process that `unshare` starts in the new namespaces. */
async function firstProcess(parent: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { stdout } = spawnSync("pgrep", ["--parent", String(parent)], { encoding: "utf8" });
    if (stdout.trim()) return Number(stdout.trim().split("\n")[0]);
    await sleep(20);
  }
  throw new Error("A node did not start.");
}

/** @throws {Error} it is not so after a time */
export async function until(isSo: () => boolean | Promise<boolean>, what: string, seconds = 600): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`After ${seconds} s, it is not so that ${what}.`);
    await sleep(100);
  }
}
