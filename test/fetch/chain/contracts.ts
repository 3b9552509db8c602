/** The contracts that tests deploy: those of this folder, and Uniswap's and WETH9 as npm has them. */

import { createRequire } from "node:module";
import * as Abi from "ox/Abi";
import * as AbiConstructor from "ox/AbiConstructor";
import * as AbiFunction from "ox/AbiFunction";
import compiled from "./contracts/compiled.json" with { type: "json" };

const require = createRequire(import.meta.url);

/** Build artefacts in node_modules, by contract. */
const ARTEFACTS = {
  WETH9: "canonical-weth/build/contracts/WETH9.json",
  UniswapV2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  UniswapV2Pair: "@uniswap/v2-core/build/UniswapV2Pair.json",
  UniswapV3Factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  PancakeV3Pool: "@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json",
  UniswapV3Pool: "@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json",
};

export type ContractName = keyof typeof compiled | keyof typeof ARTEFACTS;

interface Contract {
  creation: `0x${string}`;
  abi: Abi.Abi;
}

const known = new Map<ContractName, Contract>();

function contract(name: ContractName): Contract {
  let found = known.get(name);
  if (!found) {
    const { creation, abi } =
      name in ARTEFACTS ? artefact(name as keyof typeof ARTEFACTS) : compiled[name as keyof typeof compiled];
    found = { creation: creation as `0x${string}`, abi: Abi.from(abi as Abi.Abi) };
    known.set(name, found);
  }
  return found;
}

function artefact(name: keyof typeof ARTEFACTS): { creation: string; abi: unknown } {
  const { bytecode, abi } = require(ARTEFACTS[name]) as { bytecode: string; abi: unknown };
  // Uniswap v2 has it without 0x.
  return { creation: `0x${bytecode.replace(/^0x/, "")}`, abi };
}

/** The code that creates a contract, with its constructor's arguments. */
export function creation(name: ContractName, ...args: readonly unknown[]): string {
  const { creation: bytecode, abi } = contract(name);
  if (args.length === 0) return bytecode;
  return AbiConstructor.encode(AbiConstructor.fromAbi(abi), { bytecode, args: args as never });
}

/** The data that calls a function. */
export function encode(name: ContractName, functionName: string, ...args: readonly unknown[]): string {
  return AbiFunction.encodeData(AbiFunction.fromAbi(contract(name).abi, functionName as never), args as never);
}

/** What a function has answered. */
export function decode(name: ContractName, functionName: string, data: string): unknown {
  return AbiFunction.decodeResult(
    AbiFunction.fromAbi(contract(name).abi, functionName as never) as AbiFunction.AbiFunction,
    data as `0x${string}`,
  );
}
