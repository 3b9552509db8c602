/** Starts a node of the benchmarks, in a process of its own: what it takes is no part of what is measured. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface CountingNode {
  url: string;
  /** What its line says after the port. */
  facts: number[];
  /** Sets the chain's last block, and the milliseconds that each answer takes; returns the calls since the last time. */
  set(head: number, latency?: number): Promise<number>;
  stop(): void;
}

/** @param program one that calls `serveChain` */
export async function startNode(program: URL, ...args: string[]): Promise<CountingNode> {
  const node = spawn(process.execPath, [fileURLToPath(program), ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(node.stdout);
  const nextLine = async () => ((await once(lines, "line")) as [string])[0];
  const [port, ...facts] = (await nextLine()).split(" ").map(Number);
  return {
    url: `http://127.0.0.1:${port}`,
    facts,
    async set(head, latency = 0) {
      const line = nextLine();
      node.stdin.write(`${head} ${latency}\n`);
      const asked = Object.values<number>(JSON.parse(await line));
      return asked.reduce((total, calls) => total + calls, 0);
    },
    stop: () => node.stdin.end(),
  };
}
