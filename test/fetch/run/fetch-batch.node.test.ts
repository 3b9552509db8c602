/** Nights of several assets: what they ask together, and that each has the files of a fetch by itself, whatever fails. */

import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { SELECTORS } from "../../../builder/fetch/chain/selectors.ts";
import type { FetchReport } from "../../../builder/fetch/run/fetch-report.ts";
import type { Fetched } from "../../../builder/input/fetched/fetched.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { newFolder, scratchFolder } from "../../folders.ts";
import { outcome, start } from "../../soprano-process.ts";
import { BUCKET, startFilesS3 } from "../../store/s3.ts";
import { fakeEconomies, word } from "../chain/fake-chain.ts";
import { type FakeNode, type FakeNodeOptions, startFakeNode } from "../chain/fake-node.ts";
import { startProxy } from "../chain/proxy.ts";

const DAY = 24;

/** Days of hourly blocks with transfers, into March; those after them have none. */
const economies = (count: number) =>
  fakeEconomies(count, { blocks: DAY * 65, transfers: 400, holders: 40, interval: 3600, confirmations: 5 });

/** An asset of each token. */
function assetsOf(tokens: readonly string[], folder = scratchFolder()): { folder: string; files: string[] } {
  const files = tokens.map((contract, i) => {
    const file = join(folder, `T${i}.json`);
    const source = { chainId: 1, firstBlock: 100, events: "erc20", labels: "none" };
    const asset = { symbol: `T${i}`, name: "Fake", chain: "ethereum", contract, decimals: 18, maxSupply: "1000000" };
    writeFileSync(file, JSON.stringify({ ...asset, source }));
    return file;
  });
  return { folder, files };
}

const recordOf = (folder: string, symbol: string): Fetched =>
  JSON.parse(readFileSync(join(folder, "inputs", symbol, "fetch.json"), "utf8"));

const fetchAll = (url: string, files: readonly string[], ...more: string[]) =>
  sopranoIn({ SOPRANO_RPC_URL: url }, "fetch", ...files, ...more);

async function isFetched(url: string, files: readonly string[], ...more: string[]): Promise<void> {
  const { status, stderr } = await fetchAll(url, files, ...more);
  expect(status, stderr).toBe(0);
}

const ofMethod = (node: FakeNode, name: string) => node.asked.filter(({ method }) => method === name).length;

it("a quiet night takes less than a request of each asset's own, and those of the chain once", async () => {
  const counts: number[] = [];
  for (const count of [2, 9]) {
    const { chain, tokens } = economies(count);
    const node = await startFakeNode(chain);
    const { folder, files } = assetsOf(tokens);
    await isFetched(node.url, files);
    for (let night = 0; night < 2; night++) {
      chain.head += DAY;
      node.asked.length = 0;
      if (night === 0) await isFetched(node.url, files);
    }
    const report = join(folder, "report.json");
    const outcome = await fetchAll(node.url, files, "--report", report);
    expect(outcome.status).toBe(0);
    // The logs up to the last final block; then the balances of all holders, and the supplies.
    const requests = ofMethod(node, "eth_getLogs") + ofMethod(node, "eth_call");
    // Three, unless the machine is so busy that they don't wait for each other.
    expect(requests).toBeLessThan(Math.max(count, 7));
    counts.push(node.asked.length - requests);
    const { assets }: FetchReport = JSON.parse(readFileSync(report, "utf8"));
    expect(assets.map(({ symbol }) => symbol)).toEqual(files.map((_, i) => `T${i}`));
    // What is asked together counts for one of them.
    const spent = assets.reduce((sum, { requests }) => sum + requests, 0);
    expect(spent).toBeLessThanOrEqual(node.asked.length);
    for (const { symbol } of assets) expect(recordOf(folder, symbol!).check).toMatchObject({ status: "passed" });
  }
  const [few, many] = counts;
  expect(many).toBe(few);
  expect(few).toBeLessThan(12);
});

describe("a night with transfers", () => {
  const { chain, tokens } = economies(5);
  /** The last block of the first fetch, and of the night. */
  const [before, after] = [DAY * 50 + 7, DAY * 52 + 7];
  /** A folder with the first fetches, and what each asset leaves if it is fetched by itself then: every file, by its path. */
  let prepared: Promise<{ fetched: string; alone: Record<string, string> }> | undefined;

  /** Every file of the inputs but pages in flight and what saves time; of fetch.json, all but the time of the check. */
  const inputsOf = (folder: string) =>
    Object.fromEntries(
      (readdirSync(join(folder, "inputs"), { recursive: true }) as string[])
        .filter((name) => /\.\w+$/.test(name) && !name.includes(".part"))
        .sort()
        .map((name) => {
          const bytes = readFileSync(join(folder, "inputs", name));
          return [name, name.endsWith(".json") ? `${bytes}`.replace(/"at": ?"[^"]*"/, "") : bytes.toString("base64")];
        }),
    );

  const copyOf = (fetched: string) => {
    const { folder, files } = assetsOf(tokens);
    cpSync(join(fetched, "inputs"), join(folder, "inputs"), { recursive: true });
    return { folder, files };
  };

  async function prepare() {
    const { folder: fetched, files } = assetsOf(tokens, newFolder());
    const node = await startFakeNode(chain);
    chain.head = before;
    for (const file of files) {
      // One has missed some nights.
      const until = file.endsWith("T4.json") ? ["--until", "2020-02-15"] : [];
      await isFetched(node.url, [file], ...until);
    }
    chain.head = after;
    const one = copyOf(fetched);
    for (const file of one.files) await isFetched(node.url, [file]);
    return { fetched, alone: inputsOf(one.folder) };
  }

  afterAll(async () => rmSync((await prepared)!.fetched, { recursive: true }));

  /** The assets after their first fetch, and nodes of the night. */
  async function night(...options: FakeNodeOptions[]) {
    prepared ??= prepare();
    const { fetched, alone } = await prepared;
    chain.head = after;
    const nodes = await Promise.all(options.map((each) => startFakeNode(chain, each)));
    return { ...copyOf(fetched), alone, nodes, urls: nodes.map(({ url }) => url).join(" ") };
  }

  /** A log of a token within the night. */
  const omitted = (token: string) => {
    const { start, end } = chain.logsOf(before, before + DAY);
    return Array.from({ length: end - start }, (_, i) => start + i).find((i) => chain.log(i).address === token)!;
  };

  const lie = (to: string, data: string, right: string) =>
    to === tokens[1] && data.startsWith(SELECTORS["balanceOf(address)"]) ? `0x${word(1)}` : right;

  it.each<[string, () => FakeNodeOptions[]]>([
    ["one that takes two contracts, and ten blocks", () => [{ maxAddresses: 2, maxBlocks: 10 }]],
    ["one that refuses lists, overrides and batches", () => [{ maxAddresses: 1, overrides: false, batches: 0 }]],
    ["one that runs no scanner", () => [{ overrides: false, creations: false }]],
    ["one that leaves out a log, beside another", () => [{ omits: new Set([omitted(tokens[2]!)]) }, {}]],
    ["one whose balances of a token are wrong, beside others", () => [{ lies: { call: lie } }, {}, {}]],
    ["one that is behind, beside another", () => [{ behind: 30 }, {}]],
  ])("leaves the files of a fetch of each by itself, with %s", async (_, options) => {
    const { folder, files, alone, urls } = await night(...options());
    await isFetched(urls, files);
    expect(inputsOf(folder)).toEqual(alone);
  });

  it("reads logs together, also of one that has missed some nights", async () => {
    const { folder, files, alone, nodes, urls } = await night({});
    await isFetched(urls, files);
    expect(inputsOf(folder)).toEqual(alone);
    // In one request, unless the machine is so busy that they don't wait for each other.
    expect(ofMethod(nodes[0]!, "eth_getLogs")).toBeLessThan(tokens.length);
  });

  it("compares balances at a newer block where no node has the states of final ones", async () => {
    const { folder, files, alone, nodes, urls } = await night({ states: 20 });
    const { confirmations } = chain;
    onTestFinished(() => {
      chain.confirmations = confirmations;
    });
    chain.confirmations = 60;
    chain.head = after - confirmations + 60;
    await isFetched(urls, files);
    const ofTransfers = (all: Record<string, string>) =>
      Object.entries(all).filter(([name]) => !name.endsWith(".json"));
    expect(ofTransfers(inputsOf(folder))).toEqual(ofTransfers(alone));
    for (const i of tokens.keys()) expect(recordOf(folder, `T${i}`).check).toMatchObject({ status: "passed" });
    // The logs up to the last final block, and the ones above it.
    expect(ofMethod(nodes[0]!, "eth_getLogs")).toBeLessThan(2 * tokens.length);
  });

  it("does so with a node that fails now and then, and one asset whose files are wrong", async () => {
    const { folder, files, alone, urls } = await night({});
    appendFileSync(join(folder, "inputs", "T1", "contracts.csv"), "0x\n");
    const faults = { faults: ["500", "dropped before", "JSON cut short"], share: 0.2, seed: 1 } as const;
    const proxy = await startProxy(urls, { ...faults, faults: [...faults.faults] });
    const outcome = await fetchAll(proxy.url, files);
    expect(proxy.asked.filter(({ fault }) => fault).length).toBeGreaterThan(0);
    expect(outcome.status).toBe(1);
    const others = ["T0", "T2", "T3", "T4"];
    const lines = others.map((symbol) => `${symbol} --as-of ${recordOf(folder, symbol).asOf}`);
    expect(outcome.stdout.trim().split("\n").sort()).toEqual(lines);
    expect(outcome.stderr).toContain("soprano: T1 failed: ");
    expect(outcome.stderr).toContain("1 of 5 assets were not fetched (T1)");
    const isOther = ([name]: [string, string]) => !name.startsWith("T1");
    const [found, right] = [inputsOf(folder), alone].map((files) => Object.entries(files).filter(isOther));
    expect(found).toEqual(right);
  });

  it("names the asset whose balances differ, and fetches the others", async () => {
    const { folder, files, alone, urls } = await night({ omits: new Set([omitted(tokens[2]!)]) });
    const { status, stderr } = await fetchAll(urls, files);
    expect(status).toBe(1);
    expect(stderr).toContain("1 of 5 assets were not fetched (T2)");
    for (const symbol of ["T0", "T1", "T3", "T4"]) {
      const names = Object.keys(alone).filter((name) => name.startsWith(`${symbol}/`));
      expect(inputsOf(folder)).toMatchObject(Object.fromEntries(names.map((name) => [name, alone[name]])));
    }
  });

  it("goes on after kills", async () => {
    const { folder, files, alone, nodes, urls } = await night({ maxBlocks: 10 });
    const [node] = nodes as [FakeNode];
    const answer = node.answer.bind(node);
    for (const requests of [9, 12]) {
      const child = start(["fetch", ...files], { env: { ...process.env, SOPRANO_RPC_URL: urls } });
      onTestFinished(() => void child.kill("SIGKILL"));
      let left = requests;
      node.answer = (body) => {
        if (--left === 0) child.kill("SIGKILL");
        return answer(body);
      };
      await outcome(child);
      expect(child.signalCode).toBe("SIGKILL");
    }
    node.answer = answer;
    await isFetched(urls, files);
    expect(inputsOf(folder)).toEqual(alone);
  });

  it("asks together on a machine without a disk, too", async () => {
    const s3 = await startFilesS3();
    onTestFinished(() => s3.close());
    const { folder, files, alone, nodes, urls } = await night({});
    const variables = { ...s3.environment, SOPRANO_RPC_URL: urls };
    const fetch = (files: readonly string[]) =>
      sopranoIn(variables, "fetch", ...files, "--store", `r2://${BUCKET}`, "--quiet");
    expect(await fetch(files)).toMatchObject({ status: 0 });
    expect(inputsOf(folder)).toEqual(alone);
    const bare = assetsOf(tokens);
    chain.head = after + DAY;
    nodes[0]!.asked.length = 0;
    expect(await fetch(bare.files)).toMatchObject({ status: 0 });
    expect(ofMethod(nodes[0]!, "eth_getLogs")).toBeLessThan(tokens.length);
    for (const symbol of tokens.map((_, i) => `T${i}`)) {
      expect(recordOf(bare.folder, symbol).check).toMatchObject({ status: "passed" });
    }
  });
});

it("balances that were kept wrong do not fail the check: the files decide", async () => {
  const { chain, tokens } = economies(1);
  const node = await startFakeNode(chain);
  const { folder, files } = assetsOf(tokens);
  await isFetched(node.url, files);
  // A ledger of the same files, and well-formed: only the chain tells that it is wrong.
  const { saveLedger } = await import("../../../builder/fetch/check/ledgers/saved-ledger.ts");
  const { Ledger } = await import("../../../builder/fetch/check/ledgers/ledger.ts");
  await saveLedger(join(folder, "inputs", "T0"), recordOf(folder, "T0").files, new Ledger());
  chain.head += DAY;
  await isFetched(node.url, files);
  expect(recordOf(folder, "T0").check).toMatchObject({ status: "passed" });
});
