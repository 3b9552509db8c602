import { expect, it } from "vitest";
import { fromEtherscan } from "../../../../../builder/input/labels/kinds/make/etherscan-rows.ts";
import { CHAIN_NAMES, type Found } from "../../../../../builder/input/labels/kinds/make/found.ts";
import type { ContractKind } from "../../../../../data-schema/registry/contract-kinds.ts";

const row = (name: string, kind: ContractKind): Found => ({
  chain: "ethereum",
  address: `0x${"ab".repeat(20)}`,
  kind,
  name,
  source: "etherscan-labels:x",
  date: "2023-10-02",
});

it.each<[name: string, label: ContractKind, taken: ContractKind | undefined]>([
  // What is deposited lies in these tokens.
  ["Aave: aDAI Token V2", "lending", "lending"],
  ["Aave: amUSDC Token", "lending", "lending"],
  ["Compound: cWBTC2 Token", "lending", "lending"],
  ["unFederalReserve: unETH Token", "lending", "lending"],
  ["Aave: Lending Pool Core V1", "lending", "lending"],
  ["Aave: aDAI Token V1", "lending", undefined],
  ["Aave: vWETH Token V3", "lending", undefined],
  ["Aave: DAI Variable Debt V2", "lending", undefined],
  ["Compound: COMP Token", "lending", undefined],
  ["SushiSwap: SUSHI Token", "dex", undefined],
  ["Curve.fi: oBTC/sbtcCRV Token", "dex", undefined],
  // Keys of persons, and contracts that hold nothing of users.
  ["Curve.fi: Deployer 2", "dex", undefined],
  ["Aave: Genesis Team", "lending", undefined],
  ["Aave: Pool Data Provider V3", "lending", undefined],
  ["Aave: DAI Interest Rate Strategy V2", "lending", undefined],
  ["CafeSwap: Factory", "dex", undefined],
  ["Curve.fi: alUSD Factory Pool", "dex", "dex"],
  ["Compound: Timelock", "lending", undefined],
  ["", "dex", undefined],
  // Bridges within a chain.
  ["0x: Uniswap Bridge", "bridge", undefined],
  ["0x: Exchange Proxy", "dex", "dex"],
  ["Hop Protocol: USDC Bridge", "bridge", "bridge"],
  // The name says more than the label.
  ["MCDEX: Team Vesting #25", "dex", "vesting"],
  ["Aimedis: Team Token Locker", "staking", "vesting"],
  ["SushiSwap: Treasury Multisig", "multisig", "treasury"],
  ["Aave: Collector V2", "lending", "treasury"],
  ["Curve.fi: AAVE Liquidity Gauge", "dex", "staking"],
  ["SushiSwap: MasterChef V2", "dex", "staking"],
  ["Rhino.fi: Bridge", "dex", "bridge"],
  ["SushiSwap: eRSDL-USDC", "dex", "dex"],
])("%j under the label %s is taken as %s", (name, label, taken) => {
  expect(fromEtherscan([row(name, label)]).map(({ kind }) => kind)).toEqual(taken === undefined ? [] : [taken]);
});

it("an address that nobody has a key of is burnt on every chain; other burn addresses are not taken", () => {
  expect(fromEtherscan([row("Null: 0x000...dEaD", "burn")]).map(({ chain }) => chain)).toEqual(CHAIN_NAMES);
  expect(fromEtherscan([row("SUUPER: WILDFIRE", "burn"), row("Nova: Burning Allocations", "burn")])).toEqual([]);
});
