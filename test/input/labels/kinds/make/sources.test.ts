/** The lists of kinds are made of their sources' files, and of nothing else. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { fromEtherscan, parseEtherscan } from "../../../../../builder/input/labels/kinds/make/etherscan-rows.ts";
import { CHAIN_NAMES, type Found } from "../../../../../builder/input/labels/kinds/make/found.ts";
import { chainList } from "../../../../../builder/input/labels/kinds/make/lists.ts";
import { makeLists } from "../../../../../builder/input/labels/kinds/make/sources.ts";
import { formatKinds, readKinds, shippedKinds } from "../../../../../builder/input/labels/shipped-kinds.ts";
import { scratchFolder } from "../../../../folders.ts";

const ROOT = join(import.meta.dirname, "../../../../..");
const ETHERSCAN = join(ROOT, "../shared/data/labels/contract-kinds.csv");
const SCRIPT = join(ROOT, "builder/input/labels/kinds/make/make-kinds.ts");

const address = (byte: string) => `0x${byte.repeat(20)}`;

/** Files of the three sources. */
function sources(changes: Record<string, string> = {}) {
  const folder = scratchFolder();
  const files: Record<string, string> = {
    "aave/package.json": JSON.stringify({ name: "@bgd-labs/aave-address-book", version: "4.44.22", license: "MIT" }),
    "aave/src/AaveV3Base.sol": `library AaveV3Base {
      IPool internal constant POOL = IPool(0x${"A1".repeat(20)});
      ICollector internal constant COLLECTOR =
        ICollector(${address("a2")});
      address internal constant POOL_IMPL = ${address("a3")};
      address internal constant WETH_A_TOKEN = ${address("a4")};
      address internal constant WETH_UNDERLYING = ${address("a5")};
    }`,
    "aave/src/AaveV3BaseSepolia.sol": `address internal constant POOL = ${address("a6")};`,
    "beefy/package.json": JSON.stringify({
      name: "@beefyfinance/blockchain-addressbook",
      version: "0.59.18",
      license: "MIT",
    }),
    "beefy/dist/address-book/avax/platforms/joe.js": `const treasuryMultisig = "${address("b1")}";
      const joe = { router: "${address("b2")}", masterchefV3: "${address("b3")}", keeper: "${address("b4")}" };`,
    "beefy/dist/address-book/gnosis/platforms/honey.js": `const honey = { router: "${address("b5")}" };`,
    "etherscan.csv": [
      "chain,address,kind,name,source,date",
      `ethereum,${address("e1")},dex,"Curve.fi: DAI, USDC Pool",etherscan-labels:curve-fi,2023-10-02`,
      `avalanche,${address("b2")},lending,Aave: Router,etherscan-labels:aave,2023-10-02`,
      `avalanche,${address("b3")},staking,Trader Joe: MasterChef,etherscan-labels:staking,2023-10-02`,
      `bsc,${address("00")},burn,Null: 0x000...000,etherscan-labels:burn,2023-10-02`,
      `bsc,${address("11")},burn,Null: 0x111...111,etherscan-labels:burn,2023-10-02`,
      "",
    ].join("\n"),
    ...changes,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, aave: join(folder, "aave"), beefy: join(folder, "beefy"), etherscan: join(folder, "etherscan.csv") };
}

it("takes what holds tokens, from each source by its rules", async () => {
  const lists = await makeLists(sources());
  const linesOf = (chain: string) =>
    lists
      .find((list) => list.chain === chain)!
      .csv.trimEnd()
      .split("\n")
      .slice(1);
  const burn = `${address("11")},burn,Null: 0x111...111,etherscan-labels:burn,2023-10-02`;
  expect(linesOf("base")).toEqual([
    burn,
    `${address("a1")},lending,AaveV3Base POOL,aave-address-book@4.44.22,2026-03-22`,
    `${address("a2")},treasury,AaveV3Base COLLECTOR,aave-address-book@4.44.22,2026-03-22`,
    `${address("a4")},lending,AaveV3Base WETH_A_TOKEN,aave-address-book@4.44.22,2026-03-22`,
  ]);
  expect(linesOf("ethereum")).toEqual([
    burn,
    `${address("e1")},dex,Curve.fi: DAI USDC Pool,etherscan-labels:curve-fi,2023-10-02`,
  ]);
  // The router is an exchange by one source and a lender by the other.
  expect(linesOf("avalanche")).toEqual([
    burn,
    `${address("b1")},treasury,joe treasuryMultisig,blockchain-addressbook@0.59.18,2026-09-22`,
    `${address("b3")},staking,joe masterchefV3,blockchain-addressbook@0.59.18,2026-09-22`,
  ]);
  expect(lists.find(({ chain }) => chain === "avalanche")!.ambiguous).toEqual([
    { address: address("b2"), kinds: ["dex", "lending"], name: "joe router" },
  ]);
});

it.each([
  [
    { "aave/package.json": '{"name": "left-pad", "version": "1.0.0", "license": "MIT"}' },
    /aave\/package\.json is not that of @bgd-labs\/aave-address-book: unpack what npm pack @bgd-labs\/aave-address-book brings\.$/,
  ],
  [
    {
      "beefy/package.json":
        '{"name": "@beefyfinance/blockchain-addressbook", "version": "0.59.18", "license": "GPL-3.0"}',
    },
    /beefy\/package\.json: the licence of @beefyfinance\/blockchain-addressbook 0\.59\.18 is GPL-3\.0, not MIT\.$/,
  ],
  [
    { "aave/package.json": '{"name": "@bgd-labs/aave-address-book", "version": "5.0.0", "license": "MIT"}' },
    /the lists are made of @bgd-labs\/aave-address-book 4\.44\.22, not of 5\.0\.0\./,
  ],
  [{ "etherscan.csv": "address,kind\n" }, /the header must be chain,address,kind,name,source,date\.$/],
  [
    { "etherscan.csv": "chain,address,kind,name,source,date\nethereum,0x12,dex,A,etherscan-labels:dex,2023-10-02\n" },
    /row 2: is not a chain, address, kind, name, source and date\.$/,
  ],
])("refuses %o", async (changes, problem) => {
  await expect(makeLists(sources(changes as Record<string, string>))).rejects.toThrow(problem);
});

it("the script writes a file a chain, and says how many of each kind", () => {
  const { folder, aave, beefy, etherscan } = sources();
  const out = join(folder, "out");
  mkdirSync(out);
  const run = () =>
    execFileSync(process.execPath, [SCRIPT, "--aave", aave, "--beefy", beefy, "--etherscan", etherscan, "--out", out], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  expect(run()).toContain("base\t0\t2\t0\t0\t0\t1\t0\t1\t0\twritten\n");
  expect(readdirSync(out)).toEqual(CHAIN_NAMES.map((chain) => `${chain}.csv`).sort());
  expect(run()).toContain("base\t0\t2\t0\t0\t0\t1\t0\t1\t0\tas before\n");
});

it("what ships is what Etherscan's labels and the address books give", async ({ skip }) => {
  skip(!existsSync(ETHERSCAN), "the shared labels are not here");
  const taken = fromEtherscan(parseEtherscan(ETHERSCAN, readFileSync(ETHERSCAN, "utf8")));
  for (const chain of CHAIN_NAMES) {
    const { path } = shippedKinds(chain);
    const books: Found[] = (await readKinds(path))
      .filter(({ source }) => !source.startsWith("etherscan"))
      .map((row) => ({ ...row, chain }));
    expect(formatKinds(chainList(chain, [...books, ...taken]).rows)).toBe(readFileSync(path, "utf8"));
  }
});
