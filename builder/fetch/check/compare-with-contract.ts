/**
 * Proves that the balances of replayed transfers are the chain's. Nodes answer with logs missing and no error, so logs
 * can't be trusted; balances can be compared. Source: docs/chain.md#the-check.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import type { FetchCheck } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { readBlock } from "../chain/blocks.ts";
import { addressTexts } from "../chain/hex.ts";
import type { Meet } from "../chain/rendezvous.ts";
import { readBalances, StateUnavailable } from "../chain/scan/scan.ts";
import { askEach } from "../chain/scan/second-opinion.ts";
import { BLOCKS_TRIED, isStillThere, type StateBlock, stateBlock } from "../chain/scan/state-block.ts";
import type { TransferColumns } from "../transfers/fetched-columns.ts";
import { mostBlocked } from "./blocked.ts";
import { type DifferenceCause, findCause } from "./causes/cause.ts";
import { problemsOf } from "./causes/describe.ts";
import type { BalanceDifference } from "./causes/first-difference.ts";
import type { WrongRange } from "./causes/other-logs.ts";
import { readTransferLogs, type Subject } from "./causes/subject.ts";
import { compareSupply, readTotalSupply, type Supply } from "./causes/supply.ts";
import { statesInDoubt } from "./doubt.ts";
import { type Chosen, chooseAddresses, chooseMoved } from "./ledgers/choose.ts";
import { Ledger } from "./ledgers/ledger.ts";
import { type Identity, readIdentity } from "./statements.ts";

export const DEFAULT_CHECK_LIMIT = 1_000_000;

export interface CheckOptions extends Subject {
  /** Blocks that a block waits for to be final; by default, the chain says. */
  confirmations?: number | undefined;
  /** Holders to compare, at most. */
  limit: number;
  /**
   * The balances after all transfers, in a ledger that the check may change. By default, `transfers` are replayed.
   *
   * @param onBlock called now and then with a block
   */
  ledger?(onBlock: (block: number) => void): Promise<Ledger>;
  /** Compares those alone that have moved anything after a block, the others being right there; but all of a few. */
  changes?: Changes | undefined;
  /** First block of what this run has fetched; the blocks before are in older files. */
  newFrom: number;
  /** The last block of a token that has ended: balances are compared there, however long ago it is. */
  lastBlock?: number | undefined;
  /** Logs that a block above the files most likely has. */
  density?: number | undefined;
  /** Transfers above the files up to a final block, in order, which have been read with theirs. */
  above?: { to: number; transfers: TransferColumns[] } | undefined;
  /** Indexes of the only nodes to read the logs above the files from. */
  tailNodes?: readonly number[] | undefined;
  progress: Progress;
  /** Waits for others that are about to compare balances. */
  meet?: Meet | undefined;
}

export interface Changes {
  after: number;
  /** All transfers of the files after that block; earlier ones don't matter. */
  transfers(): AsyncIterable<TransferColumns>;
  /** What was left out there. */
  blocked: readonly string[];
}

export interface CheckOutcome {
  check: FetchCheck;
  /** What the contract says of itself there. */
  identity: Identity;
  /** Harmless differences, and what was sampled. */
  notices: string[];
  /** Blocks whose logs another node has; empty if nothing can be mended. */
  wrong: WrongRange[];
}

/** Mints and burns that are compared one by one if only the supply differs. */
const MOST_MINTS = 1_000_000;
/** Blocked holders that a record lists. */
const LISTED = 1_000;
/** All are compared each time: they fit into one call. A missing log is found even if its parties appear in no other. */
const FEW_ADDRESSES = 1_000;
/** Addresses whose balances are in memory at once. */
const READ_AT_ONCE = 20_000;

/**
 * Compares balances and supply at the last final block, or at a newer one where nodes have dropped its state.
 *
 * @throws {Failure} as the nodes; or no node keeps the states of such blocks
 */
export async function checkFiles(options: CheckOptions): Promise<CheckOutcome> {
  for (let tried = 1; tried <= BLOCKS_TRIED; tried++) {
    const outcome = await checkOnce(options);
    if (outcome) return outcome;
  }
  throw new Failure(
    `The newest blocks of ${options.nodes.hosts.join(", ")} were replaced each time that balances were compared there. Run ` +
      "this again later, or add an --rpc URL of a node that keeps the states of final blocks.",
  );
}

/** @returns undefined if the block was replaced meanwhile, so that its logs and states may be of different forks */
async function checkOnce(options: CheckOptions): Promise<CheckOutcome | undefined> {
  const { progress, limit, source } = options;
  progress.step("replay balances", options.range.to - options.range.from + 1);
  const onBlock = (block: number) => progress.update(block - options.range.from);
  const ledger = options.ledger
    ? await options.ledger(onBlock)
    : await new Ledger().replay(options.transfers(), onBlock);
  await options.meet?.("balances");
  const tail = new Tail(options);
  const first = await blockToCheck(options);
  let block = first;
  for (const columns of await tail.extend(block.number)) ledger.apply(columns);
  const changes = ledger.addresses.size > FEW_ADDRESSES ? options.changes : undefined;
  const choose = async () =>
    changes ? chooseMoved(ledger, tail.after(changes), changes.after) : chooseAddresses(ledger, limit, block.hash);
  let chosen = await choose();
  progress.step("check balances", chosen.addresses.length);
  const comparison = new Comparison(options, ledger);
  let supply: Supply | undefined;
  let identity: Identity = {};
  let contradiction: string | undefined;
  for (let tried = 1; !supply; tried++) {
    try {
      await comparison.run(chosen, block.number);
      const [read, said] = await Promise.all([
        readSupply(options, ledger, block.number),
        readIdentity(options.nodes, source.contract, block.number),
      ]);
      identity = said;
      const { differences } = comparison;
      const isDoubtful = differences.length > 0 || read.problem !== undefined;
      const question = isDoubtful && statesInDoubt(options, differences, ledger.supply, block.number);
      const opinions = question ? await askEach(options.nodes, question) : undefined;
      contradiction = opinions?.contradiction;
      if (opinions?.hasLeftOut) comparison.forgetDifferences();
      else supply = read;
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error;
      if (tried === BLOCKS_TRIED) throw new Failure(stateText(options, first));
      // The chain may not have moved on yet.
      if (tried > 1) await sleep(options.nodes.patience.firstPauseMs * 2 ** tried);
      const before = block;
      block = await blockToCheck(options, before.number);
      if (!(await isStillThere(options.nodes, before))) return undefined;
      for (const columns of await tail.extend(block.number)) {
        ledger.apply(columns, (address) => comparison.forget(address));
      }
      // Whoever has moved meanwhile has changed, too.
      if (changes) chosen = await choose();
    }
  }
  progress.end();
  if (!(await isStillThere(options.nodes, block))) return undefined;

  const { differences: all } = comparison;
  const { overdraft } = ledger;
  const refused = all.filter(({ chain }) => chain === undefined);
  const isFew = refused.length <= mostBlocked(chosen.addresses.length);
  // The supply and all other balances being right, so is the sum of these.
  const isLeftOut = isFew && refused.length === all.length && !overdraft && !supply.problem;
  const differences = isLeftOut ? [] : all;
  let cause: DifferenceCause | undefined;
  if (supply.isUnreadable && differences.length === 0 && !overdraft) cause = { kind: "no supply" };
  else if (differences.length > 0 || overdraft || supply.problem) {
    progress.step("look for the cause");
    const zero = -supply.chain + (supply.burnt ?? 0n);
    const suspects = suspicious(ledger, differences, supply, zero);
    const until = differences.length === 0 && overdraft ? overdraft.block : block.number;
    const whole = { ...options, range: { from: options.range.from, to: block.number }, transfers: tail.all };
    cause = await findCause(whole, suspects, { block: until, newFrom: options.newFrom });
    progress.end();
    if (!(await isStillThere(options.nodes, block))) return undefined;
  }
  const { newFrom } = options;
  const findings = { block: block.number, newFrom, compared: chosen.addresses.length, hosts: options.nodes.hosts };
  const leftOut = isLeftOut ? refused : [];
  const blocked = [...new Set([...leftOut.map(({ address }) => address), ...(changes?.blocked ?? [])])].sort();
  const problems = problemsOf({ ...findings, differences, overdraft, supply, cause, contradiction });
  return {
    check: {
      status: cause ? "failed" : "passed",
      block: block.number,
      hash: block.hash,
      ...(block.number > block.final && { final: block.final }),
      holders: chosen.holders - leftOut.filter(({ replayed }) => replayed > 0n).length,
      of: chosen.of,
      ...(changes && { since: changes.after }),
      supply: `${supply.chain}`,
      at: new Date().toISOString(),
      ...(blocked.length > 0 && { blocked: blocked.slice(0, LISTED) }),
      ...(problems.length > 0 && { problems }),
    },
    identity,
    notices: [
      ...(chosen.holders < chosen.of && !changes ? [sampleText(chosen, limit, source.contract)] : []),
      ...(supply.notice ? [supply.notice] : []),
      ...(leftOut.length > 0 ? [refusedText(leftOut)] : []),
    ],
    wrong: cause?.kind === "omitted" ? cause.ranges : [],
  };
}

/**
 * The block at which states are read, or a token's last one.
 *
 * @param gone a block whose state no node has had
 */
async function blockToCheck(
  { nodes, confirmations, range, lastBlock }: CheckOptions,
  gone?: number,
): Promise<StateBlock> {
  const block = await stateBlock(nodes, confirmations, range.to, gone);
  if (lastBlock === undefined || lastBlock >= block.number) return block;
  return { ...(await readBlock(nodes, lastBlock)), final: block.final };
}

/** The transfers above the files: read for the check alone. */
class Tail {
  readonly #options: CheckOptions;
  #columns: TransferColumns[] = [];
  #to: number;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#to = options.range.to;
  }

  /** Reads on to a block, and returns what is new. */
  async extend(to: number): Promise<TransferColumns[]> {
    if (to <= this.#to) return [];
    const { tailNodes: of, density, above } = this.#options;
    const isRead = !of && above && above.to > this.#to && above.to <= to;
    const known = isRead ? above : { to: this.#to, transfers: [] };
    const rest = { from: known.to + 1, to };
    const read = rest.from > to ? [] : await readTransferLogs(this.#options, [rest], { of, density });
    const added = [...known.transfers, ...read];
    this.#to = to;
    this.#columns = this.#columns.concat(added);
    return added;
  }

  /** The files' transfers after a block, then these. */
  async *after({ transfers }: Changes): AsyncGenerator<TransferColumns> {
    yield* transfers();
    yield* this.#columns;
  }

  /** The files' transfers, then these. */
  readonly all = async function* (this: Tail): AsyncGenerator<TransferColumns> {
    yield* this.#options.transfers();
    yield* this.#columns;
  }.bind(this);
}

/** Balances of the ledger against the chain's. What was read at an earlier block counts, unless it moved since. */
class Comparison {
  readonly #options: CheckOptions;
  readonly #ledger: Ledger;
  /** Whether a balance has been read, by the address. */
  #isRead = new Uint8Array();
  readonly #differences = new Map<number, BalanceDifference>();

  constructor(options: CheckOptions, ledger: Ledger) {
    this.#options = options;
    this.#ledger = ledger;
  }

  get differences(): BalanceDifference[] {
    return [...this.#differences.values()];
  }

  /** The address has moved since it was read. */
  forget(address: number): void {
    if (address < this.#isRead.length) this.#isRead[address] = 0;
    this.#differences.delete(address);
  }

  /** All of them are read again. */
  forgetDifferences(): void {
    for (const address of this.#differences.keys()) this.forget(address);
  }

  /** @throws {StateUnavailable} what has been read until then is kept */
  async run({ addresses }: Chosen, block: number): Promise<void> {
    const { nodes, source, progress } = this.#options;
    const isRead = new Uint8Array(this.#ledger.addresses.size);
    isRead.set(this.#isRead);
    this.#isRead = isRead;
    const left = addresses.filter((address) => this.#isRead[address] === 0);
    const before = addresses.length - left.length;
    for (let first = 0; first < left.length; first += READ_AT_ONCE) {
      const numbers = left.subarray(first, first + READ_AT_ONCE);
      const bytes = this.#ledger.addresses.pick(numbers);
      const onProgress = (done: number) => progress.update(before + first + done);
      const onRead = (at: number, balances: readonly (bigint | undefined)[]) => {
        for (const [i, chain] of balances.entries()) this.#note(numbers[at + i]!, chain);
      };
      await readBalances(nodes, source.contract, bytes, block, { onProgress, onRead });
    }
  }

  #note(address: number, chain: bigint | undefined): void {
    this.#isRead[address] = 1;
    const replayed = this.#ledger.balance(address);
    if (chain === replayed) return;
    const [text] = addressTexts(this.#ledger.addresses.pick(Uint32Array.of(address)));
    // After an overdraft balances are right only modulo 2^256.
    const signed = this.#ledger.overdraft ? BigInt.asIntN(256, replayed) : replayed;
    this.#differences.set(address, { address: text!, replayed: signed, chain, moves: this.#ledger.moves(address) });
  }
}

async function readSupply({ nodes, source }: CheckOptions, ledger: Ledger, block: number): Promise<Supply> {
  const chain = await readTotalSupply(nodes, source.contract, block);
  // It explains a difference.
  const [zeroBalance] =
    chain === ledger.supply ? [] : await readBalances(nodes, source.contract, Buffer.alloc(ADDRESS_BYTES), block);
  return compareSupply(source.events, { chain, replayed: ledger.supply, zeroBalance });
}

/** What to find the cause by: balances; if all are right, an overdraft, or the supply. */
function suspicious(
  ledger: Ledger,
  differences: readonly BalanceDifference[],
  supply: Supply,
  chain: bigint,
): BalanceDifference[] {
  if (differences.length > 0) return [...differences];
  const { overdraft } = ledger;
  if (overdraft) {
    const { address } = overdraft;
    const [number] = ledger.addresses.numbersOf(Uint8Array.from(Buffer.from(address.slice(2), "hex")), "find");
    const balance = ledger.balance(number!);
    return [{ address, replayed: balance, chain: balance, moves: ledger.moves(number!) }];
  }
  if (!supply.problem || ledger.moves(0) > MOST_MINTS) return [];
  return [{ address: ZERO_ADDRESS, replayed: -ledger.supply, chain, moves: ledger.moves(0) }];
}

function sampleText({ holders, of }: Chosen, limit: number, contract: string): string {
  const largest = limit >> 1;
  return (
    `${contract}: a sample of ${count(holders)} of ${counted(of, "holder")} is checked: the ${count(largest)} largest and ` +
    `${count(holders - largest)} drawn at random. --check N sets how many.`
  );
}

function refusedText(refused: readonly BalanceDifference[]): string {
  const { address } = refused.reduce((least, one) => (one.address < least.address ? one : least));
  const more = refused.length > 1 ? ` and ${counted(refused.length - 1, "more address")}` : "";
  return (
    `balanceOf fails for ${address}${more} on the chain, so these are not compared. The supply and all other balances are ` +
    "right."
  );
}

function stateText({ nodes, lastBlock }: CheckOptions, { number }: StateBlock): string {
  if (number === lastBlock) {
    return (
      `No node (${nodes.hosts.join(", ")}) has the state of block ${number}, the asset's "lastBlock", at which its balances are ` +
      "compared. Add an --rpc URL of an archive node for this one fetch, or run it with --check none."
    );
  }
  return (
    `No node (${nodes.hosts.join(", ")}) keeps the state of block ${number} for long enough to check the balances. Add ` +
    "an --rpc URL of a node that keeps more states, or run again with --check N and a smaller number, or with --check none."
  );
}
