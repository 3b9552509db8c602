/** `soprano init` against a chain, with tokens as they are out there. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../../builder/command-line.ts";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { scratchFolder } from "../../folders.ts";
import { type Anvil, hasAnvil, openAnvil } from "../chain/anvil.ts";
import { creation, encode } from "../chain/contracts.ts";
import { createPair, deployUniswap } from "../chain/pools.ts";
import { startProxy } from "../chain/proxy.ts";

const E18 = 10n ** 18n;
const [ALICE, BOB] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`];

/** Deploys a contract amid other blocks, and sends calls to it in a block each. */
async function deploy(anvil: Anvil, code: string, calls: readonly string[] = [], from = anvil.accounts[0]!) {
  await anvil.mine(undefined, 3);
  const address = await anvil.deploy(code, { from });
  const block = await anvil.mine();
  for (const data of calls) {
    await anvil.send({ from, to: address, data });
    await anvil.mine();
  }
  // What was sent is to be final.
  await anvil.mine(undefined, 5);
  return { address, block };
}

const token = (name: string, symbol: string, decimals = 18) => creation("Token", name, symbol, decimals);
const mint = (to: string, value: bigint) => encode("Token", "mint", to, value);
const transfer = (to: string, value: bigint) => encode("Token", "transfer", to, value);

describe.runIf(hasAnvil)("soprano init", () => {
  let anvil: Anvil;

  beforeAll(async () => {
    anvil = await openAnvil();
  });
  afterAll(() => anvil?.stop());

  /** Runs init, and reads what it wrote. */
  async function init(address: string, ...args: string[]) {
    const out = join(scratchFolder(), "assets");
    const rpc = args.includes("--rpc") ? [] : ["--rpc", anvil.url];
    const ran = await sopranoIn({ SOPRANO_RPC_URL: undefined }, "init", address, "--out", out, ...rpc, ...args);
    const path = ran.stdout.trim();
    const asset = ran.status === 0 ? JSON.parse(readFileSync(path, "utf8")) : undefined;
    return { ...ran, out, path, asset };
  }

  const accepted = (address: string, ...args: string[]) => init(address, "--yes", "--prices", "none", ...args);

  /** The sentence with which init ends; it has written nothing. */
  async function refusal(address: string, ...args: string[]): Promise<string> {
    const { status, stderr, out } = await accepted(address, ...args);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("soprano: ") });
    expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
    return stderr.slice(stderr.indexOf("soprano: ") + "soprano: ".length).trim();
  }

  it("writes what the chain says, and what is accepted", async () => {
    const { address, block } = await deploy(anvil, token("Humanscape", "Hum", 6), [
      mint(ALICE, 1_250_000_000_000_001n),
      mint(BOB, 5n),
    ]);
    const { asset, path, stdout, stderr } = await accepted(address);
    expect(asset).toEqual({
      symbol: "HUM",
      name: "Humanscape",
      chain: "ethereum",
      contract: address,
      decimals: 6,
      maxSupply: "1250000001",
      deposits: "detect",
      source: { chainId: 1, firstBlock: block, events: "erc20", labels: "default" },
    });
    expect(await readAsset(path)).toMatchObject({ transfers: ["inputs/HUM/transfers/*.parquet"] });
    expect(stdout).toBe(`${path}\n`);
    expect(stderr).toContain(
      `Next: npx soprano fetch ${path} --rpc URL, npx soprano build ${path}, then npx soprano serve\n`,
    );
    expect(stderr).not.toContain("No exchange is known");
    expect(readdirSync(join(path, ".."))).toEqual(["HUM.json"]);
  });

  it("replaces nothing", async () => {
    const { address } = await deploy(anvil, token("Twice", "TWICE"), [mint(ALICE, E18)]);
    const { out, path } = await accepted(address);
    const before = readFileSync(path, "utf8");
    const args = ["init", address, "--rpc", anvil.url, "--yes", "--prices", "none", "--out", out];
    expect(await sopranoIn({}, ...args, "--max-supply", "7")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${path} exists, and init replaces nothing. Remove it, or choose another`),
    });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect((await sopranoIn({}, ...args, "--symbol", "other")).stdout).toBe(`${join(out, "OTHER.json")}\n`);
  });

  it("proposes the kinds of contracts that hold the token, or takes those that are named", async () => {
    const dead = `0x${"dead".padStart(40, "0")}`;
    const { address } = await deploy(anvil, token("Burnt", "BURNT"), [mint(ALICE, 3n * E18), mint(dead, E18)]);
    const { asset, path, stderr } = await accepted(address);
    expect(asset).toMatchObject({ symbol: "BURNT", cohorts: { burn: "shipped" } });
    expect(stderr).toContain("@burn (addresses that nobody has a key of): 1 of 24 holds 25.00 % of the supply\n");
    expect((await readAsset(path)).cohorts).toEqual([{ name: "burn", path: "inputs/BURNT/kinds.csv", kind: "burn" }]);
    expect((await init(address, "--prices", "none", "--max-supply", "4")).stderr).toContain(
      "soprano: Cohorts of kinds of contracts, separated by commas, or none? Answer with --cohorts NAMES, or accept burn with --yes.\n",
    );
    expect((await accepted(address, "--cohorts", "none")).asset).not.toHaveProperty("cohorts");
    expect((await accepted(address, "--cohorts", "dex, burn")).asset.cohorts).toEqual({
      dex: "shipped",
      burn: "shipped",
    });
    expect(await refusal(address, "--cohorts", "dexes")).toContain(
      'separated by commas, or none; "dexes" is none of them.',
    );
  });

  describe("names", () => {
    it.each([
      ["of bytes32", creation("Bytes32Token"), [], { symbol: "MKL", name: "Maker-like" }, []],
      [
        "with characters that are not one line's",
        token("A\nB\u202e  C", "abc.d"),
        [],
        { symbol: "ABC.D", name: "A B C" },
        ['The contract\'s name becomes one line of at most 200 characters: "A B C".'],
      ],
      [
        "that are too long",
        token("n".repeat(300), "S".repeat(30)),
        [],
        { symbol: "S".repeat(20), name: "n".repeat(200) },
        [
          `The contract's symbol "${"S".repeat(30)}" becomes ${"S".repeat(20)}: that may be another token's symbol. Choose one with --symbol.`,
          // Messages leave out the middle of a long word.
          expect.stringMatching(/^The contract's name becomes one line of at most 200 characters: "n+…n+"\.$/),
        ],
      ],
      ["that are missing", token("", ""), ["--symbol", "none"], { symbol: "NONE", name: "NONE" }, []],
      [
        "with other letters",
        token("Tether", "USD₮0"),
        [],
        { symbol: "USD0", name: "Tether" },
        [
          "The contract's symbol \"USD₮0\" becomes USD0 without U+20AE: that may be another token's symbol. Choose one with --symbol.",
        ],
      ],
    ])("%s", async (_, code, args, expected, told) => {
      const { address } = await deploy(anvil, code, [mint(ALICE, E18)]);
      const { asset, stderr } = await accepted(address, ...args);
      expect(asset).toMatchObject(expected);
      expect(stderr.split("\n").filter((line) => line.includes(" becomes "))).toEqual(told);
    });

    it("without a symbol need one", async () => {
      const { address } = await deploy(anvil, token("No symbol", "₮"), [mint(ALICE, E18)]);
      expect(await refusal(address)).toBe('Symbol for "₮"? Answer with --symbol.');
    });
  });

  describe("tokens that record their transfers in other ways", () => {
    it("with one topic", async () => {
      const { address } = await deploy(anvil, creation("PlainEventToken"), [mint(ALICE, E18)]);
      expect((await accepted(address)).asset.source.events).toBe("erc20");
    });

    it("WETH9", async () => {
      const { address } = await deploy(anvil, creation("WETH9"));
      const account = anvil.accounts[1]!;
      await anvil.send({ from: account, to: address, data: encode("WETH9", "deposit"), value: 5n * E18 });
      await anvil.mine();
      await anvil.send({ from: account, to: address, data: encode("WETH9", "transfer", ALICE, E18) });
      await anvil.send({ from: account, to: address, data: encode("WETH9", "withdraw", E18) });
      await anvil.mine(undefined, 5);
      expect((await accepted(address)).asset).toMatchObject({
        symbol: "WETH",
        maxSupply: "4",
        source: { events: "weth9" },
      });
    });

    it("Issue and Redeem, with every owner and the first supply", async () => {
      const [first, second] = anvil.accounts as [string, string];
      const { address, block } = await deploy(anvil, creation("IssueRedeemToken", 1000n), [
        encode("IssueRedeemToken", "issue", 50n),
        encode("IssueRedeemToken", "transferOwnership", second),
      ]);
      const change = Number(BigInt((await anvil.rpc("eth_blockNumber")) as string)) - 5;
      await anvil.send({ from: second, to: address, data: encode("IssueRedeemToken", "issue", 9n) });
      await anvil.mine(undefined, 5);
      const { asset, out } = await accepted(address);
      expect(asset.source).toEqual({
        chainId: 1,
        firstBlock: block,
        events: "issue-redeem",
        openingBalances: "IRT.opening.csv",
        owners: [
          { fromBlock: block, address: first.toLowerCase() },
          { fromBlock: change, address: second.toLowerCase() },
        ],
        labels: "default",
      });
      expect(readFileSync(join(out, "IRT.opening.csv"), "utf8")).toBe(`address,value\n${first.toLowerCase()},1000\n`);
    });

    it("WETH9 and Issue and Redeem before anybody used them", async () => {
      const weth = await deploy(anvil, creation("WETH9"));
      expect((await accepted(weth.address, "--max-supply", "1")).asset.source.events).toBe("weth9");
      const calls = [encode("IssueRedeemToken", "transfer", ALICE, 3n)];
      const tether = await deploy(anvil, creation("IssueRedeemToken", 1000n), calls);
      expect((await accepted(tether.address)).asset.source.events).toBe("issue-redeem");
    });

    it("a constructor that minted without an event", async () => {
      const creator = anvil.accounts[1]!;
      const { address } = await deploy(anvil, creation("QuietMintToken", 77n * E18), [transfer(ALICE, E18)], creator);
      const { asset, out, stderr } = await accepted(address);
      expect(asset.source.openingBalances).toBe("QMT.opening.csv");
      expect(readFileSync(join(out, "QMT.opening.csv"), "utf8")).toBe(
        `address,value\n${creator.toLowerCase()},${77n * E18}\n`,
      );
      expect(stderr).toContain("1 balance that no event explains: see ");
    });

    it("a proxy", async () => {
      const implementation = await deploy(anvil, token("Behind", "BHD"));
      const { address, block } = await deploy(anvil, creation("Proxy", implementation.address), [
        mint(ALICE, 3n * E18),
      ]);
      // Storage is the proxy's own, so it has no name; the decimals are in the code.
      expect((await accepted(address, "--symbol", "PRX")).asset).toMatchObject({
        symbol: "PRX",
        name: "PRX",
        decimals: 18,
        maxSupply: "3",
        source: { firstBlock: block, events: "erc20" },
      });
    });

    it("a proxy without a symbol of its own is proposed that of its implementation", async () => {
      const implementation = await deploy(anvil, token("Behind", "BEHIND"));
      const { address } = await deploy(anvil, creation("Proxy", implementation.address), [mint(ALICE, 3n * E18)]);
      const { asset, stderr } = await accepted(address);
      expect(asset).toMatchObject({ symbol: "BEHIND" });
      expect(stderr).toContain('The contract has no symbol; that of its implementation is "BEHIND".\n');
      const none = await deploy(anvil, creation("Proxy", (await deploy(anvil, token("", ""))).address), [
        mint(ALICE, 1n),
      ]);
      expect(await refusal(none.address)).toBe("Symbol, which the contract does not have? Answer with --symbol.");
    });

    it("a proxy whose implementation was replaced by one with other events", async () => {
      const [first, second] = [await deploy(anvil, token("One", "ONE")), await deploy(anvil, token("Two", "TWO", 6))];
      const { address } = await deploy(anvil, creation("Proxy", first.address), [
        mint(ALICE, 3n),
        encode("Proxy", "upgrade", second.address),
        mint(BOB, 4n),
      ]);
      const { asset, path } = await accepted(address);
      expect(asset).toMatchObject({ symbol: "TWO", decimals: 6, source: { events: "erc20" } });
      await anvil.mine(anvil.time + 2 * 86_400, 4);
      expect(await sopranoIn({}, "fetch", path, "--rpc", anvil.url)).toMatchObject({ status: 0 });
    });

    it("1,500 quiet blocks, then an airdrop of 30,000: only the first of its logs are read", async () => {
      const { address } = await deploy(anvil, creation("Volume"));
      await anvil.mine(undefined, 1_500);
      // Together more than the largest answer that a fetch takes for several blocks.
      for (let block = 0; block < 30; block++) {
        await anvil.send({ to: address, data: encode("Volume", "emitMints", 1_000n) });
        await anvil.mine();
      }
      await anvil.mine(undefined, 5);
      const proxy = await startProxy(anvil.url);
      const { asset } = await init(address, "--yes", "--prices", "none", "--rpc", proxy.url, "--symbol", "VOL");
      expect(asset.source.events).toBe("erc20");
    });

    const burn = (value: bigint) => encode("ZeppelinToken", "burn", value);
    it.each([
      ["Burn alone", creation("ZeppelinToken"), "zeppelin-burn"],
      ["Burn and Transfer", creation("LaterZeppelinToken", 900n), "erc20"],
      ["Mint and Burn alone", creation("DsToken"), "ds-token"],
    ])("%s: OpenZeppelin's versions, and DappHub's", async (_, code, events) => {
      const [holder] = anvil.accounts as [string];
      const early = await deploy(anvil, code, [mint(holder, 500n), burn(2n)]);
      expect((await accepted(early.address, "--max-supply", "1")).asset.source.events).toBe(events);
      // The first burn comes later than init's first look goes.
      const late = await deploy(anvil, code, [mint(holder, 500n)]);
      const pay = { from: holder, to: late.address, data: transfer(BOB, 1n) };
      await anvil.sendAll(Array.from({ length: 101 }, () => pay));
      await anvil.mine();
      await anvil.send({ from: holder, to: late.address, data: burn(2n) });
      await anvil.mine(undefined, 5);
      expect((await accepted(late.address, "--max-supply", "1")).asset.source.events).toBe(events);
    });

    it("OpenZeppelin's Mint and Burn before anybody used them: as most have them, beside Transfers", async () => {
      const { address } = await deploy(anvil, creation("LaterZeppelinToken", 900n), [transfer(ALICE, 5n)]);
      expect((await accepted(address, "--max-supply", "1")).asset.source.events).toBe("erc20");
    });

    it("a first burn that came after init is explained by fetch", async () => {
      const [holder] = anvil.accounts as [string];
      const { address } = await deploy(anvil, creation("ZeppelinToken"), [mint(holder, 500n), transfer(ALICE, 5n)]);
      const { asset, path } = await accepted(address, "--max-supply", "1");
      expect(asset.source.events).toBe("erc20");
      await anvil.send({ from: holder, to: address, data: burn(7n) });
      await anvil.mine(anvil.time + 2 * 86_400, 4);
      const { status, stderr } = await sopranoIn({}, "fetch", path, "--rpc", anvil.url);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringContaining('With "events": "zeppelin-burn" in "source" of ASSET.json, the balances are'),
      });
      writeFileSync(path, JSON.stringify({ ...asset, source: { ...asset.source, events: "zeppelin-burn" } }));
      rmSync(join(path, "..", "inputs", "ZEP"), { recursive: true });
      expect(await sopranoIn({}, "fetch", path, "--rpc", anvil.url)).toMatchObject({ status: 0 });
    });

    it("a holder whose balance can't be read is left out, as fetch does", async () => {
      const { address } = await deploy(anvil, creation("RevertingToken"), [
        mint(ALICE, 5n),
        ...Array.from({ length: 8 }, (_, i) => mint(`0x${"c".repeat(39)}${i}`, 1n)),
        encode("RevertingToken", "block_", ALICE),
      ]);
      const { path, stderr } = await accepted(address, "--max-supply", "1");
      expect(stderr).toContain(`balanceOf fails for ${ALICE}: blocked, most likely.`);
      await anvil.mine(anvil.time + 2 * 86_400, 4);
      expect(await sopranoIn({}, "fetch", path, "--rpc", anvil.url)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(`balanceOf fails for ${ALICE} on the chain`),
      });
      const { check } = JSON.parse(readFileSync(join(path, "..", "inputs/RVT/fetch.json"), "utf8"));
      expect(check).toMatchObject({ status: "passed", holders: 8, of: 9, blocked: [ALICE] });
    });

    it("balances of a constructor that nobody could find are given by hand", async () => {
      const { address } = await deploy(anvil, creation("QuietMintToken", 77n), [mint(ALICE, 5n)]);
      const file = join(scratchFolder(), "opening.csv");
      writeFileSync(file, `address,value\n${anvil.accounts[0]},70\n`);
      expect(await refusal(address, "--opening", file)).toMatch(
        /its supply is 77; its events and the balances of --opening come to 70/,
      );
      writeFileSync(file, `address,value\n${anvil.accounts[0]},77\n`);
      const { asset, out } = await accepted(address, "--opening", file, "--max-supply", "1");
      expect(asset.source.openingBalances).toBe("QMT.opening.csv");
      expect(readFileSync(join(out, "QMT.opening.csv"), "utf8")).toContain(",77\n");
    });

    it("one that has not moved yet", async () => {
      const { address } = await deploy(anvil, token("Quiet", "QUIET"));
      const { asset, stderr } = await accepted(address, "--max-supply", "1,000");
      expect(asset).toMatchObject({ maxSupply: "1000", source: { events: "erc20" } });
      expect(stderr).toContain("The contract has not recorded any transfer where init has looked.");
    });
  });

  describe("what init writes adds up: fetch compares all balances", () => {
    it.each([
      ["a plain token", token("Plain", "PLAIN"), [mint(ALICE, 9n)], 1],
      ["one topic", creation("PlainEventToken"), [mint(ALICE, 9n), mint(BOB, 1n)], 2],
      [
        "Mint and Burn without a Transfer",
        creation("DsToken"),
        [mint(ALICE, 9n), mint(BOB, 4n), encode("DsToken", "mint", ALICE, 1n)],
        2,
      ],
      ["a quiet constructor", creation("QuietMintToken", 77n), [transfer(ALICE, 5n)], 2],
      [
        "Burn without a Transfer",
        creation("ZeppelinToken"),
        [mint(ALICE, 9n), encode("ZeppelinToken", "burn", 0n), mint(BOB, 4n)],
        2,
      ],
      [
        "Issue and Redeem",
        creation("IssueRedeemToken", 1000n),
        [
          encode("IssueRedeemToken", "issue", 50n),
          transfer(ALICE, 30n),
          transfer(BOB, 20n),
          encode("IssueRedeemToken", "redeem", 100n),
          encode("IssueRedeemToken", "destroyBlackFunds", ALICE),
        ],
        2,
      ],
    ] as const)("%s", async (_, code, calls, holders) => {
      const { address } = await deploy(anvil, code, calls);
      const { path } = await accepted(address, "--max-supply", "1000");
      await anvil.mine(anvil.time + 2 * 86_400, 4);
      const { status, stderr } = await sopranoIn({}, "fetch", path, "--rpc", anvil.url);
      expect({ status, stderr }).toEqual({
        status: 0,
        stderr: expect.stringContaining(`balances of ${holders} of ${holders} holder`),
      });
    });
  });

  it("a token that was destroyed goes on having its nights, once its last block is named", async () => {
    const own = await openAnvil({ timestamp: 1_700_000_000 });
    onTestFinished(() => own.stop());
    const { address } = await deploy(own, creation("DsToken"), [mint(ALICE, 9n), mint(BOB, 4n)]);
    await own.mine(own.time + 86_400, 4);
    const out = join(scratchFolder(), "assets");
    const args = ["--rpc", own.url];
    const made = await sopranoIn({}, "init", address, "--out", out, "--yes", "--prices", "none", ...args);
    const path = made.stdout.trim();
    expect(await sopranoIn({}, "fetch", path, ...args)).toMatchObject({ status: 0 });
    await own.mine(own.time + 86_400, 2);
    const lastBlock = await own.head();
    await own.mine();
    await own.setCode(address, "0x");
    await own.mine(own.time + 86_400, 5);
    const broken = await sopranoIn({}, "fetch", path, ...args);
    expect(broken.status).toBe(1);
    const asset = JSON.parse(readFileSync(path, "utf8"));
    asset.source.lastBlock = lastBlock;
    writeFileSync(path, JSON.stringify(asset));
    const named = await sopranoIn({}, "fetch", path, ...args);
    expect(named).toMatchObject({ status: 0, stderr: expect.stringContaining("block") });
    await own.mine(own.time + 86_400, 5);
    expect(await sopranoIn({}, "fetch", path, ...args)).toMatchObject({ status: 0 });
  });

  describe("what is not an ERC-20 that adds up is refused", () => {
    it("an account", async () => {
      expect(await refusal(ALICE)).toMatch(
        /^0xa1\w+ has no code at block \d+ of chain 1 \(ethereum\), so it is not a token. Check the address, and that the node is one of its chain.$/,
      );
    });

    it("an account that has delegated to a contract", async () => {
      await anvil.setCode(BOB, `0xef0100${"12".repeat(20)}`);
      expect(await refusal(BOB)).toContain("has no code");
    });

    it("an ERC-721, by its interface or by its events", async () => {
      const calls = [encode("Collectible", "mint", ALICE, 1n)];
      const asked = await deploy(anvil, creation("Collectible"), calls);
      expect(await refusal(asked.address)).toBe(
        `${asked.address} is an ERC-721: a collection of non-fungible tokens. Soprano reads ERC-20 tokens.`,
      );
      const quiet = await deploy(anvil, creation("QuietCollectible"), calls);
      expect(await refusal(quiet.address, "--decimals", "0")).toContain("as ERC-721 does");
    });

    it("an ambiguous Transfer", async () => {
      const { address } = await deploy(anvil, creation("HalfIndexedToken"), [mint(ALICE, E18)]);
      expect(await refusal(address)).toContain("only one of the two addresses is indexed");
    });

    it("one with two Transfers for each movement, named as that; by fetch, too", async () => {
      const [holder] = anvil.accounts as [string];
      const { address, block } = await deploy(anvil, creation("TwiceToken"), [mint(holder, 9n), transfer(ALICE, 4n)]);
      const twice = /two Transfer events for each movement/;
      expect(await refusal(address)).toMatch(twice);
      const path = join(scratchFolder(), "TWI.json");
      const source = { chainId: 1, firstBlock: block, events: "erc20", labels: "none" };
      const asset = {
        symbol: "TWI",
        name: "Twice",
        chain: "ethereum",
        contract: address,
        decimals: 18,
        maxSupply: "1",
      };
      writeFileSync(path, JSON.stringify({ ...asset, source }));
      await anvil.mine(anvil.time + 2 * 86_400, 4);
      const { status, stderr } = await sopranoIn({}, "fetch", path, "--rpc", anvil.url);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(twice) });
    });

    it("a contract that is not a token", async () => {
      const { address } = await deploy(anvil, creation("Router"));
      expect(await refusal(address)).toBe(
        `${address} is a contract, but not an ERC-20: it does not answer totalSupply. Check the address.`,
      );
    });

    it.each([
      ["rebasing", "RebasingToken", encode("RebasingToken", "rebase", 110n)],
      ["fee-on-transfer", "FeeToken", transfer(ALICE, E18)],
    ] as const)("a %s token", async (_, name, call) => {
      const { address } = await deploy(anvil, creation(name), [
        mint(anvil.accounts[0]!, 10n * E18),
        call,
        mint(BOB, E18),
      ]);
      expect(await refusal(address)).toMatch(/ can't be added up: .*rebasing token, one that takes a fee on transfers/);
    });
  });

  describe("prices", () => {
    /** A token with a pool against a stablecoin, at 2 USD. */
    async function withPool() {
      const own = await deploy(anvil, token("Pooled", "POOLED"), [mint(ALICE, 7n * E18)]);
      const usd = await deploy(anvil, token("USD Coin", "USDC", 6));
      const uniswap = await deployUniswap(anvil);
      await anvil.mine();
      const pair = await createPair(anvil, uniswap, own.address, usd.address);
      await anvil.send({ to: own.address, data: mint(pair, 1_000n * E18) });
      await anvil.send({ to: usd.address, data: mint(pair, 2_000_000_000n) });
      await anvil.send({ to: pair, data: encode("UniswapV2Pair", "sync") });
      await anvil.mine(undefined, 5);
      return { address: own.address, pair, worth: `${usd.address}=1` };
    }

    it("come from pools that are named", async () => {
      const { address, pair, worth } = await withPool();
      const unknown = await init(address, "--yes", "--pools", pair);
      // Ethereum's USDC is another contract.
      expect(unknown.stderr).toContain(`say it with --quote-usd ${worth.slice(0, -1)}USD`);
      const { asset, stderr } = await init(address, "--yes", "--pools", pair, "--quote-usd", worth);
      expect(asset.source.prices).toEqual({ pools: [{ address: pair, kind: "uniswap-v2", quoteUsd: 1 }] });
      expect(stderr).toContain(
        `Found uniswap-v2 ${pair} against USDC, which counts as 1 USD: 2,000 USD deep, 2 USD per token\n`,
      );
      const { address: other } = await deploy(anvil, token("Other", "OTHER"), [mint(ALICE, 7n * E18)]);
      expect((await init(other, "--yes", "--pools", pair)).stderr).toContain("correct --pools");
      const noPool = await init(other, "--yes", "--pools", ALICE);
      expect(noPool.stderr).toContain(`${ALICE} is not a pool of Uniswap v2, Uniswap v3`);
    });

    it("come from a pool that is named twice", async () => {
      const { address, pair, worth } = await withPool();
      const { asset } = await init(address, "--yes", "--pools", `${pair},${pair}`, "--quote-usd", worth);
      expect(asset.source.prices).toEqual({ pools: [{ address: pair, kind: "uniswap-v2", quoteUsd: 1 }] });
    });

    it("come from pools or from another source, not from both", async () => {
      const { address, pair } = await withPool();
      expect((await init(address, "--yes", "--pools", pair, "--prices", "defillama")).stderr).toContain(
        "--pools names pools, but --prices defillama does not use them: leave one of the two out.",
      );
    });

    it("are left out where there are no pools, with a notice", async () => {
      const { address } = await deploy(anvil, token("Poolless", "POOLLESS"), [mint(ALICE, 7n * E18)]);
      const { asset, stderr } = await init(address, "--yes");
      expect(asset.source).not.toHaveProperty("prices");
      expect(stderr).toContain("No prices: every amount in dollars will be 0.");
      expect((await init(address, "--yes", "--prices", "pools")).stderr).toContain(
        "No pool was found: name some with --pools, or choose another source.",
      );
    });
  });

  describe("without a terminal", () => {
    it("what must be decided is named", async () => {
      const { address } = await deploy(anvil, token("Asked", "ASK"), [mint(ALICE, 21n * E18)]);
      expect((await init(address)).stderr).toContain(
        "soprano: Maximum supply in whole tokens? Answer with --max-supply N, or accept 21 with --yes.\n",
      );
    });

    it.each([
      [["--max-supply", "1e9"], 'The maximum supply is a positive decimal number of whole tokens, such as "21000000".'],
      [
        ["--prices", "coingecko"],
        'Prices come from pools, binance:SYMBOL, defillama, the path of a CSV, or none; "coingecko" is none of them.',
      ],
      [["--prices", "binance:HUMEUR"], /^source\.prices\.binance: HUMEUR is not quoted in a dollar stablecoin;/],
      [["--decimals", "6"], "The contract says that it has 18 decimals, not 6. Leave --decimals out."],
      [["--first-block", "99999999"], /^Block 99999999 is not final yet: the last final one is \d+\.$/],
    ])("%j is refused", async (args, sentence) => {
      const { address } = await deploy(anvil, token("Wrong", "WRONG"), [mint(ALICE, 21n * E18)]);
      const message = (await init(address, "--yes", "--prices", "none", ...args)).stderr.split("soprano: ")[1]!.trim();
      expect(message).toEqual(typeof sentence === "string" ? sentence : expect.stringMatching(sentence));
    });

    it.each([
      ["binance:humusdt", { binance: "HUMUSDT" }],
      ["defillama", { defillama: true }],
      ["../prices.csv", "../prices.csv"],
    ])("prices from %s", async (given, expected) => {
      const { address } = await deploy(anvil, token("Priced", "PRICED"), [mint(ALICE, E18)]);
      expect((await init(address, "--yes", "--prices", given)).asset.source.prices).toEqual(expected);
    });

    it("nobody's URL is repeated", async () => {
      const { address } = await deploy(anvil, token("Secret", "SECRET"), [mint(ALICE, E18)]);
      const url = `${anvil.url.replace("http://", "http://user:pass@")}/v2/secret-key?key=other-secret`;
      const { path, stdout, stderr } = await accepted(address, "--rpc", url);
      expect(`${stdout}${stderr}${path && readFileSync(path, "utf8")}`).not.toMatch(/secret-key|other-secret|pass@/);
      const none = await init(address, "--rpc", "http://127.0.0.1:1/secret-key");
      expect([none.status, none.stderr]).toEqual([1, expect.not.stringContaining("secret-key")]);
    });
  });

  describe("on a terminal", () => {
    /** Runs init with answers typed ahead. */
    async function dialogue(address: string, answers: string, ...args: string[]) {
      const out = scratchFolder();
      const [stdin, texts] = [Object.assign(new PassThrough(), { isTTY: true }), ["", ""]];
      const into = (index: number) =>
        new Writable({
          write(chunk, _, done) {
            texts[index] += chunk;
            done();
          },
        });
      stdin.end(answers);
      const io = { stdin, stdout: into(0), stderr: into(1), env: {}, interrupted: () => Promise.resolve() };
      const status = await run(["init", address, "--rpc", anvil.url, "--out", out, ...args], io);
      const [path = "", stderr = ""] = [texts[0]?.trim(), texts[1]];
      return { status, stderr, asset: status === 0 ? JSON.parse(readFileSync(path, "utf8")) : undefined };
    }

    it("asks, proposes, and asks again", async () => {
      const { address } = await deploy(anvil, token("Tether", "USD₮0", 6), [mint(ALICE, 5_000_001n)]);
      const { asset, stderr } = await dialogue(address, "usdt\nmany\n\nsomewhere\nbinance:USDTUSDC\n");
      expect(asset).toMatchObject({ symbol: "USDT", maxSupply: "6", source: { prices: { binance: "USDTUSDC" } } });
      expect(stderr).toContain('Symbol for "USD₮0" [USD0]: ');
      expect(stderr.match(/Prices from .*none \[none\]: /g)).toHaveLength(2);
      expect(stderr).toContain("Maximum supply in whole tokens [6]: The maximum supply is a positive decimal number");
    });

    it("ends without an answer, and writes nothing", async () => {
      const { address } = await deploy(anvil, token("Alone", "ALONE"), [mint(ALICE, E18)]);
      expect(await dialogue(address, "")).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("There was no answer, so nothing was written. Answer, or give --max-supply N."),
      });
    });

    it("asks nothing with --yes", async () => {
      const { address } = await deploy(anvil, token("Yes", "YES"), [mint(ALICE, E18)]);
      const { asset, stderr } = await dialogue(address, "", "--yes", "--prices", "none");
      expect(asset.maxSupply).toBe("1");
      expect(stderr).not.toContain("?");
    });
  });
});

it.runIf(hasAnvil)("soprano init says that no exchange is known on a chain without labels", async () => {
  const anvil = await openAnvil({ chainId: 100 });
  onTestFinished(() => anvil.stop());
  const { address } = await deploy(anvil, token("Gnome", "GNOME"), [mint(ALICE, E18)]);
  const given = ["--rpc", anvil.url, "--yes", "--prices", "none", "--out", scratchFolder()];
  expect(await sopranoIn({}, "init", address, ...given)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(
      "No exchange is known on gnosis (chain 100): no address counts as an exchange, and cex_* says nothing, " +
        'until you name a list as "exchanges" in ASSET.json. See docs/labels.md.',
    ),
  });
});

describe.runIf(hasAnvil)("soprano init, with a node that keeps only the last states", () => {
  let anvil: Anvil;

  beforeAll(async () => {
    anvil = await openAnvil({ states: 20, chainId: 8453 });
  });
  afterAll(() => anvil?.stop());

  async function init(address: string, ...args: string[]) {
    const out = scratchFolder();
    const given = ["--rpc", anvil.url, "--yes", "--prices", "none", "--out", out, ...args];
    const { status, stdout, stderr } = await sopranoIn({}, "init", address, ...given);
    return { status, stderr, out, asset: status === 0 ? JSON.parse(readFileSync(stdout.trim(), "utf8")) : undefined };
  }

  it("takes the first block from the user", async () => {
    const { address, block } = await deploy(anvil, token("Pruned", "PRUNED"), [mint(ALICE, E18)]);
    await anvil.mine(undefined, 300);
    expect((await init(address)).stderr).toContain("give it with --first-block N.");
    expect((await init(address, "--first-block", String(block))).asset).toMatchObject({
      chain: "base",
      source: { chainId: 8453, firstBlock: block, events: "erc20" },
    });
  });

  it("takes WETH9 for what it is", async () => {
    const { address, block } = await deploy(anvil, creation("WETH9"));
    await anvil.send({ to: address, data: encode("WETH9", "deposit"), value: 5n * E18 });
    await anvil.mine(undefined, 300);
    expect((await init(address, "--first-block", String(block))).asset.source.events).toBe("weth9");
    await anvil.send({ to: address, data: encode("WETH9", "deposit"), value: 5n * E18 });
    await anvil.mine(undefined, 5);
    expect((await init(address, "--first-block", String(block))).asset.source.events).toBe("weth9");
  });

  it("proposes that the creator had what no event gave out", async () => {
    const [creator] = anvil.accounts as [string];
    const { address, block } = await deploy(anvil, creation("QuietMintToken", 77n * E18), [transfer(ALICE, E18)]);
    await anvil.mine(undefined, 300);
    const { out, stderr } = await init(address, "--first-block", String(block));
    expect(readFileSync(join(out, "QMT.opening.csv"), "utf8")).toBe(
      `address,value\n${creator.toLowerCase()},${77n * E18}\n`,
    );
    expect(stderr).toContain("it is taken to have had all of them from the start");
  });

  it("tells burns without a Transfer by the logs alone", async () => {
    const [holder] = anvil.accounts as [string];
    const calls = [mint(holder, 9n), encode("ZeppelinToken", "burn", 2n)];
    const alone = await deploy(anvil, creation("ZeppelinToken"), calls);
    const beside = await deploy(anvil, creation("LaterZeppelinToken", 900n), calls);
    await anvil.mine(undefined, 300);
    const eventsOf = async ({ address, block }: typeof alone) =>
      (await init(address, "--first-block", String(block), "--max-supply", "1")).asset.source.events;
    expect(await eventsOf(alone)).toBe("zeppelin-burn");
    expect(await eventsOf(beside)).toBe("erc20");
  });

  it("finds a rebasing token by what has just changed", async () => {
    const [holder] = anvil.accounts as [string];
    const { address, block } = await deploy(anvil, creation("RebasingToken"), [mint(holder, 100n * E18)]);
    await anvil.mine(undefined, 300);
    await anvil.send({ to: address, data: encode("RebasingToken", "rebase", 110n) });
    await anvil.send({ to: address, data: transfer(ALICE, E18) });
    await anvil.mine(undefined, 5);
    expect((await init(address, "--first-block", String(block))).stderr).toMatch(
      /can't be added up: .* change of balance/,
    );
  });
});
