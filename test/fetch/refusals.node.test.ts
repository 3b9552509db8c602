/** What can't be fetched ends with one sentence, which repeats no key. Nothing is left that a build would take. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Outcome, sopranoIn } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { outcome, start } from "../soprano-process.ts";
import { type Anvil, GENESIS, hasAnvil, openAnvil } from "./chain/anvil.ts";
import { type ContractName, creation, encode } from "./chain/contracts.ts";
import { type FaultProxy, type ProxyOptions, startProxy } from "./chain/proxy.ts";

const DAY = 86_400;
const KEY = "4f9d2c71-key-0f-the-0perator";
const user = (number: number) => `0x${(0xabc000 + number).toString(16).padStart(40, "0")}`;

describe.runIf(hasAnvil)("what can't be fetched", () => {
  const parent = newFolder();
  const tokens = {} as Record<ContractName, string>;
  let anvil: Anvil;
  let firstBlock: number;

  beforeAll(async () => {
    anvil = await openAnvil();
    const names: ContractName[] = ["Token", "FeeToken", "RebasingToken", "QuietCollectible", "HalfIndexedToken"];
    for (const name of names) {
      tokens[name] = await anvil.deploy(name === "Token" ? creation(name, "Token", "TKN", 18) : creation(name));
    }
    firstBlock = await anvil.mine(GENESIS + DAY);
    const ask = (name: ContractName, from: string, method: string, ...args: unknown[]) =>
      anvil.send({ from, to: tokens[name]!, data: encode(name, method, ...args) });
    for (let number = 1; number <= 40; number++) {
      for (const name of names) {
        if (name === "QuietCollectible") await ask(name, anvil.accounts[0]!, "mint", user(number), BigInt(number));
        else if (number === 1) await ask(name, anvil.accounts[0]!, "mint", user(0), 10n ** 24n);
        else await ask(name, user(0), "transfer", user(number % 7), BigInt(number) * 10n ** 18n);
      }
      if (number === 20) await ask("RebasingToken", anvil.accounts[0]!, "rebase", 110n);
      await anvil.mine(GENESIS + DAY + number * 20_000);
    }
    await anvil.mine(undefined, 6);
  });
  afterAll(async () => {
    await anvil?.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  let folders = 0;
  /** The path of an ASSET.json in a new folder. */
  function assetOf(name: ContractName, source: Record<string, unknown> = {}): string {
    const folder = join(parent, String(folders++));
    mkdirSync(folder);
    const path = join(folder, "TKN.json");
    const identity = { symbol: "TKN", name: "Token", chain: "ethereum", contract: tokens[name], decimals: 18 };
    const all = { chainId: 1, firstBlock, events: "erc20", labels: "none", ...source };
    writeFileSync(path, JSON.stringify({ ...identity, maxSupply: "1000000", source: all }));
    return path;
  }

  const run = (asset: string, proxies: readonly FaultProxy[], ...args: string[]) =>
    sopranoIn(
      { SOPRANO_RPC_URL: proxies.map((proxy) => proxy.keyed(KEY)).join(" ") },
      "fetch",
      asset,
      "--quiet",
      ...args,
    );

  /** The sentence with which a fetch ends. */
  function refusalIn({ status, stdout, stderr }: Outcome, asset: string): string {
    expect({ status, stdout }, stderr).toEqual({ status: 1, stdout: "" });
    const [sentence, ...facts] = stderr.trimEnd().split("\n");
    expect(sentence).toMatch(/^soprano: .+\.$/);
    // The check names what differs, a line each.
    if (facts.length > 0) expect(facts[0]).toMatch(/^\d+ balances of \d+ compared at block \d+ differ:$/);
    expect(stderr).not.toContain(KEY);
    const transfers = join(asset, "..", "inputs", "TKN", "transfers");
    expect(existsSync(transfers) ? readdirSync(transfers) : []).toEqual([]);
    return sentence!;
  }

  async function refusal(name: ContractName, options: ProxyOptions = {}, source = {}): Promise<string> {
    const asset = assetOf(name, source);
    return refusalIn(await run(asset, [await startProxy(anvil.url, options)]), asset);
  }

  it("a rebasing token", async () => {
    expect(await refusal("RebasingToken")).toMatch(/rebas/i);
  });

  it("a token that takes a fee", async () => {
    expect(await refusal("FeeToken")).toMatch(/fee-on-transfer/i);
  });

  it("an ERC-721", async () => {
    expect(await refusal("QuietCollectible")).toMatch(/ERC-721/);
  });

  it("an event that does not say who sends", async () => {
    expect(await refusal("HalfIndexedToken")).toContain(tokens.HalfIndexedToken);
  });

  it("another chain's node", async () => {
    const text = await refusal("Token", { chainId: 137 });
    expect(text).toContain("137");
    expect(text).toContain('"chainId" is 1');
  });

  it("nodes of two chains", async () => {
    const asset = assetOf("Token");
    const proxies = [await startProxy(anvil.url), await startProxy(anvil.url, { chainId: 137 })];
    expect(refusalIn(await run(asset, proxies), asset)).toContain(proxies[1]!.host);
  });

  it("a pruned node", async () => {
    expect(await refusal("Token", { prunedBefore: firstBlock + 10 })).toMatch(/archive node/);
  });

  it("a node that answers with no logs before some block, without a word", async () => {
    expect(await refusal("Token", { emptyBefore: firstBlock + 10 })).toMatch(
      /The balance of 0x[0-9a-f]{40} changed in block \d+/,
    );
  });

  it("a quota that is used up", async () => {
    const message = "daily request count exceeded, request rate limited";
    expect(await refusal("Token", { always: { status: 429, code: -32005, message } })).toContain(message);
  });

  it("a key that is refused", async () => {
    const always = { status: 401, code: -32000, message: `Must be authenticated! path-${KEY} is unknown` };
    expect(await refusal("Token", { always })).toMatch(/key/);
  });

  it("with --debug the key is not shown either", async () => {
    const login = Buffer.from(`user-${KEY}:password-${KEY}`).toString("base64");
    /** Repeats, as an error with this status, all that a request says of where it goes. */
    const echo = (proxy: FaultProxy, status: number) => {
      const message = `upstream error while a call was sent to ${proxy.keyed(KEY)} (Basic ${login})`;
      proxy.options.always = { status, code: -32000, message };
    };
    const ways: ((proxy: FaultProxy) => void)[] = [
      // At first an error that may pass, which is told; then one that does not, since fetch waits for minutes.
      (proxy) => (proxy.options.onCall = () => echo(proxy, proxy.requests > 3 ? 401 : 200)),
      (proxy) => (proxy.options.onCall = ({ method }) => void (method === "eth_getLogs" && echo(proxy, 401))),
      ({ options }) => (options.chainId = 2),
      ({ options }) => (options.prunedBefore = firstBlock + 10),
    ];
    for (const goWrong of ways) {
      const asset = assetOf("Token");
      const proxy = await startProxy(anvil.url, {});
      goWrong(proxy);
      const { status, stdout, stderr } = await run(asset, [proxy], "--debug");
      expect(status).toBe(1);
      expect(stderr).toMatch(/\n {4}at /);
      expect(stdout + stderr).not.toContain(KEY);
      expect(stdout + stderr).not.toContain(login);
      if (proxy.options.always) expect(stderr).toContain("upstream error");
    }
  });

  const disk = join(parent, "disk");
  mkdirSync(disk);
  const mounted = (size: string) =>
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]).status === 0;
  const unmount = () => spawnSync("umount", ["--lazy", disk]);
  const canMount = process.platform === "linux" && mounted("64k");
  if (canMount) unmount();
  else console.warn("test/fetch/refusals.node.test.ts: only root can mount a small disk: skipped.");

  it.runIf(canMount).each(["16k", "32k"])("a full disk of %s; with more room the next run continues", async (size) => {
    expect(mounted(size)).toBe(true);
    try {
      const asset = join(disk, "TKN.json");
      writeFileSync(asset, readFileSync(assetOf("Token")));
      const env = { ...process.env, SOPRANO_RPC_URL: anvil.url };
      const text = refusalIn(await outcome(start(["fetch", asset, "--quiet"], { env })), asset);
      expect(text).toMatch(/the disk is full/);
      expect(spawnSync("mount", ["-o", "remount,size=4m", disk]).status).toBe(0);
      expect(await outcome(start(["fetch", asset, "--quiet"], { env }))).toMatchObject({ status: 0, stderr: "" });
    } finally {
      unmount();
    }
  });
});
