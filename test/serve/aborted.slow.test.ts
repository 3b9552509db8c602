/** What `soprano serve` holds for clients that have gone away: nothing that grows with their number. */

import { readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Server, serve } from "../../builder/serve/serve.ts";
import { newFolder } from "../folders.ts";
import { workerdsOf } from "./workerds.ts";

const REQUESTS = 6_000;
const AT_ONCE = 32;

/** It takes 125 MB at first, and up to 300 then; 520 with the heap that V8 would take, and 800 with every connection let in. */
const MOST_MEGABYTES = 400;

/** When a client leaves. */
const MOMENTS: Record<string, (client: Socket, leave: () => void) => unknown> = {
  "before the answer": (client, leave) => client.once("connect", () => setTimeout(leave, 5)),
  "in the midst of the answer": (client, leave) => client.once("data", leave),
};

const folder = newFolder();
let server: Server;

beforeAll(async () => {
  server = await serve({ port: 0, persist: folder, onLog: () => {} });
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The most that a process has had in memory. */
const mostMegabytes = (id: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "latin1"))![1]) / 1024;

async function leaveEarly(number: number, moment: (typeof MOMENTS)[string]): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const client = connect(Number(port), hostname).on("error", () => {});
  client.write("GET /v1/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  moment(client, () => (number % 2 ? client.destroy() : client.resetAndDestroy()));
  await new Promise((resolve) => client.once("close", resolve));
}

// Elsewhere, nothing tells what a process has had in memory at most: there is no /proc.
it.runIf(process.platform === "linux").each(Object.entries(MOMENTS))("clients that leave %s", async (_, moment) => {
  let left = 0;
  const next = async () => {
    while (left < REQUESTS) await leaveEarly(left++, moment);
  };
  const [workerd] = workerdsOf(process.pid);
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  await sleep(500);
  // The same process still answers.
  await (await fetch(server.url)).text();
  expect(workerdsOf(process.pid)).toEqual([workerd]);
  expect(mostMegabytes(workerd!)).toBeLessThan(MOST_MEGABYTES);
});
