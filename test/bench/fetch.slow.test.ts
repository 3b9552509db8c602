/** The programs that the benchmark of fetching runs in processes of their own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runChild } from "../../bench/lib/child.ts";

const program = (name: string) => new URL(`../../bench/fetch/${name}.ts`, import.meta.url);

test("decode measures each way", async () => {
  const { peak, ...figures } = await runChild(program("decode"), 1);
  expect(Object.keys(figures).sort()).toEqual(["parse", "ponder", "soprano", "viem"]);
  for (const figure of Object.values(figures)) expect(figure).toBeGreaterThan(0);
});

test("fetch reads all logs of the fake node", async () => {
  const child = spawn(process.execPath, [fileURLToPath(program("node")), "1", "2"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.stdin.end());
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const [port, contract] = line.split(" ");
  const { transfers, seconds, bytes } = await runChild(program("fetch"), `http://127.0.0.1:${port}`, contract!);
  // Two logs in each block of the day after the first one, which is not the token's.
  expect(transfers).toBe(2 * (86_400 / 12 - 1));
  for (const figure of [seconds, bytes]) expect(figure).toBeGreaterThan(0);
});
