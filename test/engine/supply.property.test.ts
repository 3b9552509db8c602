import fc from "fast-check";
import { expect, it } from "vitest";
import { checkSupply } from "../../builder/engine/replay/check-supply.ts";
import { tries } from "../effort.ts";
import { replayPartition } from "../in-memory/replay.ts";
import { prepareTimeline } from "../in-memory/timeline.ts";
import { histories } from "../reference/histories.ts";
import { toEngineInput } from "./engine-input.ts";

it("all balances add up to minted − burned, to the last unit", () => {
  fc.assert(
    fc.property(histories(40), (token) => {
      const { history, prices, groups, parameters } = toEngineInput(token);
      const timeline = prepareTimeline(history, prices, groups, parameters);
      const replays = Array.from({ length: 4 }, (_, index) => replayPartition(timeline, index, 4));
      let supply = 0n;
      for (const { from, to, value, timestamp } of token.transfers) {
        if (timestamp >= token.asOf || from.toLowerCase() === to.toLowerCase()) continue;
        if (/^0x0{40}$/.test(from)) supply += value;
        if (/^0x0{40}$/.test(to)) supply -= value;
      }
      expect(timeline.totals.minted - timeline.totals.burned).toBe(supply);
      expect(replays.reduce((sum, replay) => sum + replay.supply, 0n)).toBe(supply);
      checkSupply(timeline, replays);
      replays[0]!.supply += 1n;
      expect(() => checkSupply(timeline, replays)).toThrow("balances sum up to");
    }),
    { numRuns: tries(30) },
  );
});
