import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { type PlaceKindsOptions, placeKinds, withPools } from "../../../builder/fetch/labels/place-kinds.ts";
import { formatKinds, type KindRow, readKinds, shippedKinds } from "../../../builder/input/labels/shipped-kinds.ts";
import { scratchFolder } from "../../folders.ts";
import { FakeChain } from "../chain/fake-chain.ts";
import { startFakeNode } from "../chain/fake-node.ts";

const TOKEN = { address: `0x${"70".repeat(20)}`, name: "T", symbol: "T", decimals: 0 };
const POOL = `0x${"9a".repeat(20)}`;

/** An asset of a chain whose factories nobody knows, so that no pool is looked for. */
async function asset(chainId: number) {
  const { url } = await startFakeNode(new FakeChain({ head: 1_000, token: TOKEN, logs: [] }), { chainId });
  const nodes = await openNodes([url]);
  onTestFinished(() => nodes.close());
  const folder = scratchFolder();
  const path = join(folder, "kinds.csv");
  const first = { nodes, folder, contract: TOKEN.address, chainId, prices: undefined, placed: undefined };
  const place = async (options: Partial<PlaceKindsOptions> = {}) => {
    const { csv, ...placed } = await placeKinds({ ...first, recheck: false, day: "2026-11-20", ...options });
    if (csv !== undefined) writeFileSync(path, csv);
    return placed;
  };
  return { path, place, text: () => readFileSync(path, "utf8") };
}

const shippedText = (chain: string) => readFileSync(shippedKinds(chain).path, "utf8");

it("the first fetch takes today's table, and later ones keep what is there", async () => {
  const { path, place, text } = await asset(43_114);
  expect(await place()).toEqual({ version: "avalanche-2026-11", notices: [] });
  expect(text()).toBe(shippedText("avalanche"));
  writeFileSync(path, "older");
  expect(await place({ placed: "avalanche-2019-01" })).toEqual({ version: "avalanche-2019-01", notices: [] });
  expect(text()).toBe("older");
});

it("a recheck replaces the table, and says how much of it has changed", async () => {
  const { path, place, text } = await asset(43_114);
  await place();
  const rows = await readKinds(path);
  writeFileSync(path, formatKinds([...rows.slice(3), { ...rows[0]!, address: `0x${"ff".repeat(20)}`, kind: "dex" }]));
  expect(await place({ placed: "avalanche-2019-01", recheck: true })).toEqual({
    version: "avalanche-2026-11",
    notices: [
      "Kinds of contracts avalanche-2026-11 replace avalanche-2019-01: 3 addresses new, 1 gone. The next build replays the " +
        "cohorts that have changed.",
    ],
  });
  expect(text()).toBe(shippedText("avalanche"));
  expect((await place({ placed: "avalanche-2026-11", recheck: true })).notices).toEqual([
    "The kinds of contracts have not changed since avalanche-2026-11.",
  ]);
  writeFileSync(path, "damaged");
  expect((await place({ placed: "avalanche-2026-11", recheck: true })).notices).toHaveLength(1);
});

it("on a chain that nothing ships for, the table is empty but for the token's pools", async () => {
  const { place, text } = await asset(424_242);
  expect(await place()).toEqual({
    version: "none",
    notices: ["Soprano ships no kinds of contracts for chain 424242."],
  });
  expect(text()).toBe("address,kind,name,source,date\n");
  await place({ prices: { pools: [{ address: POOL, kind: "uniswap-v2", quoteUsd: 1 }] } });
  expect(text()).toBe(`address,kind,name,source,date\n${POOL},dex,uniswap-v2 pool of the token,asset,2026-11-20\n`);
});

it("pools are exchanges, each once, in their place; one that ships as such keeps its name", () => {
  const row = (byte: string, kind: KindRow["kind"]): KindRow => ({
    address: `0x${byte.repeat(20)}`,
    kind,
    name: `shipped ${byte}`,
    source: "s",
    date: "2026-01-01",
  });
  const pool = (byte: string) => ({ address: `0x${byte.repeat(20)}`, kind: "uniswap-v3" as const, quote: "WETH" });
  const shipped = [row("11", "dex"), row("33", "staking"), row("55", "burn")];
  const rows = withPools(shipped, [pool("44"), pool("11"), pool("33"), pool("44")], "2026-11-20");
  expect(rows.map(({ address, kind, source }) => [address.slice(2, 4), kind, source])).toEqual([
    ["11", "dex", "s"],
    ["33", "dex", "factory"],
    ["33", "staking", "s"],
    ["44", "dex", "factory"],
    ["55", "burn", "s"],
  ]);
  expect(rows[3]).toMatchObject({ name: "uniswap-v3 pool of the token against WETH", date: "2026-11-20" });
});

it("nothing is written by itself", async () => {
  const { path, place } = await asset(43_114);
  await place({ placed: "avalanche-2026-11" });
  expect(existsSync(path)).toBe(false);
});
