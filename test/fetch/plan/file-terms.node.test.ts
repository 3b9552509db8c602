import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakeEconomy } from "../chain/fake-chain.ts";
import { startFakeNode } from "../chain/fake-node.ts";
import { FetchFolder } from "../fetching.ts";

const [ONE, TWO, THREE] = [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}`);

/** An asset of 30 days that has been fetched, and a node that has 40; a block an hour. */
async function fetched(source: Record<string, unknown> = {}) {
  const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 500, interval: 3600, confirmations: 0 });
  chain.head = 24 * 30;
  const { url } = await startFakeNode(chain);
  const folder = new FetchFolder(chain.token.address, source);
  writeFileSync(join(folder.path, "opening.csv"), `address,value\n${ONE},5\n`);
  expect(await folder.fetch([url], "--check", "none")).toMatchObject({ status: 0 });
  chain.head = 24 * 40;
  return { folder, fetch: () => folder.fetch([url], "--check", "none") };
}

const owners = (...list: [number, string | undefined][]) =>
  list.map(([fromBlock, address]) => ({ fromBlock, address }));
const TETHER = { events: "issue-redeem", owners: owners([100, ONE], [300, TWO]) };

describe("a fetch by other terms than the files", () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, RegExp]>([
    [
      "other events",
      {},
      { events: "weth9" },
      /"events" is weth9, but .*FAKE was fetched for erc20\. Correct it, or remove that folder to fetch everything again\./,
    ],
    [
      "another owner",
      TETHER,
      { owners: owners([100, ONE], [300, THREE]) },
      /"owners" is 0x1{40} from block 100 on, 0x3{40} from block 300 on, but .* for 0x1{40} from block 100 on, 0x2{40} from/,
    ],
    ["one owner less", TETHER, { owners: owners([100, ONE]) }, /"owners" is 0x1{40} from block 100 on, but/],
    [
      "one more owner of old blocks",
      TETHER,
      { owners: owners([100, ONE], [300, TWO], [24 * 30 - 1, THREE]) },
      /"owners" is .* 0x3{40} from block 719 on, but/,
    ],
    [
      "opening balances where there were none",
      {},
      { openingBalances: "opening.csv" },
      /"openingBalances" is a table with the SHA-256 [0-9a-f]{64}, but .* was fetched for none/,
    ],
  ])("is refused for %s", async (_, before, after, message) => {
    const { folder, fetch } = await fetched(before);
    const [files, record] = [folder.files(), folder.record];
    folder.change(after);
    const outcome = await fetch();
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(message);
    expect(folder.files()).toEqual(files);
    expect(folder.record).toEqual(record);
    folder.change({});
    expect(await fetch()).toMatchObject({ status: 0 });
  });

  it("is refused for an opening balance that has changed, but not for another way to write it", async () => {
    const { folder, fetch } = await fetched({ openingBalances: "opening.csv" });
    const path = join(folder.path, "opening.csv");
    writeFileSync(path, `address,value\n${ONE},6\n`);
    expect((await fetch()).stderr).toMatch(/"openingBalances" is a table with the SHA-256 .*, but .* the SHA-256 /);
    writeFileSync(path, `address,value\r\n${ONE}, 5\r\n`);
    expect(await fetch()).toMatchObject({ status: 0 });
  });

  it("takes further owners, and records them", async () => {
    const { folder, fetch } = await fetched(TETHER);
    const more = owners([100, ONE], [300, TWO], [24 * 30, THREE]);
    folder.change({ owners: more });
    expect(await fetch()).toMatchObject({ status: 0 });
    expect(folder.record).toMatchObject({
      terms: { events: "issue-redeem", owners: more },
      asOf: "2020-02-10T00:00:00Z",
    });
  });
});
