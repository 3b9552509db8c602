/** What a contract says of itself is compared with ASSET.json each night. requests.node.test.ts counts what that takes. */

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readAssetToBuild } from "../../builder/input/fetched/fetched-asset.ts";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

const DAY = 24;
const DECIMALS = "0x313ce567";

/** An asset that has been fetched up to a day; the chain goes on after it. */
async function fetched(token: { symbol?: string } = {}, asset = {}) {
  const { chain } = fakeEconomy({ blocks: 10 * DAY, transfers: 60, holders: 8, interval: 3600, confirmations: 0 });
  Object.assign(chain.token, token);
  chain.head = 5 * DAY;
  const node = await startFakeNode(chain);
  const folder = new FetchFolder(chain.token.address, {}, asset);
  const fetch = () => folder.fetch([node.url]);
  const first = await fetch();
  const edit = (change: object) => {
    const file = JSON.parse(readFileSync(folder.asset, "utf8"));
    writeFileSync(folder.asset, JSON.stringify({ ...file, ...change }));
  };
  return { chain, folder, fetch, first, edit };
}

it.each([17, 19, 0])(
  "refuses %i decimals in place of 18, also after the fetch, and where nothing is new",
  async (decimals) => {
    const wrong = new RegExp(`"decimals" is ${decimals}, but the contract says 18\\. Correct it\\.`);
    expect((await fetched({}, { decimals })).first).toMatchObject({ status: 1, stderr: expect.stringMatching(wrong) });
    const { folder, fetch, first, edit, chain } = await fetched();
    expect(first).toMatchObject({ status: 0 });
    edit({ decimals });
    await expect(readAssetToBuild(folder.asset)).rejects.toThrow(wrong);
    expect(await fetch()).toMatchObject({ status: 1, stderr: expect.stringMatching(wrong) });
    chain.head += DAY;
    expect(await fetch()).toMatchObject({ status: 1, stderr: expect.stringMatching(wrong) });
    edit({ decimals: 18 });
    expect(await fetch()).toMatchObject({ status: 0 });
    expect((await readAssetToBuild(folder.asset)).decimals).toBe(18);
  },
);

it("finds a contract that has changed its decimals, and goes on once ASSET.json has", async () => {
  const { chain, fetch, edit, folder } = await fetched();
  chain.token.decimals = 6;
  chain.head += DAY;
  const files = Object.keys(folder.files());
  expect(await fetch()).toMatchObject({ status: 1, stderr: expect.stringMatching(/"decimals" is 18, but .* says 6/) });
  expect(Object.keys(folder.files())).toEqual(files);
  edit({ decimals: 6 });
  expect(await fetch()).toMatchObject({ status: 0 });
  expect(folder.record.check).toMatchObject({ status: "passed", decimals: 6 });
  expect(await readAssetToBuild(folder.asset)).toMatchObject({ decimals: 6 });
});

it("believes ASSET.json where the contract says nothing", async () => {
  const { chain, folder, edit } = await fetched();
  edit({ decimals: 9 });
  chain.head += DAY;
  const silent = await startFakeNode(chain, { lies: { call: (_, data, right) => (data === DECIMALS ? "0x" : right) } });
  expect(await folder.fetch([silent.url], "--repair")).toMatchObject({ status: 0 });
  expect(folder.record.check).not.toHaveProperty("decimals");
  expect(await readAssetToBuild(folder.asset)).toMatchObject({ decimals: 9 });
});

const NOTICE = /The contract's symbol is "[^"]*"; .*FAKE\.json calls it FAKE\./;

it.each([
  ["FAKE", undefined],
  ["fake", undefined],
  ["F₮AKE", undefined],
  ["", undefined],
  ["USD₮0", "USD₮0"],
  ["OTHER\n\u202e", "OTHER"],
])("a contract that calls itself %j is mentioned once, if it is another name", async (symbol, recorded) => {
  const { chain, fetch, first, folder } = await fetched({ symbol });
  expect(first).toMatchObject({ status: 0 });
  if (recorded === undefined) expect(first.stderr).not.toMatch(NOTICE);
  else expect(first.stderr.match(NOTICE)![0]).toContain(`"${recorded}"`);
  expect(folder.record.check?.symbol).toBe(recorded);
  chain.head += DAY;
  expect((await fetch()).stderr).not.toMatch(NOTICE);
  chain.token.symbol = "NEW";
  chain.head += DAY;
  expect((await fetch()).stderr).toContain(`The contract's symbol is "NEW"`);
});
