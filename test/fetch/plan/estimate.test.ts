import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Estimate,
  estimateFrom,
  estimateText,
  type Probe,
  refuseTooLong,
} from "../../../builder/fetch/plan/estimate.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { fakeEconomy } from "../chain/fake-chain.ts";
import { FakeNode } from "../chain/fake-node.ts";
import { startPortal } from "../chain/portal-server.ts";
import { FetchFolder } from "../fetching.ts";

const probe = (fields: Partial<Probe>): Probe => ({
  blocks: 1_000,
  logs: 100,
  bytes: 60_000,
  pageBlocks: 1_000,
  isLimited: true,
  ...fields,
});

describe("estimateFrom", () => {
  it("adds up equal shares of the history", () => {
    const quiet = probe({});
    const busy = probe({ blocks: 100, logs: 1_000, bytes: 600_000, pageBlocks: 50 });
    // 5,000 blocks at 1,000 a request and 5,000 at 50; a log in ten blocks, then ten a block.
    expect(estimateFrom([quiet, busy], 10_000, 3)).toEqual({
      blocks: 10_000,
      requests: 105,
      transfers: 50_500,
      bytes: 30_300_000,
      pageBlocks: 95,
      requestsPerSecond: 3,
      seconds: 37,
    });
  });

  it("lets pages grow where nothing limits them", () => {
    expect(estimateFrom([probe({ isLimited: false })], 1_000_000, 1).requests).toBe(20);
    expect(estimateFrom([probe({ isLimited: false, logs: 1_000 })], 1_000_000, 1).requests).toBe(200);
    expect(estimateFrom([probe({ isLimited: false, logs: 0 })], 50_000, 1).requests).toBe(1);
  });
});

describe("refuseTooLong", () => {
  const long: Estimate = {
    blocks: 2_300_000,
    requests: 230_000,
    transfers: 1,
    bytes: 1,
    pageBlocks: 10,
    requestsPerSecond: 3,
    seconds: 76_667,
  };

  it("shows the arithmetic of more than a day", () => {
    expect(() => refuseTooLong(long, "HUM")).not.toThrow();
    expect(() => refuseTooLong({ ...long, blocks: 4_600_000, requests: 460_000, seconds: 153_333 }, "HUM")).toThrow(
      "HUM would take about 43 hours: 4,600,000 blocks at 10 a request are 460,000 requests, and the nodes answer about 3.0 " +
        "a second. Add nodes with --rpc, fetch from SQD's portal with --source portal, or go ahead with --yes.",
    );
  });

  it("does not mind small pages", () => {
    expect(() => refuseTooLong({ ...long, pageBlocks: 1 }, "HUM")).not.toThrow();
  });
});

it("says durations in a fitting unit", () => {
  const text = (seconds: number) => estimateText({ ...estimateFrom([probe({})], 1_000, 1), seconds });
  expect(text(30)).toBe("about 100 transfers in 1 request, 0.1 MB and 30 seconds");
  expect(text(600)).toMatch(/ 10 minutes$/);
  expect(text(90_000)).toMatch(/ 25 hours$/);
});

describe("soprano fetch --dry-run", () => {
  it("estimates without fetching, also at one request a second", async () => {
    const { chain, rows } = fakeEconomy({ blocks: 200_000, transfers: 2_000, interval: 60, confirmations: 0 });
    const node = await new FakeNode(chain, { maxBlocks: 500 }).start();
    onTestFinished(() => node.stop());
    const folder = new FetchFolder(chain.token.address);
    const { status, stdout } = await folder.fetch([node.url], "--dry-run");
    expect(status).toBe(0);
    const [, transfers, requests] =
      stdout.match(/^FAKE, up to 2020-05-18T00:00:00Z: about ([\d,]+) transfers in ([\d,]+) requests, /) ?? [];
    // 199,900 blocks at 250 to 500 a request, since pages are halved.
    expect(Number(requests!.replace(",", ""))).toBeGreaterThan(390);
    expect(Number(requests!.replace(",", ""))).toBeLessThan(1_600);
    expect(Number(transfers!.replace(",", ""))).toBeGreaterThan(rows.length / 3);
    expect(Number(transfers!.replace(",", ""))).toBeLessThan(rows.length * 3);
    expect(node.requests).toBeLessThan(200);
    expect(folder.hasRecord).toBe(false);
  });

  it.each([
    { blocks: 200_000, transfers: 2_000, interval: 60, maxBlocks: 500 },
    { blocks: 400_000, transfers: 8_000, interval: 60 },
    { blocks: 20_000, transfers: 500, interval: 3600 },
  ])("counts the requests and bytes of the fetch within a factor of two: %j", async ({ maxBlocks, ...economy }) => {
    const { chain } = fakeEconomy({ ...economy, confirmations: 0 });
    const node = await new FakeNode(chain, maxBlocks === undefined ? {} : { maxBlocks }).start();
    onTestFinished(() => node.stop());
    const folder = new FetchFolder(chain.token.address);
    const factor = (estimated: number, real: number) => Math.max(estimated / real, real / estimated);
    const numbersOf = (text: string) =>
      /([\d,]+) requests, ([\d.]+) MB/
        .exec(text)!
        .slice(1)
        .map((number) => Number(number.replaceAll(",", "")));
    const [requests, megabytes] = numbersOf((await folder.fetch([node.url], "--dry-run")).stdout);
    const [sent, received] = numbersOf((await folder.fetch([node.url])).stderr);
    expect(factor(requests!, sent!)).toBeLessThan(2);
    expect(factor(megabytes!, received!)).toBeLessThan(2);
  });

  /** Where transfers are, by a random number from 0 to 1. */
  const activities: [string, (random: number) => number][] = [
    ["even", (random) => random],
    ["falling from the beginning on", (random) => random ** 6],
    ["that ends early", (random) => random * 0.03],
    ["that begins with half of all", (random) => (random < 0.5 ? random * 0.004 : 2 * random - 1)],
    ["of which half is in the first block", (random) => (random < 0.5 ? 0 : 2 * random - 1)],
    ["rising to the end", (random) => 1 - (1 - random) ** 6],
    ["that begins late", (random) => 1 - random * 0.03],
    ["of some weeks in the middle", (random) => 0.4 + random * 0.15],
  ];

  it.each(activities)("is right within a factor of two for activity %s", async (_, activity) => {
    const { chain, rows } = fakeEconomy({
      blocks: 400_000,
      transfers: 8_000,
      interval: 60,
      confirmations: 0,
      activity,
    });
    const node = await new FakeNode(chain, { maxBlocks: 2_000 }).start();
    onTestFinished(() => node.stop());
    const folder = new FetchFolder(chain.token.address);
    const { stdout } = await folder.fetch([node.url], "--dry-run");
    const numbers =
      /: about ([\d,]+) transfers in .*?(?:; activity varies: from ([\d,]+) to ([\d,]+) transfers)?\n$/.exec(stdout);
    const [transfers, fewest, most] = numbers!.slice(1).map((text) => text && Number(text.replaceAll(",", "")));
    expect(transfers).toBeGreaterThan(rows.length / 2);
    expect(transfers).toBeLessThan(rows.length * 2);
    expect(fewest ?? 0).toBeLessThanOrEqual(rows.length);
    expect(most ?? rows.length).toBeGreaterThanOrEqual(rows.length);
    expect(node.requests).toBeLessThan(200);
  });

  it("counts the portal's streams", async () => {
    const { chain } = fakeEconomy({ blocks: 200_000, transfers: 2_000, interval: 60, confirmations: 0 });
    const node = await new FakeNode(chain).start();
    onTestFinished(() => node.stop());
    const portal = await startPortal(chain, { dataset: "ethereum-mainnet", last: chain.head });
    const folder = new FetchFolder(chain.token.address);
    const variables = { SOPRANO_PORTAL_URL: portal.url, SOPRANO_RPC_URL: node.url };
    const { stdout } = await sopranoIn(variables, "fetch", folder.asset, "--source", "portal", "--dry-run");
    expect(stdout).toMatch(/: about [\d,]+ transfers in \d\d requests, 0\.\d MB and \d seconds?\n$/);
  });

  it("says that there is nothing new", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 100, interval: 3600, confirmations: 0 });
    const node = await new FakeNode(chain).start();
    onTestFinished(() => node.stop());
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([node.url], "--check", "none");
    expect((await folder.fetch([node.url], "--dry-run")).stdout).toBe(
      "FAKE, up to 2020-02-10T00:00:00Z: nothing new\n",
    );
  });
});
