/**
 * Which block a state is of. A node can answer with the state of another block than was asked for and say nothing, as a
 * replica that has stopped does behind healthy headers. So every answer of a scanner begins with a seal: what its block is
 * called inside the EVM. Source: docs/chain.md#states-and-their-blocks.
 */

import { isoTime } from "../../../../data-schema/text.ts";
import { findBlock } from "../blocks.ts";
import type { Block } from "../nodes/known.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { NodeError } from "../rpc/failures.ts";

/** TIMESTAMP, the block's number, and BLOCKHASH of the block before NUMBER: a word each. */
export const SEAL_DIGITS = 3 * 64;

const NO_HASH = `0x${"0".repeat(64)}`;

/**
 * Compares a seal with the header of the block that was asked for.
 *
 * - The time is the header's on every chain.
 * - The number tells blocks of the same second apart. On some rollups NUMBER is that of another chain's block: then no block
 *   of this chain has that number and this time, and the number says nothing.
 * - The hash of the block before tells forks apart. It counts once it was right: some chains have other hashes there.
 *
 * @param digits the words of the seal, hexadecimal
 * @throws {NodeError} `stale`: it is of another block
 */
export async function checkSeal(nodes: Nodes, asked: Block, digits: string): Promise<void> {
  const [time, number] = [0, 64].map((at) => BigInt(`0x${digits.slice(at, at + 64)}`)) as [bigint, bigint];
  const parent = `0x${digits.slice(128, SEAL_DIGITS)}`;
  if (time !== BigInt(asked.time))
    throw wrongBlock(
      `its state is of ${timeOfState(time)}, but block ${asked.number} is of ${timeOfState(asked.time)}`,
    );
  const { opcodes } = nodes.known;
  if (number !== BigInt(asked.number)) {
    if (!(await isOfThisChain(nodes, number, asked.time))) return;
    throw wrongBlock(`its state is of block ${number}, and not of block ${asked.number} of the same second`);
  }
  opcodes.isNumberOwn = true;
  if (parent === NO_HASH) return;
  if (parent === asked.parentHash) opcodes.tellsParent = true;
  else if (opcodes.tellsParent) {
    throw wrongBlock(`it is on another fork, on which ${parent} is the block before ${asked.number}`);
  }
}

/** Whether NUMBER is this chain's: the block of that number then has the time that came with it. */
async function isOfThisChain(nodes: Nodes, number: bigint, time: number): Promise<boolean> {
  const { opcodes } = nodes.known;
  if (opcodes.isNumberOwn !== undefined) return opcodes.isNumberOwn;
  const block = number <= BigInt(Number.MAX_SAFE_INTEGER) ? await findBlock(nodes, Number(number)) : undefined;
  if (block) opcodes.isNumberOwn = block.time === time;
  return block?.time === time;
}

const wrongBlock = (text: string) => new NodeError("stale", text);

/** The last time that JavaScript knows, in seconds. */
const LAST_TIME = 8_640_000_000_000n;

const timeOfState = (seconds: bigint | number) =>
  BigInt(seconds) > LAST_TIME ? `second ${seconds}` : isoTime(Number(seconds));
