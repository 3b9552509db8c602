import { Piscina } from "piscina";
import { expect, it, onTestFinished, vi } from "vitest";
import { keepThreads, Pool } from "../../../builder/build/threads/thread-pool.ts";
import { runBuild } from "../checkpoint/nights.ts";
import { AS_OF, firstNight, secondNight } from "../checkpoint/two-nights.ts";

it("ends the threads before the last stage where memory is short, and starts them for the next build", async () => {
  const pool = new Pool(1, 1);
  onTestFinished(() => pool.close());
  const close = vi.spyOn(pool, "close");
  for (const builds of [1, 2]) {
    const { store } = await firstNight();
    await secondNight(store, {}, { pool });
    expect(close).toHaveBeenCalledTimes(builds);
  }
  const roomy = new Pool(1);
  onTestFinished(() => roomy.close());
  const kept = vi.spyOn(roomy, "close");
  const { store } = await firstNight();
  await secondNight(store, {}, { pool: roomy });
  expect(kept).not.toHaveBeenCalled();
});

it("starts more threads for a build that wants more, and none anew for one that wants fewer", async () => {
  const pool = new Pool(2);
  onTestFinished(() => pool.close());
  const close = vi.spyOn(pool, "close");
  await pool.start(1);
  await pool.start(1);
  expect(close).not.toHaveBeenCalled();
  await pool.start(3);
  expect(close).toHaveBeenCalledTimes(1);
  await pool.start(1);
  await pool.start(2);
  expect(close).toHaveBeenCalledTimes(1);
});

it("leaves its threads to the next pool where the process keeps them, unless memory is short", async () => {
  keepThreads();
  const { folder, store } = await firstNight();
  const asset = folder.asset({ asOf: AS_OF.second });
  const [run, destroy] = [vi.spyOn(Piscina.prototype, "run"), vi.spyOn(Piscina.prototype, "destroy")];
  onTestFinished(() => {
    run.mockRestore();
    destroy.mockRestore();
  });
  for (const full of [false, true]) {
    const pool = new Pool(1);
    await runBuild(store, asset, { pool, full });
    await pool.close();
  }
  expect(new Set(run.mock.contexts).size).toBe(1);
  expect(destroy).not.toHaveBeenCalled();
  const short = new Pool(1, 1);
  await short.start(1);
  await short.close();
  expect(destroy).toHaveBeenCalledTimes(1);
});

it("starts no thread for a night with few new rows", async () => {
  const { folder, store } = await firstNight();
  const run = vi.spyOn(Piscina.prototype, "run");
  onTestFinished(() => run.mockRestore());
  const pool = new Pool(2);
  onTestFinished(() => pool.close());
  const { start } = await runBuild(store, folder.asset({ asOf: AS_OF.second }), { pool, threads: 2 });
  expect(start).toHaveProperty("from");
  expect(run).not.toHaveBeenCalled();
});
