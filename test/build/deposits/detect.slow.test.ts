/** The table of deposit addresses from files, whatever their shares and parts, against the slow reference. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { detectDeposits } from "../../../builder/build/deposits/detect.ts";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { formatDeposits } from "../../../builder/input/labels/deposit-table.ts";
import { surveyInput } from "../../../builder/input/survey.ts";
import { timeLimit, tries } from "../../effort.ts";
import { economies } from "../../engine/deposits/economies.ts";
import { newFolder } from "../../folders.ts";
import { referenceDeposits } from "../../reference/deposits.ts";
import { HUM_ASSET, humIsMissing, readHum } from "../../reference/hum.ts";
import type { Token } from "../../reference/reference.ts";
import { TokenFolder } from "../checkpoint/nights.ts";

/** The table as text, by the slow reference. */
function expectedTable(token: Token): string {
  const lines = referenceDeposits(token).map(({ address, exchange, since, sends, sent }) => {
    const digits = String(sent).padStart(token.decimals + 1, "0");
    const whole = digits.slice(0, -token.decimals);
    const part = digits.slice(-token.decimals).replace(/0+$/, "");
    const time = `${new Date(since * 1000).toISOString().slice(0, 19)}Z`;
    return `${address},${exchange},${time},${sends},${part === "" ? whole : `${whole}.${part}`}\n`;
  });
  return `address,exchange,since,sends,tokens\n${lines.join("")}`;
}

async function tableOf(path: string, rows: number, parts: number): Promise<string> {
  const asset = await readAsset(path);
  const survey = await surveyInput(asset, await digestInput(asset));
  const sizes = { rows: () => rows, parts: () => parts };
  const found = await detectDeposits(asset, survey, { folder: newFolder(), memory: 2 ** 29, threads: 1, sizes });
  return formatDeposits(found, asset.decimals);
}

it("is that of the slow reference", { timeout: timeLimit(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      economies(),
      fc.constantFrom(2, 7, 1_000),
      fc.constantFrom(1, 2, 4),
      async (token, rows, parts) => {
        const folder = new TokenFolder(token, "TOK");
        try {
          folder.csv("transfers-1.csv", token.transfers.toReversed());
          folder.prices([[1, 1]]);
          const path = folder.asset({ asOf: new Date(token.asOf * 1000).toISOString() });
          expect(await tableOf(path, rows, parts)).toBe(expectedTable(token));
        } finally {
          folder.close();
        }
      },
    ),
    { numRuns: tries(12) },
  );
});

it("of HUM is what an independent program has found", { timeout: timeLimit(120_000) }, async ({ skip }) => {
  const missing = humIsMissing();
  if (missing) return skip(missing);
  const expected = expectedTable(readHum());
  expect(await tableOf(HUM_ASSET, 1_000_000, 1)).toBe(expected);
  expect(await tableOf(HUM_ASSET, 10_000, 4)).toBe(expected);
  const exchanges = expected
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[1]!);
  const counts = Object.fromEntries(
    [...new Set(exchanges)].map((name) => [name, exchanges.filter((one) => one === name).length]),
  );
  expect(counts).toEqual({ ftx: 717, coinone: 254, gopax: 244, digifinex: 23 });
});
