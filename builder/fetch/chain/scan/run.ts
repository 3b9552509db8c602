/** The ways in which a node runs a scanner, and what the answer says of its block. */

import { isBytes, quantity } from "../hex.ts";
import type { Block } from "../nodes/known.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { type FailureKind, OF_THE_NODE } from "../rpc/failures.ts";
import { assemble } from "./assemble-bytecode.ts";
import { checkStateIsKept } from "./kept-states.ts";
import { SCANNER_ADDRESS } from "./scanner.ts";
import { checkSeal, SEAL_DIGITS } from "./seal.ts";

/** A way to run code that is on no chain. */
export interface CallForm {
  name: string;
  /** The parameters of `eth_call`. */
  paramsOf(scanner: string, data: string, block: number): unknown[];
}

/** A state override puts the code at an address. Most nodes have them. */
export const BY_OVERRIDE: CallForm = {
  name: "override",
  paramsOf: (code, data, block) => [{ to: SCANNER_ADDRESS, data }, quantity(block), { [SCANNER_ADDRESS]: { code } }],
};

/**
 * A call without a receiver creates a contract, and answers with what would be its code: every node does that. Code has at
 * most 24,576 bytes (EIP-170), and what creates it 49,152 (EIP-3860).
 */
export const BY_CREATION: CallForm = {
  name: "creation",
  paramsOf: (code, data, block) => [{ data: `${creatorOf(code)}${data.slice(2)}` }, quantity(block)],
};

const FORMS: readonly CallForm[] = [BY_OVERRIDE, BY_CREATION];

const creators = new Map<string, string>();

/** Init code that creates a scanner, calls it with the bytes that follow, and answers what it does. */
function creatorOf(scanner: string): string {
  const known = creators.get(scanner);
  if (known) return known;
  const size = (bytes: number) => bytes.toString(16).padStart(4, "0");
  const length = (scanner.length - 2) / 2;
  // Answers with what follows it.
  const own = assemble(`PUSH2 ${size(length)} DUP1 PUSH2 000d PUSH1 00 CODECOPY PUSH1 00 RETURN`);
  const child = `${own.slice(2)}${scanner.slice(2)}`;
  const creator = assemble(`
        PUSH2 ${size(child.length / 2)} @child PUSH1 01 ADD PUSH1 00 CODECOPY
        PUSH2 ${size(child.length / 2)} PUSH1 00 PUSH1 00 CREATE
        @child PUSH2 ${size(child.length / 2 + 1)} ADD          ; address start
        DUP1 CODESIZE SUB                                       ; address start length
        SWAP1 DUP2 SWAP1 PUSH1 00 CODECOPY                      ; address length
        PUSH1 00 PUSH1 00 SWAP2 PUSH1 00 DUP5 GAS STATICCALL
        RETURNDATASIZE PUSH1 00 PUSH1 00 RETURNDATACOPY
        @done JUMPI
        RETURNDATASIZE PUSH1 00 REVERT
  done:
        RETURNDATASIZE PUSH1 00 RETURN
  child:
  `);
  const whole = `${creator}${child}`;
  creators.set(scanner, whole);
  return whole;
}

/** An answer without its seal, as 0x and hexadecimal digits; undefined if it has none. */
function unsealed(answer: unknown): string | undefined {
  return isBytes(answer) && answer.length >= 2 + SEAL_DIGITS ? `0x${answer.slice(2 + SEAL_DIGITS)}` : undefined;
}

/**
 * Runs a scanner at one node.
 *
 * @returns undefined if the answer is not a scanner's
 * @throws {NodeError} the attempt failed, or the answer is of another block
 */
export async function runAt(
  nodes: Nodes,
  node: number,
  form: CallForm,
  { scanner, data, header }: { scanner: string; data: string; header: Block },
): Promise<string | undefined> {
  const answer = await nodes.attempt(node, "eth_call", form.paramsOf(scanner, data, header.number));
  const rest = unsealed(answer);
  if (rest !== undefined) await checkSeal(nodes, header, (answer as string).slice(2, 2 + SEAL_DIGITS));
  return rest;
}

/** Why a node has no such way; other failures say nothing about that. */
const WITHOUT_IT: ReadonlySet<FailureKind> = new Set<FailureKind>(["unusable", "invalid", "refused", "unknown-method"]);

/** Failures that have nothing to do with the way. */
const OF_OTHERS: ReadonlySet<FailureKind> = new Set<FailureKind>([...OF_THE_NODE, "pruned", "stale"]);

/** How many of the forms some nodes do not have, from the first on. */
const lacking = new WeakMap<Nodes, number>();

/**
 * Runs a scanner at the node that can first.
 *
 * @param isWhole whether an answer has all that it should
 * @param node the only node to ask
 * @param isTelling whether an answer that fails says that nodes don't run scanners, and not that it was asked for too much
 * @returns undefined if no node runs it
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {NodeFailure} as `Nodes.ask`
 */
export async function runAnywhere(
  nodes: Nodes,
  run: { scanner: string; data: string; header: Block },
  isWhole: (answer: string) => boolean,
  node?: number,
  isTelling = node === undefined,
): Promise<string | undefined> {
  const { scanner, data, header } = run;
  for (let index = lacking.get(nodes) ?? 0; index < FORMS.length; index++) {
    try {
      const answer = await nodes.ask("eth_call", FORMS[index]!.paramsOf(scanner, data, header.number), {
        attempts: Math.max(2, nodes.active.length),
        ...(node !== undefined && { node }),
        accept(answer) {
          const rest = unsealed(answer);
          return rest !== undefined && isWhole(rest);
        },
        verify: (answer) => checkSeal(nodes, header, (answer as string).slice(2, 2 + SEAL_DIGITS)),
      });
      return unsealed(answer);
    } catch (error) {
      if (!(error instanceof NodeFailure) || OF_OTHERS.has(error.kind)) throw error;
      await checkStateIsKept(nodes, header.number, node);
      if (WITHOUT_IT.has(error.kind) && isTelling) {
        lacking.set(nodes, Math.max(index + 1, lacking.get(nodes) ?? 0));
      }
    }
  }
  return undefined;
}
