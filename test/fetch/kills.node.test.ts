/** A few kills, spread over a fetch. `SOPRANO_KILLS=100` tries more; test/hostile tries others. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasAnvil } from "./chain/anvil.ts";
import { KilledFetches } from "./killed-fetches.ts";

const KILLS = Number(process.env.SOPRANO_KILLS ?? 6);

describe.runIf(hasAnvil)("a fetch that is killed", () => {
  let fetches: KilledFetches;

  beforeAll(async () => {
    fetches = await KilledFetches.prepare();
  });
  afterAll(() => fetches?.close());

  it("leaves files of which the next run makes the same ones", { timeout: 60_000 + KILLS * 30_000 }, async () => {
    expect(fetches.changes).toBeGreaterThan(100);
    // From the first change to the last one.
    const changes = Array.from(
      { length: KILLS },
      (_, kill) => 1 + Math.round((kill * (fetches.changes - 1)) / (KILLS - 1)),
    );
    let kills = 0;
    for (const change of changes) kills += await fetches.survive([{ change }]);
    // Pages depend on how fast the node answers: another fetch may have fewer changes, and end before the last kills.
    expect(kills).toBeGreaterThanOrEqual(Math.ceil(0.9 * KILLS) - 1);
  });

  it("fetches at most the pages in flight again, however often it is killed", async () => {
    const calls = [0.3, 0.4, 0.2].map((share) => ({ call: Math.ceil(share * fetches.calls) }));
    expect(await fetches.survive(calls)).toBeGreaterThan(1);
  });
});
