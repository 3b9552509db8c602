import { writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { Folder } from "../folder.ts";

const POOL = { address: `0x${"Aa".repeat(20)}`, kind: "uniswap-v2", quoteUsd: 1 };
const OWNERS = [{ fromBlock: 1, address: `0x${"0F".repeat(20)}` }];
const SOURCE = { chainId: 1, firstBlock: 8_377_500, events: "erc20" };

/** An ASSET.json with a source and without transfers. */
const asset = (source: object, keys: object = {}) => new Folder().asset({ transfers: undefined, source, ...keys });

test("a source names the inputs that fetch brings", async () => {
  expect(await readAsset(asset({ ...SOURCE, prices: { pools: [POOL] } }))).toMatchObject({
    source: {
      ...SOURCE,
      labels: "default",
      prices: { pools: [{ ...POOL, address: POOL.address.toLowerCase() }] },
    },
    transfers: ["inputs/TST/transfers/*.parquet"],
    prices: ["inputs/TST/prices.csv"],
    labels: ["inputs/TST/exchanges.csv"],
    contracts: ["inputs/TST/contracts.csv"],
  });
});

test("what is not asked for is not among them", async () => {
  const read = await readAsset(asset({ ...SOURCE, labels: "none" }));
  expect(Object.keys(read).filter((key) => ["prices", "exchanges", "labels"].includes(key))).toEqual([]);
});

test("keys of the user come first", async () => {
  const own = { transfers: "mine.csv", prices: ["p.csv"], contracts: "c.csv", exchanges: "e.csv" };
  expect(await readAsset(asset({ ...SOURCE, prices: { defillama: true } }, own))).toMatchObject({
    transfers: ["mine.csv"],
    prices: ["p.csv"],
    contracts: ["c.csv"],
    exchanges: ["e.csv"],
    labels: ["inputs/TST/exchanges.csv"],
  });
});

test("prices of one's own may be stamped with the open of candles", async () => {
  const prices = { file: "own.csv", stamp: "open", period: "4h" };
  const read = { prices: ["own.csv"], priceStamp: { stamp: "open", period: "4h" } };
  expect(await readAsset(asset({ ...SOURCE, prices }))).toMatchObject(read);
  const others = await readAsset(asset({ ...SOURCE, prices }, { prices: "p.csv" }));
  expect([others.prices, others.priceStamp]).toEqual([["p.csv"], undefined]);
});

test.each([
  { prices: "prices.csv" },
  { prices: { binance: "HUMUSDT" } },
  { prices: { defillama: true } },
  { prices: { pools: [{ ...POOL, quoteUsd: { feed: POOL.address } }] } },
  { prices: { pools: [{ ...POOL, kind: "uniswap-v3", quoteUsd: { pool: POOL.address } }] } },
  { firstBlock: 0, openingBalances: "opening.csv" },
  { events: "issue-redeem", owners: [...OWNERS, { fromBlock: 9, address: POOL.address }] },
  { events: "weth9", labels: "none" },
])("%j is accepted", async (keys) => {
  const { source } = await readAsset(asset({ ...SOURCE, ...keys }));
  const lower = JSON.parse(JSON.stringify(keys), (key, value) => (key === "kind" ? value : lowerCase(value)));
  expect(source).toEqual({ ...SOURCE, labels: "default", ...lower });
});

const lowerCase = (value: unknown) => (String(value).startsWith("0x") ? String(value).toLowerCase() : value);

const PRICES =
  'must be {"pools": […]}, {"binance": "SYMBOL"}, {"defillama": true}, {"file": "prices.csv"} or the path of a CSV';
const QUOTE = 'must be a positive number of USD, {"feed": "0x…"} or {"pool": "0x…"}';
const OWNERS_RULE = "must be a list of at least one owner, as {fromBlock, address}, with ascending blocks";
const KNOWN = "chainId, firstBlock, lastBlock, events, openingBalances, owners, prices, labels";
const ADDRESS = "must be 0x and 40 hexadecimal digits";
const BLOCK = "must be a whole number from 0 to 9007199254740991";

test.each<[unknown, string]>([
  ["mainnet", '"source" must be an object'],
  [[], '"source" must be an object'],
  [{ ...SOURCE, chainId: undefined }, 'key "source.chainId" is missing; add it'],
  [{ ...SOURCE, rpc: "https://x" }, `unknown key "source.rpc"; known keys are ${KNOWN}`],
  [{ ...SOURCE, chainId: "1" }, '"source.chainId" must be a whole number from 1 to 9007199254740991'],
  [{ ...SOURCE, firstBlock: 1.5 }, `"source.firstBlock" ${BLOCK}`],
  [{ ...SOURCE, events: "erc721" }, '"source.events" must be erc20, weth9, issue-redeem, ds-token, zeppelin-burn'],
  [
    { ...SOURCE, openingBalances: "" },
    '"source.openingBalances" must be the path of a CSV with the columns address and value',
  ],
  [{ ...SOURCE, labels: "some" }, '"source.labels" must be "default" or "none"'],
  [{ ...SOURCE, prices: 5 }, `"source.prices" ${PRICES}`],
  [{ ...SOURCE, prices: {} }, `"source.prices" ${PRICES}`],
  [
    { ...SOURCE, prices: { binance: "hum/usdt" } },
    '"source.prices.binance" must be a symbol of Binance such as HUMUSDT: 3 to 30 of A–Z and 0–9',
  ],
  [
    { ...SOURCE, prices: { binance: "HUMUSDT", defillama: true } },
    'unknown key "source.prices.defillama"; known keys are binance',
  ],
  [{ ...SOURCE, prices: { defillama: false } }, '"source.prices.defillama" must be true, or left out'],
  [{ ...SOURCE, prices: { pools: [] } }, '"source.prices.pools" must be a list of at least one pool'],
  [
    { ...SOURCE, prices: { pools: [POOL, { ...POOL, address: "0x1" }] } },
    `"source.prices.pools[1].address" ${ADDRESS}`,
  ],
  [
    { ...SOURCE, prices: { pools: [POOL, { ...POOL, address: POOL.address.toUpperCase().replace("X", "x") }] } },
    '"source.prices.pools" lists a pool twice; keep one of them',
  ],
  [
    { ...SOURCE, prices: { pools: [{ ...POOL, kind: "curve" }] } },
    '"source.prices.pools[0].kind" must be uniswap-v2 or uniswap-v3 or pancakeswap-v3 or aerodrome or slipstream',
  ],
  [{ ...SOURCE, prices: { pools: [{ ...POOL, quoteUsd: 0 }] } }, `"source.prices.pools[0].quoteUsd" ${QUOTE}`],
  [{ ...SOURCE, prices: { pools: [{ ...POOL, quoteUsd: "1" }] } }, `"source.prices.pools[0].quoteUsd" ${QUOTE}`],
  [
    { ...SOURCE, prices: { pools: [{ ...POOL, quoteUsd: { feed: "0x" } }] } },
    `"source.prices.pools[0].quoteUsd.feed" ${ADDRESS}`,
  ],
  [
    { ...SOURCE, events: "issue-redeem" },
    '"source" needs "owners" with the events issue-redeem: Issue and Redeem name no owner',
  ],
  [
    { ...SOURCE, owners: OWNERS },
    '"source" must not have "owners" with the events erc20: only Issue and Redeem need them',
  ],
  [{ ...SOURCE, events: "issue-redeem", owners: [] }, `"source.owners" ${OWNERS_RULE}`],
  [{ ...SOURCE, events: "issue-redeem", owners: [...OWNERS, ...OWNERS] }, `"source.owners" ${OWNERS_RULE}`],
  [
    { ...SOURCE, events: "issue-redeem", owners: [{ fromBlock: -1, address: POOL.address }] },
    `"source.owners[0].fromBlock" ${BLOCK}`,
  ],
])("%o is refused", async (source, problem) => {
  const path = asset(source as object);
  await expect(readAsset(path)).rejects.toThrow(new Failure(`${path}: ${problem}.`));
});

describe("a key that appears twice", () => {
  const SYMBOL = '"symbol": "TST"';

  test.each([
    [`{${SYMBOL}, "source": {"chainId": 1, "chain\\u0049d": 2}}`, "source.chainId"],
    [`{"a": [1, "{", {"b": 1}, {"b": [[{}, {"c": "\\"", "c": 2}]]}]}`, "a[3].b[0][1].c"],
    [`{${SYMBOL}, "source": {"symbol": 1}, "symbol": 2}`, "symbol"],
  ])("%s", async (text, key) => {
    const path = new Folder().asset();
    writeFileSync(path, text);
    await expect(readAsset(path)).rejects.toThrow(new Failure(`${path}: key "${key}" appears twice; keep one.`));
  });

  test("is not seen where none does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const path = new Folder().asset({ name: value });
        const message = await readAsset(path).then(
          () => "",
          (error) => error.message,
        );
        expect(message).not.toMatch(/appears twice/);
      }),
    );
  });
});
