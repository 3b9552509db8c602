/** `soprano fetch --store`: nights on machines without a disk of their own, over R2's S3 API. */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sopranoIn } from "../commands/soprano.ts";
import { BUCKET, startFilesS3 } from "../store/s3.ts";
import { fakeEconomy, type Row, ZERO_ADDRESS } from "./chain/fake-chain.ts";
import { FakeNode, startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

/** Every file of the inputs, but for pages in flight. */
const inputsOf = ({ inputs }: FetchFolder) =>
  Object.fromEntries(
    (readdirSync(inputs, { recursive: true }) as string[])
      .filter((name) => /\.\w+$/.test(name) && !name.startsWith(".part"))
      .sort()
      .map((name) => [name, readFileSync(join(inputs, name)).toString("base64")]),
  );

it.each([
  { what: "each night continues", heads: [24 * 60, 24 * 63 + 5, 24 * 65], hours: [] },
  {
    what: "each hour continues",
    heads: [24 * 60 + 3, 24 * 60 + 4, 24 * 60 + 9, 24 * 61 + 2, 24 * 62],
    hours: ["--hours"],
  },
])("$what from the bucket, as a machine with a disk does", async ({ heads, hours }) => {
  const s3 = await startFilesS3();
  onTestFinished(() => s3.close());
  const { chain } = fakeEconomy({ blocks: 24 * 70, transfers: 2_000, interval: 3600, confirmations: 0 });
  const keys = { labels: "default" };
  const [kept, fresh] = [new FetchFolder(chain.token.address, keys), new FetchFolder(chain.token.address, keys)];
  const night = async (head: number, folder: FetchFolder, ...args: string[]) => {
    chain.head = head;
    const node = await new FakeNode(chain).start();
    onTestFinished(() => node.stop());
    const variables = { ...s3.environment, SOPRANO_RPC_URL: node.url };
    const outcome = await sopranoIn(variables, "fetch", folder.asset, "--check", "none", ...hours, ...args);
    expect(outcome).toMatchObject({ status: 0 });
    return outcome;
  };
  const store = ["--store", `r2://${BUCKET}`];
  // A machine that is used now and then: what it has is older.
  const seldom = new FetchFolder(chain.token.address, keys);
  for (const [index, head] of heads.entries()) {
    rmSync(fresh.inputs, { recursive: true, force: true });
    const before = s3.requests.length;
    await night(head, fresh, ...store);
    await night(head, kept);
    expect(inputsOf(fresh)).toEqual(inputsOf(kept));
    expect(Object.keys(inputsOf(fresh))).toContain("exchanges.csv");
    const written = s3.requests
      .slice(before)
      .filter(({ method }) => method === "PUT")
      .map(({ path }) => path);
    expect(written.at(-1)).toMatch(/^\/inputs\/FAKE\/inputs\.json/);
    if (index % 3 > 0) continue;
    await night(head, seldom, ...store);
    expect(inputsOf(seldom)).toEqual(inputsOf(kept));
  }
  const before = s3.requests.length;
  await night(heads.at(-1)!, fresh, ...store);
  expect(s3.requests.slice(before).filter(({ method }) => method !== "GET")).toEqual([]);
  expect(s3.requests.every(({ path }) => /inputs(\/|%2F)FAKE/.test(path))).toBe(true);
});

it("a repair without --store is not undone by a fetch with it, and its advice repairs the bucket", async () => {
  const s3 = await startFilesS3();
  onTestFinished(() => s3.close());
  const { chain, rows } = fakeEconomy({ blocks: 24 * 10, transfers: 200, interval: 3600, confirmations: 0 });
  chain.head = 24 * 8 + 3;
  const isMove = ({ block, value, from, to }: Row) =>
    block > 24 * 6 && value > 0n && from !== to && from !== ZERO_ADDRESS;
  const [good, bad] = await Promise.all([
    startFakeNode(chain),
    startFakeNode(chain, { omits: new Set([rows.findIndex(isMove)]) }),
  ]);
  const [here, fresh] = [new FetchFolder(chain.token.address), new FetchFolder(chain.token.address)];
  const run = ({ url }: FakeNode, folder: FetchFolder, ...args: string[]) =>
    sopranoIn({ ...s3.environment, SOPRANO_RPC_URL: url }, "fetch", folder.asset, ...args);
  const store = ["--store", `r2://${BUCKET}`];
  expect(await run(bad, here, "--check", "none", ...store)).toMatchObject({ status: 0 });
  const wrong = here.files();
  expect(await run(good, here, "--repair")).toMatchObject({ status: 0 });
  const repaired = here.files();
  expect(repaired).not.toEqual(wrong);

  const refused = await run(good, here, ...store);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/was repaired here, .* again with --repair/),
  ]);
  expect(here.files()).toEqual(repaired);
  expect(await run(good, here, "--repair", ...store)).toMatchObject({ status: 0 });
  expect(await run(good, fresh, ...store)).toMatchObject({ status: 0 });
  for (const folder of [here, fresh]) expect(folder.files()).toEqual(repaired);
});
