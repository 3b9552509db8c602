import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openingTransfers, readOpening } from "../../../builder/fetch/transfers/opening.ts";
import type { AssetFile } from "../../../builder/input/asset/asset.ts";
import { ALICE, BOB, hashOf, rowsOf, ZERO } from "../logs.ts";

const FIRST = { number: 100, hash: hashOf(100), parentHash: hashOf(99), time: 1_600_000_000 };

/** An asset whose opening balances are this text. */
function assetWith(text: string): AssetFile {
  const folder = mkdtempSync(join(tmpdir(), "soprano-opening-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "opening.csv"), text);
  const source = {
    chainId: 1,
    firstBlock: 100,
    events: "erc20",
    labels: "none",
    openingBalances: "opening.csv",
  } as const;
  return { path: join(folder, "TST.json"), source } as unknown as AssetFile;
}

describe("opening balances", () => {
  it("are mints of the block before the first", async () => {
    const asset = assetWith(
      `\uFEFFaddress,value\r\n${ALICE},1\r\n\r\n ${BOB.toUpperCase().replace("0X", "0x")} , ${2n ** 256n - 1n}\r\n`,
    );
    const columns = openingTransfers((await readOpening(asset))!, FIRST);
    expect(rowsOf(columns)).toEqual([
      { block: 99, logIndex: 0, time: FIRST.time, from: ZERO, to: ALICE, value: 1n },
      { block: 99, logIndex: 1, time: FIRST.time, from: ZERO, to: BOB, value: 2n ** 256n - 1n },
    ]);
  });

  it("have a digest that does not depend on how they are written", async () => {
    const digestOf = async (text: string) => (await readOpening(assetWith(text)))!.sha256;
    const digest = createHash("sha256").update(`${ALICE},1\n${BOB},2\n`).digest("hex");
    expect(await digestOf(`address,value\n${ALICE},1\n${BOB},2\n`)).toBe(digest);
    const upper = ALICE.toUpperCase().replace("0X", "0x");
    expect(await digestOf(`\uFEFFaddress,value\r\n\r\n${upper} , 1\r\n${BOB},2`)).toBe(digest);
    expect(await digestOf(`# by hand\n"address";"value"\n"${ALICE}";1\n${BOB};2\n`)).toBe(digest);
    expect(await digestOf(`address,value\n${ALICE},1\n${BOB},3\n`)).not.toBe(digest);
  });

  it.each<[string, RegExp]>([
    ["", /opening\.csv: the first line must be address,value\./],
    [`${ALICE},5\n`, /the first line must be address,value/],
    [`address,value\n${ALICE},-5\n`, /row 1, column value: "-5" is not a whole number/],
    [`address,value\n${ALICE},${2n ** 256n}\n`, /row 1, column value: .* below 2\^256/],
    [`address,value\n${ALICE},5\n0x12,5\n`, /row 2, column address: "0x12" is not 0x and 40/],
    [`address,value\n${ALICE},5\n${ALICE},6\n`, /row 2: 0xa1.* appears twice/],
    [`address,value\n${ALICE},5,6\n`, /row 1: has more than two cells/],
  ])("refuses %j by row and column", async (text, message) => {
    await expect(readOpening(assetWith(text))).rejects.toThrow(message);
  });

  it("are those of block 0, which has no logs, where that is the first", async () => {
    const opening = (await readOpening(assetWith(`address,value\n${ALICE},1\n${BOB},2\n`)))!;
    const columns = openingTransfers(opening, { ...FIRST, number: 0 });
    expect(rowsOf(columns).map(({ block, logIndex }) => [block, logIndex])).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  it("need the file", async () => {
    const asset = assetWith(`address,value\n${ALICE},1\n`);
    asset.source!.openingBalances = "none.csv";
    await expect(readOpening(asset)).rejects.toThrow(/none\.csv \(openingBalances\) can't be read \(ENOENT\)/);
    delete asset.source!.openingBalances;
    expect(await readOpening(asset)).toBeUndefined();
  });
});
