import { expect, it, onTestFinished, vi } from "vitest";
import { Pool } from "../../../builder/build/threads/thread-pool.ts";
import { firstNight, secondNight } from "../checkpoint/two-nights.ts";

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
