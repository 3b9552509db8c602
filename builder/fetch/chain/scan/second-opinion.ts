/**
 * What several nodes say of the same states. One whose states are wrong says so with full confidence, so what one node
 * alone says is asked of the others before it is believed. Source: docs/chain.md#several-nodes.
 */

import { Failure } from "../../../lib/failure.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { NodeError } from "../rpc/failures.ts";
import { StateUnavailable } from "./kept-states.ts";

/** What a node says of each thing that it was asked. */
export interface Testimony {
  node: number;
  said: readonly unknown[];
}

export interface Verdict {
  /** Nodes that are wrong, each with a thing that it is wrong about. */
  wrong: { node: number; index: number }[];
  /** A thing of which nothing tells who is right. */
  undecided: number | undefined;
  /** What counts, of each thing; what was said first where nothing decides. */
  right: unknown[];
}

/**
 * Judges each thing by what most nodes say; where as many say one as another, by what is expected. Nodes that are wrong
 * about one thing have no voice in what is undecided then.
 *
 * @param expected of each thing, what other evidence says; undefined if there is none
 */
export function judge(testimonies: readonly Testimony[], expected?: readonly unknown[]): Verdict {
  const count = testimonies[0]?.said.length ?? 0;
  const right: unknown[] = [];
  const undecided = new Set<number>();
  const wrong = new Map<number, number>();
  const decide = (index: number, voices: readonly Testimony[]) => {
    const values = voices.map(({ said }) => said[index]);
    const timesOf = (value: unknown) => values.filter((other) => other === value).length;
    const most = Math.max(...values.map(timesOf));
    const leading = [...new Set(values.filter((value) => timesOf(value) === most))];
    const isDecided = leading.length === 1 || (expected !== undefined && leading.includes(expected[index]));
    right[index] = leading.length === 1 ? leading[0] : isDecided ? expected![index] : values[0];
    undecided[isDecided ? "delete" : "add"](index);
    if (!isDecided) return;
    for (const { node, said } of testimonies) {
      if (said[index] !== right[index] && !wrong.has(node)) wrong.set(node, index);
    }
  };
  for (let index = 0; index < count; index++) decide(index, testimonies);
  const others = testimonies.filter(({ node }) => !wrong.has(node));
  if (others.length > 0 && others.length < testimonies.length)
    for (const index of [...undecided]) decide(index, others);
  return { wrong: Array.from(wrong, ([node, index]) => ({ node, index })), undecided: [...undecided][0], right };
}

export interface StateQuestion {
  /** What one node says of each thing. Values that are the same are equal by `===`. */
  read(node: number): Promise<readonly unknown[]>;
  /** What other evidence says of each thing, and what that evidence is, such as `its transfers`. */
  expected?: { values: readonly unknown[]; by: string };
  /** A noun, such as `the balance of 0x… at block 5`. */
  nameOf(index: number): string;
}

export interface Opinions {
  /** What counts, of each thing. */
  right: unknown[];
  /** Whether nodes were left out. */
  hasLeftOut: boolean;
  /** A sentence for the user if nothing tells which nodes are right. */
  contradiction: string | undefined;
}

/**
 * Asks each node that takes part, and leaves out those that are wrong.
 *
 * @returns undefined if fewer than two nodes answer
 */
export async function askEach(nodes: Nodes, { read, expected, nameOf }: StateQuestion): Promise<Opinions | undefined> {
  const asked = await Promise.all(nodes.active.map((node) => testimonyOf(node, read)));
  const testimonies = asked.filter((testimony) => testimony !== undefined);
  if (testimonies.length < 2) return undefined;
  const { wrong, undecided, right } = judge(testimonies, expected?.values);
  // One always remains, since somebody has said what counts.
  const isAnyRight = wrong.length < testimonies.length;
  for (const { node, index } of isAnyRight ? wrong : wrong.slice(1)) {
    const also = expected?.values[index] === right[index] ? `, and ${expected?.by}` : "";
    const others = testimonies.filter(({ said }) => said[index] === right[index]);
    const by = others.map((other) => nodes.hosts[other.node]).join(", ");
    const own = testimonies.find((testimony) => testimony.node === node)!.said[index];
    nodes.leaveOut(
      node,
      new NodeError("wrong", `${nameOf(index)} is ${show(own)} by it, but ${show(right[index])} by ${by}${also}`),
    );
  }
  return {
    right,
    hasLeftOut: nodes.active.length < asked.length,
    contradiction: undecided === undefined ? undefined : contradictionOf(undecided),
  };

  function contradictionOf(index: number): string {
    const opinions = testimonies.map(({ node, said }) => `${show(said[index])} by ${nodes.hosts[node]}`).join(", ");
    const also = expected ? `, and ${show(expected.values[index])} by ${expected.by}` : "";
    return (
      `The nodes contradict each other: ${nameOf(index)} is ${opinions}${also}. Add another node with --rpc, or leave out ` +
      "the one that is wrong."
    );
  }
}

/**
 * What the nodes agree on; where they do not, what most say.
 *
 * @returns undefined if fewer than two nodes answer
 * @throws {Failure} nothing tells which of them are right
 */
export async function agreedOn(nodes: Nodes, question: StateQuestion): Promise<unknown[] | undefined> {
  if (nodes.active.length < 2) return undefined;
  const opinions = await askEach(nodes, question);
  if (opinions?.contradiction !== undefined) throw new Failure(opinions.contradiction);
  return opinions?.right;
}

/** Undefined if the node does not say. */
async function testimonyOf(node: number, read: StateQuestion["read"]): Promise<Testimony | undefined> {
  try {
    return { node, said: await read(node) };
  } catch (error) {
    if (error instanceof Failure || error instanceof StateUnavailable) return undefined;
    throw error;
  }
}

/** Numbers below are shown as such, other words as bytes. */
const SMALL = 1n << 32n;
/** Digits of a word, or of an address, with 0x; more are counted only. */
const LONGEST = 66;

function show(value: unknown): string {
  if (typeof value !== "string") return value === undefined ? "nothing" : String(value);
  if (value === "" || value === "0x") return "nothing";
  if (/^0x/.test(value) && value.length > LONGEST) return `${(value.length - 2) / 2} bytes`;
  if (!/^0x[0-9a-f]{64}$/.test(value)) return value;
  return BigInt(value) < SMALL ? String(BigInt(value)) : `0x${value.slice(2).replace(/^0+/, "")}`;
}
