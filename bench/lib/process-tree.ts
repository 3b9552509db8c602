/** What a program and all that it starts take, from /proc. Linux only. */

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const SAMPLE_MS = 100;

/** Ticks a second, in which the kernel counts CPU time. */
const TICKS = 100;
const PAGE_BYTES = 4096;

export type Cost = {
  /** Seconds. */
  wall: number;
  cpu: number;
  /** Bytes: the largest sum of the resident sets of all processes at one moment, 100 ms apart. */
  peak: number;
};

/** @throws {Error} the program failed */
export async function costOf(
  command: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<Cost> {
  const began = performance.now();
  const env = { ...process.env, ...variables };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  /** Ticks of each process, by its number. */
  const ticks = new Map<number, number>();
  let peak = 0;
  const look = () => {
    let all = 0;
    for (const process of processTree(child.pid!)) {
      ticks.set(process.pid, process.ticks);
      all += process.resident;
    }
    peak = Math.max(peak, all);
  };
  const timer = setInterval(look, SAMPLE_MS);
  const status = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
  const total = ticks.values().reduce((sum, count) => sum + count, 0);
  return { wall: (performance.now() - began) / 1000, cpu: total / TICKS, peak };
}

/** Seconds of CPU time that the threads of a process have taken, by the scheduler's own account; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return Number.NaN;
  const nanoseconds = readdirSync(tasks).map((thread) => {
    const [running] = readFileSync(`${tasks}/${thread}/schedstat`, "latin1").split(" ");
    return Number(running);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** The processes of one name that this one has started, by number; none without /proc. */
export function childrenNamed(wanted: string): number[] {
  if (!existsSync("/proc/self/task")) return [];
  const own = processes().filter(({ name, parent }) => name === wanted && parent === process.pid);
  return own.map(({ pid }) => pid);
}

/** A process and its descendants. */
function* processTree(root: number): Generator<ReturnType<typeof processes>[number]> {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const found = [...children.values()].flat().filter(({ pid }) => pid === root);
  for (const process of found) {
    yield process;
    found.push(...(children.get(process.pid) ?? []));
  }
}

function processes() {
  return readdirSync("/proc").flatMap((folder) => {
    if (!/^\d+$/.test(folder)) return [];
    try {
      // The name in brackets may hold anything: man proc_pid_stat.
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${folder}/stat`, "latin1"))!;
      const fields = rest!.split(" ").map(Number);
      const [parent, user, system, pages] = [fields[1]!, fields[11]!, fields[12]!, fields[21]!];
      return [{ pid: Number(folder), name, parent, ticks: user + system, resident: pages * PAGE_BYTES }];
    } catch {
      return []; // It has ended.
    }
  });
}
