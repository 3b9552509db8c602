/** The processes of tasks of stages, wherever on this machine they run. */

import { readdirSync, readFileSync } from "node:fs";

const STAGE = /\0stage\0(\w+)\0/;

export interface StageProcess {
  pid: number;
  stage: string;
  /** Where it runs, and what it was submitted with as `--job-name`. */
  node: string;
  job: string;
  /** The number of its array, an underscore, its number in that. */
  arrayTask: string;
  /** How often Slurm has begun this task again. */
  restarts: number;
  /** Memory now, and at its peak so far, in MB. */
  megabytes: number;
  peakMegabytes: number;
}

/** The processes that run now. */
export function stageProcesses(): StageProcess[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const read = (name: string) => readFileSync(`/proc/${entry}/${name}`, "latin1");
    try {
      const command = read("cmdline");
      const stage = /^[^\0]*node\0/.test(command) && STAGE.exec(command)?.[1];
      if (!stage) return [];
      const environment = read("environ");
      const variable = (name: string) => new RegExp(`(?:^|\0)${name}=([^\0]*)`).exec(environment)?.[1] ?? "";
      const status = read("status");
      const megabytes = (name: string) =>
        Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) / 1024);
      return {
        pid: Number(entry),
        stage,
        node: variable("SLURMD_NODENAME"),
        job: variable("SLURM_JOB_NAME"),
        arrayTask: `${variable("SLURM_ARRAY_JOB_ID")}_${variable("SLURM_ARRAY_TASK_ID")}`,
        restarts: Number(variable("SLURM_RESTART_COUNT")),
        megabytes: megabytes("VmRSS"),
        peakMegabytes: megabytes("VmHWM"),
      };
    } catch {
      // It has ended.
      return [];
    }
  });
}
