import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { readInput } from "../in-memory/input.ts";

const HUM = join(import.meta.dirname, "../../../shared/data/hum/asset.json");

test("HUM is read whole", { timeout: 60_000 }, async ({ skip }) => {
  skip(!existsSync(HUM), "the shared data of HUM is not here");
  const asset = await readAsset(HUM);
  const { history, prices, groups, asOf, report } = await readInput(asset);
  expect(history.rows).toBe(30_389);
  expect(report).toMatchObject({ rowsRead: 30_389, duplicates: 0, skippedOtherContracts: 0, skippedAfterAsOf: 0 });
  expect(report.notices).toEqual([]);
  expect(report.files.map(({ role, file, rows }) => [role, file, rows])).toEqual([
    ["transfers", "transfers.csv", 30_389],
    ["prices", "prices.csv", 301],
    ["exchanges", "exchanges.csv", 5],
    ["contracts", "contracts.csv", 8],
  ]);
  expect(asOf).toBe(Date.UTC(2022, 11, 28) / 1000);
  expect([history.block[0], history.block[30_388]]).toEqual([8_345_679, 16_273_318]);
  expect(prices.timestamp.length).toBe(301);
  expect(groups.filter((group) => group > 0).length).toBe(13);

  // Minted − burned, as the data's own notes have it.
  let supply = 0n;
  for (let row = 0; row < history.rows; row++) {
    let value = 0n;
    for (let word = history.valueWords - 1; word >= 0; word--) {
      value = (value << 32n) | BigInt(history.values[row * history.valueWords + word]!);
    }
    if (history.from[row] === 0) supply += value;
    if (history.to[row] === 0) supply -= value;
  }
  expect(Number(supply / 10n ** 16n) / 100).toBe(1_084_734_273.38);
});
