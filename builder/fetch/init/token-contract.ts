/** Whether a contract is an ERC-20, and what it calls itself. */

import { MAX_DECIMALS } from "../../../data-schema/asset.ts";
import { Failure } from "../../lib/failure.ts";
import { foreignLine, foreignName } from "../../lib/foreign-text.ts";
import type { Block } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { askAt } from "../chain/scan/at-block.ts";
import { isContractCode } from "../chain/scan/code.ts";
import { agreedOn } from "../chain/scan/second-opinion.ts";
import { decodeText } from "../chain/text.ts";
import { chainName } from "./chains.ts";
import { Contract } from "./contract.ts";

export interface TokenContract {
  contract: Contract;
  /** Hexadecimal. */
  code: string;
  /** The name that the contract has, made fit for one line; empty if it has none. */
  name: string;
  /** Whether it had to be changed for that. */
  isNameChanged: boolean;
  symbol: string;
  /** Undefined if the contract does not say. */
  decimals: number | undefined;
  /** Raw units, at the probed block. */
  totalSupply: bigint;
}

/** Interfaces of ERC-165, and what has them. */
const OTHER_KINDS = [
  { id: "80ac58cd", kind: "an ERC-721: a collection of non-fungible tokens" },
  { id: "d9b67a26", kind: "an ERC-1155: several tokens in one contract" },
];
/** An interface that no contract has: one that answers with yes does not know ERC-165. */
const NO_INTERFACE = "ffffffff";

/** What a contract says of itself: each value is undefined, or empty, if it does not say. */
interface Statements {
  code: string;
  /** Whether it is of each of `OTHER_KINDS`. */
  isOther: boolean[];
  totalSupply: bigint | undefined;
  balance: bigint | undefined;
  decimals: bigint | undefined;
  name: string;
  symbol: string;
}

/** What the statements are called in messages. */
const NAMES: Record<keyof Statements, string> = {
  code: "the code",
  isOther: "what supportsInterface says",
  totalSupply: "totalSupply()",
  balance: "its own balance",
  decimals: "decimals()",
  name: "name()",
  symbol: "symbol()",
};
const STATEMENTS = Object.keys(NAMES) as (keyof Statements)[];

async function statementsOf(contract: Contract, at: number): Promise<Statements> {
  const text = async (signature: "name()" | "symbol()") => decodeText((await contract.call(signature, at)) ?? "") ?? "";
  const isOther = await Promise.all(OTHER_KINDS.map(({ id }) => supports(contract, id, at)));
  const [code, totalSupply, balance, decimals, name, symbol] = await Promise.all([
    contract.code(at),
    contract.number("totalSupply()", at),
    // Some revert for the zero address.
    contract.balance(contract.address, at),
    contract.number("decimals()", at),
    text("name()"),
    text("symbol()"),
  ]);
  return { code, isOther, totalSupply, balance, decimals, name, symbol };
}

/** By all nodes: what `init` writes is believed from then on. @throws {Failure} they contradict each other */
async function agreedStatements(nodes: Nodes, contract: Contract, at: number): Promise<Statements> {
  const byNode = new Map<number, Statements>();
  const right = await agreedOn(nodes, {
    async read(node) {
      const statements = await statementsOf(new Contract(nodes, contract.address, node), at);
      byNode.set(node, statements);
      const { isOther, name, symbol } = statements;
      const shown = { ...statements, isOther: isOther.join(), name: foreignLine(name), symbol: foreignLine(symbol) };
      return STATEMENTS.map((one) => shown[one]);
    },
    nameOf: (index) => `${NAMES[STATEMENTS[index]!]} of ${contract.address} at block ${at}`,
  });
  // Who was wrong about anything has been left out.
  const [node] = nodes.active.filter((node) => byNode.has(node));
  return right && node !== undefined ? byNode.get(node)! : statementsOf(contract, at);
}

/**
 * Looks at a contract.
 *
 * @param block a final one
 * @throws {Failure} there is no contract, or it is not an ERC-20
 */
export async function readToken(nodes: Nodes, address: string, block: Block): Promise<TokenContract> {
  const contract = new Contract(nodes, address);
  const at = block.number;
  const said = await agreedStatements(nodes, contract, at);
  const { code, isOther, totalSupply, balance, decimals } = said;
  if (!isContractCode(code)) {
    const chain = `chain ${nodes.chainId} (${chainName(nodes.chainId)})`;
    throw new Failure(
      `${address} has no code at block ${at} of ${chain}, so it is not a token. Check the address, and that the node is one of its chain.`,
    );
  }
  const other = OTHER_KINDS.find((_, index) => isOther[index]);
  if (other) throw new Failure(`${address} is ${other.kind}. Soprano reads ERC-20 tokens.`);
  const lacking = totalSupply === undefined ? "totalSupply" : balance === undefined ? "balanceOf" : undefined;
  if (lacking !== undefined) {
    throw new Failure(`${address} is a contract, but not an ERC-20: it does not answer ${lacking}. Check the address.`);
  }
  if (decimals !== undefined && decimals > BigInt(MAX_DECIMALS)) {
    throw new Failure(`${address} has ${decimals} decimals; Soprano reads tokens with ${MAX_DECIMALS} at most.`);
  }
  const name = foreignName(said.name);
  return {
    contract,
    code,
    totalSupply: totalSupply!,
    name,
    // Some pad it.
    isNameChanged: said.name.replaceAll(/^[\s\0]+|[\s\0]+$/g, "") !== name,
    symbol: foreignLine(said.symbol),
    decimals: decimals === undefined ? undefined : Number(decimals),
  };
}

async function supports(contract: Contract, id: string, block: number): Promise<boolean> {
  const answer = async (interfaceId: string) => {
    const word = await contract.number("supportsInterface(bytes4)", block, interfaceId.padEnd(64, "0"));
    return word === 1n;
  };
  return (await answer(id)) && !(await answer(NO_INTERFACE));
}

/** EIP-1967: where a proxy keeps the address of its implementation. */
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

/** The symbol of a proxy's implementation, made fit for one line: the proxy may have none of its own. Empty if there is none. */
export async function implementationSymbol(nodes: Nodes, { contract }: TokenContract, block: Block): Promise<string> {
  const paramsAt = (tag: unknown) => [contract.address, IMPLEMENTATION, tag];
  const word = await askAt(nodes, "eth_getStorageAt", paramsAt, block, {});
  const [, address] = String(word).match(/^0x0{24}([0-9a-f]{40})$/i) ?? [];
  if (address === undefined || /^0*$/.test(address)) return "";
  const implementation = new Contract(nodes, `0x${address.toLowerCase()}`);
  return foreignLine(decodeText((await implementation.call("symbol()", block.number)) ?? "") ?? "");
}
