/** The process that makes the load: its jobs and its results. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "../../lib/process-tree.ts";

/** A server that is measured: its port, and the number of its process. */
export interface Measurable {
  port: number;
  pid: number;
}

/** Keep-alive connections that each send a request, wait for the end of the answer, and repeat. */
export interface Job extends Measurable {
  path: string;
  headers: Record<string, string>;
  connections: number;
  /** No request is sent after so many seconds, or so many requests. */
  seconds: number;
  requests: number;
}

/** Medians over the requests; times in seconds. */
export type Answered = {
  requests: number;
  requestsPerSecond: number;
  latency: number;
  firstByte: number;
  bytes: number;
};

/** `cpu`: CPU time of the server's process for a request, in seconds; NaN where it is not known. */
export type Measured = Answered & { cpu: number };

/** Many requests of all kinds, some of them aborted midway. */
export interface SoakJob {
  port: number;
  /** Requested in turn. */
  paths: string[];
  connections: number;
  requests: number;
  /** How many of them are aborted when their first bytes arrive. */
  aborted: number;
}

export type Soaked = { requests: number; aborted: number; errors: number; seconds: number };

export class LoadProcess {
  readonly #process: ChildProcess = fork(fileURLToPath(new URL("load.ts", import.meta.url)));

  async run(job: Job): Promise<Measured> {
    const before = cpuSeconds(job.pid);
    const answered = await this.#ask<Answered>(job);
    return { ...answered, cpu: (cpuSeconds(job.pid) - before) / answered.requests };
  }

  soak(job: SoakJob): Promise<Soaked> {
    return this.#ask(job);
  }

  close(): void {
    this.#process.kill();
  }

  async #ask<T>(job: Job | SoakJob): Promise<T> {
    this.#process.send(job);
    const [{ result, error }] = await once(this.#process, "message");
    if (error !== undefined) throw new Error(error);
    return result;
  }
}
