/** Shipped kinds as cohorts: a build with them is one with the same lists as files. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { computeBuildId } from "../../../builder/input/asset/build-id.ts";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { readKinds, shippedKinds } from "../../../builder/input/labels/shipped-kinds.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { listedOwn } from "../../../data-schema/stored.ts";
import type { Token } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { partIn } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "../checkpoint/nights.ts";

const ZERO = `0x${"0".repeat(40)}`;
const ALICE = `0x${"a1".repeat(20)}`;
const DAY = 86_400;
const START = 1_577_836_800;

const rows = await readKinds(shippedKinds("ethereum").path);
const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ address }) => address);

const moves: [from: string, to: string, value: bigint][] = [
  [ZERO, ALICE, 1_000n],
  [ALICE, of("dex")[7]!, 300n],
  [ALICE, of("lending")[3]!, 200n],
  [of("dex")[7]!, of("burn")[2]!, 50n],
];

const token: Token = {
  decimals: 0,
  maxSupply: "1000",
  asOf: START + 10 * DAY,
  transfers: moves.map(([from, to, value], i) => ({
    block: 10 + i,
    logIndex: 0,
    timestamp: START + i * DAY,
    from,
    to,
    value,
  })),
  prices: [[START - DAY, 2]],
  exchanges: {},
  contracts: [],
};

function folder(keys: Record<string, unknown>, whole: Token = token) {
  const files = new TokenFolder(whole, "TOK");
  files.prices(token.prices);
  files.csv("transfers-1.csv", whole.transfers);
  for (const kind of ["dex", "lending", "vesting"]) files.write(`${kind}.csv`, ["address", ...of(kind)].join("\n"));
  return { files, path: files.asset({ asOf: new Date(token.asOf * 1000).toISOString(), ...keys }) };
}

/** Every own series of a build, and the manifest's lists. */
async function built(keys: Record<string, unknown>, whole?: Token) {
  const { files, path } = folder(keys, whole);
  try {
    const store = new MemoryStore();
    const report = await runBuild(store, path);
    const manifest = await activeManifest(store, "TOK");
    const series: unknown[] = [];
    for (const { key, metric, resolution } of listedOwn(manifest)) {
      const { bytes } = (await partIn(store, key))!;
      for (const { selector, t, v } of decodeSeries(bytes)) series.push([metric, resolution, selector, [...t], [...v]]);
    }
    return { report, cohorts: manifest.cohorts, series };
  } finally {
    files.close();
  }
}

const SHIPPED = { dex: "shipped", lending: "shipped", vesting: "shipped" };
const AS_FILES = { dex: "dex.csv", lending: "lending.csv", vesting: "vesting.csv" };

describe("a shipped list", () => {
  it("gives what the same list gives as a file", async () => {
    const [shipped, files] = [await built({ cohorts: SHIPPED }), await built({ cohorts: AS_FILES })];
    expect(shipped.cohorts).toEqual(files.cohorts);
    expect(shipped.cohorts).toMatchObject({
      "@dex": { addresses: of("dex").length, holders: 1 },
      "@lending": { holders: 1 },
      "@vesting": { holders: 0 },
    });
    expect(shipped.series).toEqual(files.series);
    expect(shipped.series.length).toBeGreaterThan(50);
  });

  it("is empty on a chain that nothing ships for, and the survey says so", async () => {
    const { cohorts } = await built({ cohorts: SHIPPED, chain: "my-chain" });
    expect(cohorts).toMatchObject({ "@dex": { addresses: 0, holders: 0 }, "@vesting": { addresses: 0, holders: 0 } });
  });

  it("has another identity than its table as a plain list", async () => {
    const { files, path } = folder({ cohorts: { dex: "shipped" } });
    const asset = await readAsset(path);
    const input = await digestInput(asset);
    expect(input.find(({ role }) => role === "@dex")!.file).toMatchObject({
      name: "shipped/ethereum.csv",
      kind: "dex",
    });
    const plain = { ...asset, cohorts: [{ name: "dex", path: "any.csv" }] };
    const ids = [asset, plain].map((one) => computeBuildId(one, token.asOf, input));
    expect(ids[0]).not.toBe(ids[1]);
    const { cohorts: _, ...without } = asset;
    expect(computeBuildId(without, token.asOf, input)).toBe(ids[1]);
    files.close();
  });

  it("of deposit addresses is the table that the build goes by, computed or given", async () => {
    const deposit = `0x${"d1".repeat(20)}`;
    const paid: Token = {
      ...token,
      transfers: [
        ...token.transfers,
        ...[
          [ALICE, deposit],
          [deposit, `0x${"e1".repeat(20)}`],
        ].map(([from, to], i) => ({
          ...{ block: 100 + i, logIndex: 0, timestamp: START + 5 * DAY + i, value: 10n },
          ...{ from: from!, to: to! },
        })),
      ],
      exchanges: { [`0x${"e1".repeat(20)}`]: "okx" },
    };
    const keys = { cohorts: { deposits: "shipped", team: "dex.csv" } };
    const found = await built({ ...keys, deposits: "detect" }, paid);
    expect(found.cohorts).toMatchObject({ "@deposits": { addresses: 1, holders: 0 }, "@team": { holders: 1 } });
    expect(found.series).toContainEqual(["@deposits", "day", "volume", [START + 5 * DAY], [10]]);
    const named = folder({}, paid);
    named.files.write("table.csv", `address,exchange\n${deposit},okx\n`);
    const given = await built({ ...keys, deposits: join(named.files.path, "table.csv") }, paid);
    named.files.close();
    expect(given.series).toEqual(found.series);
    await expect(built({ ...keys, deposits: "none" }, paid)).rejects.toThrow(
      '"cohorts.deposits" is "shipped", but the asset has no deposit addresses: add "deposits": "detect".',
    );
  });

  it("of an asset with a source is asked for by name until fetch has placed it", async () => {
    const source = { chainId: 1, firstBlock: 1, events: "erc20" };
    const { files, path } = folder({ cohorts: { dex: "shipped" }, source });
    const asset = await readAsset(path);
    await expect(digestInput({ ...asset, contracts: [], labels: [] })).rejects.toThrow(
      `${path}: "cohorts.dex" is shipped, but inputs/TOK/kinds.csv is not there yet: run \`soprano fetch ${path}\``,
    );
    files.close();
  });
});
