/** What the user is told about nodes that fail. */

import type { FailureKind, NodeError } from "./failures.ts";

/** What is wrong with a node as a whole. */
export const VERBS: Partial<Record<FailureKind, string>> = {
  authentication: "refuses the key or the request",
  quota: "says that the quota of its plan is used up",
  unreachable: "can't be reached",
  stale: "answers for the wrong block",
  wrong: "gives wrong states",
};

export const LATER = "Run this again later, or add another node with --rpc; what was fetched is kept.";

/** What to do about a failure. */
const ADVICE: Partial<Record<FailureKind, string>> = {
  authentication: "Check the key in its URL.",
  quota: "Run this again when the quota is renewed, or add another node with --rpc; what was fetched is kept.",
  unreachable: "Check its URL, and that this machine is online.",
  pruned: "Use an archive node.",
  "unknown-method": "Use a node that offers it.",
  stale: "It may have stopped while its headers go on: add another node with --rpc, or run this again later.",
  garbled: "Check the path of the URL, or add another node with --rpc.",
};

/** @param what the call, if the sentence should name it */
export function sentence(hosts: string, { kind, message }: NodeError, what?: string): string {
  const verb = VERBS[kind] ?? (what === undefined ? "does not work" : `does not answer ${what}`);
  return `${hosts} ${verb}: ${message}. ${ADVICE[kind] ?? LATER}`;
}

/** Such as `1 minute` or `40 seconds`. */
export function spanOf(ms: number): string {
  const [count, unit] = ms < 60_000 ? [Math.ceil(ms / 1000), "second"] : [Math.round(ms / 60_000), "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
