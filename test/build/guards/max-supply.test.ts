/** The supply against `maxSupply`, day by day. */

import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { judgeSupply, refuseSupply, type SupplyBefore } from "../../../builder/build/guards/max-supply.ts";
import { NO_EVENTS } from "../../../builder/engine/history/checkpoint.ts";
import type { DayTally } from "../../../builder/engine/history/tally.ts";

const DAY = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;
const TOKEN = 10n ** 18n;

/** What is minted and burned on a day, counted from 0, or in a part of it. */
const on = (day: number, minted: bigint, burned = 0n): DayTally => ({
  ...NO_EVENTS,
  day: START + day * DAY,
  rows: 1,
  minted,
  burned,
  idleBefore: 0,
  idleAfter: 0,
  end: { block: day, t: START + day * DAY },
});

const asset = (maxSupply: string, decimals = 18) => ({ path: "asset.json", maxSupply, decimals });
const sentence = (...args: Parameters<typeof judgeSupply>) => judgeSupply(...args)?.sentence;

const CHECK = '; check "maxSupply" and "decimals" (18), and that the values are';
const TOO_LARGE = `${CHECK} amounts in raw units, not ids of tokens.`;
const TOO_SMALL = `${CHECK} in raw units, not in whole tokens.`;

describe("a supply", () => {
  test.each<[string, string, DayTally[], string | undefined]>([
    ["of maxSupply is as it should be", "2000", [on(0, 2000n * TOKEN)], undefined],
    ["of a billionth of it, too", "1000000000", [on(0, TOKEN)], undefined],
    ["of nothing, too", "2000", [on(0, 5000n * TOKEN, 5000n * TOKEN)], undefined],
    [
      "of one raw unit more is told with all its digits",
      "2000",
      [on(0, 2000n * TOKEN), on(1, 1n)],
      `"maxSupply" is 2000, but the supply was 2,000.000000000000000001 on 2024-01-02${TOO_LARGE}`,
    ],
    [
      "that was burned later is told",
      "2000.5",
      [on(0, 4000n * TOKEN + TOKEN), on(3, 0n, 4000n * TOKEN)],
      `"maxSupply" is 2000.5, but the supply was 4,001 on 2024-01-01, 2 times as much${TOO_LARGE}`,
    ],
    [
      "of ids",
      "10000",
      [on(0, 25n * 10n ** 76n)],
      `"maxSupply" is 10000, but the supply was 2.5e59 on 2024-01-01, 2.5e55 times as much${TOO_LARGE}`,
    ],
    [
      "of one raw unit less than a billionth",
      "1000000000",
      [on(0, 3n), on(1, TOKEN - 4n), on(2, 0n, 5n)],
      `"maxSupply" is 1000000000, but the supply was never over 1, 1e-9 of it${TOO_SMALL}`,
    ],
    [
      "of whole tokens in place of raw units",
      "2000",
      [on(0, 1000n), on(1, 100n)],
      `"maxSupply" is 2000, but the supply was never over 1.1e-15, 5.5e-19 of it${TOO_SMALL}`,
    ],
  ])("%s", (_, maxSupply, days, expected) => expect(sentence(asset(maxSupply), days)).toBe(expected));

  it("counts at closes: what is minted and burned within a day does not, in however many parts", () => {
    const flash = 10n ** 77n;
    expect(sentence(asset("2000"), [on(0, 1000n * TOKEN), on(1, flash, flash)])).toBeUndefined();
    expect(sentence(asset("2000"), [on(0, 1000n * TOKEN), on(1, flash), on(1, 0n, flash)])).toBeUndefined();
  });

  it("of a token without decimals is compared with a fraction", () => {
    expect(sentence(asset("0.5", 0), [on(0, 1n)])).toContain("the supply was 1 on 2024-01-01, 2 times as much;");
    expect(sentence(asset("1.5", 0), [on(0, 1n)])).toBeUndefined();
  });
});

test("over 1,000 times maxSupply it is an error, unless it is allowed", () => {
  const at = judgeSupply(asset("2"), [on(0, 2000n * TOKEN)]);
  expect(at).toMatchObject({ isError: false });
  expect(() => refuseSupply(asset("2"), at)).not.toThrow();
  const over = judgeSupply(asset("2"), [on(0, 2000n * TOKEN + 1n), on(1, 0n, 2000n * TOKEN)]);
  expect(() => refuseSupply(asset("2"), over)).toThrow(
    'asset.json: "maxSupply" is 2, but the supply was 2,000.000000000000000001 on 2024-01-01, 1,000 times as much' +
      `${TOO_LARGE} If all of them are right, run \`soprano build asset.json --allow-supply\`.`,
  );
  expect(() => refuseSupply(asset("2"), over, true)).not.toThrow();
});

test("a history that is resumed is judged as a whole one", () => {
  const amounts = fc.tuple(fc.bigInt(0n, 10n ** 6n), fc.bigInt(0n, 10n ** 6n));
  fc.assert(
    fc.property(
      fc.array(amounts, { minLength: 1, maxLength: 8 }),
      fc.nat(8),
      fc.constantFrom("1", "10", "1000", "1000000", "1000000000", "1000000000000000"),
      (list, cut, maxSupply) => {
        let supply = 0n;
        const days = list.map(([mint, wish], day) => {
          supply += mint;
          const burn = wish < supply ? wish : supply;
          supply -= burn;
          return on(day, mint, burn);
        });
        const closes: SupplyBefore = { totals: { minted: 0n, burned: 0n } };
        for (const { day, minted, burned } of days.slice(0, cut)) {
          closes.totals = { minted: closes.totals.minted + minted, burned: closes.totals.burned + burned };
          const tokens = Number(closes.totals.minted - closes.totals.burned);
          if (tokens > (closes.most?.tokens ?? 0)) closes.most = { day, tokens };
        }
        const token = asset(maxSupply, 0);
        expect(judgeSupply(token, days.slice(cut), closes)).toEqual(judgeSupply(token, days));
      },
    ),
  );
});
