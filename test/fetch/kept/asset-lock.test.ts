import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeAssetLock } from "../../../builder/fetch/kept/asset-lock.ts";

function part(): { folder: string; lock: string } {
  const path = mkdtempSync(join(tmpdir(), "soprano-lock-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return { folder: join(path, ".part"), lock: join(path, ".part", "lock") };
}

/** The number of a process that has ended. */
const ended = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("takeAssetLock", () => {
  it("refuses a second fetch until the first has released it", async () => {
    const { folder, lock } = part();
    const release = await takeAssetLock(folder);
    expect(readFileSync(lock, "utf8")).toMatch(new RegExp(`^${process.pid} ${hostname()} `));
    await expect(takeAssetLock(folder)).rejects.toThrow(`process ${process.pid} on ${hostname()}`);
    await release();
    expect(existsSync(lock)).toBe(false);
    await (await takeAssetLock(folder))();
  });

  it("lets one of many have it", async () => {
    const { folder } = part();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeAssetLock(folder)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("lets one of many processes take over a lock", { timeout: 60_000 }, async () => {
    const { folder, lock } = part();
    const module = JSON.stringify(new URL("../../../builder/fetch/kept/asset-lock.ts", import.meta.url).href);
    const take = `const { takeAssetLock } = await import(${module});
      process.stdout.write("ready");
      await new Promise((resolve) => process.stdin.once("data", resolve));
      process.exitCode = await takeAssetLock(${JSON.stringify(folder)}).then(() => 0, () => 1);
      process.stdout.write("done");
      await new Promise((resolve) => process.stdin.once("end", resolve));`;
    mkdirSync(folder);
    writeFileSync(lock, `${ended()} ${hostname()} 0.1\n`);
    const takers = Array.from({ length: 6 }, () => spawn(process.execPath, ["--input-type=module", "-e", take]));
    const said = () => Promise.all(takers.map(({ stdout }) => once(stdout, "data")));
    await said();
    const done = said();
    for (const { stdin } of takers) stdin.write("go");
    await done;
    const statuses = takers.map((taker) => once(taker, "exit"));
    for (const { stdin } of takers) stdin.end();
    expect((await Promise.all(statuses)).filter(([status]) => status === 0)).toHaveLength(1);
  });

  it.each<[string, () => string, number]>([
    ["of a process that has ended", () => `${ended()} ${hostname()} 0.1\n`, 0],
    ["of an earlier process with this one's number", () => `${process.pid} ${hostname()} 0.1\n`, 0],
    ["of another machine that has not refreshed it for minutes", () => "1 elsewhere 0.1\n", 600],
    ["without content, from a machine that lost its power", () => "", 600],
  ])("takes over a lock %s", async (_, content, age) => {
    const { folder, lock } = part();
    await (await takeAssetLock(folder))();
    writeFileSync(lock, content());
    const then = Date.now() / 1000 - age;
    utimesSync(lock, then, then);
    const release = await takeAssetLock(folder);
    expect(readFileSync(lock, "utf8")).toContain(`${process.pid} ${hostname()}`);
    await release();
  });

  it("leaves a lock alone that another has taken over", async () => {
    const { folder, lock } = part();
    const release = await takeAssetLock(folder);
    writeFileSync(lock, "1 elsewhere 0.1\n");
    await release();
    expect(readFileSync(lock, "utf8")).toBe("1 elsewhere 0.1\n");
  });
});
