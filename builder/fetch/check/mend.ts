/** Checks, fetches again what is wrong from a node that has it, and checks again. Source: docs/chain.md#the-check. */

import type { FetchedFile } from "../../input/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amounts.ts";
import type { BlockRange } from "../chain/pages.ts";
import { type CheckOptions, type CheckOutcome, checkFiles } from "./check.ts";
import { rangeText } from "./describe.ts";
import type { WrongRange } from "./other-logs.ts";

export interface MendOptions extends CheckOptions {
  /** Files of earlier runs, ascending; they end before `newFrom`. */
  files: readonly FetchedFile[];
  /** With --repair: also older files are replaced. */
  repair: boolean;
  /**
   * Fetches the pages of this run that overlap some blocks again, from one node, and writes their files again.
   *
   * @param ranges ascending
   * @param isExact those blocks alone: the node is wrong about others
   */
  replacePages(ranges: readonly BlockRange[], node: number, isExact: boolean): Promise<void>;
  /** Fetches an older file again, from one node; `transfers` then gives its new rows. */
  replaceFile(file: FetchedFile, node: number): Promise<void>;
}

/** Checks after a repair. Each finds what the one before could not, such as other logs of the same address. */
const MOST_ROUNDS = 12;
/** Blocks that are named in each round. */
const NAMED = 10;
/** Repairs block by block. A node that is wrong in more places is not asked again: all that it could have sent is. */
const ROUNDS_BY_BLOCK = 3;

/**
 * @returns a check that passed, or failed and could not be mended: its problems say why
 * @throws {Failure} as `checkFiles` and the functions that replace
 */
export async function checkAndMend(options: MendOptions): Promise<CheckOutcome> {
  const notices: string[] = [];
  /** Nodes that were right where others were not. With several, none is right everywhere. */
  const right = new Set<number>();
  let { tailNode } = options;
  for (let round = 1; ; round++) {
    const outcome = await checkFiles({ ...options, tailNode });
    const failed = (problems: string[] = []) => {
      const { check } = outcome;
      const all = [...problems, ...(check.problems ?? [])];
      return { ...outcome, check: { ...check, problems: all }, notices: [...notices, ...outcome.notices] };
    };
    if (outcome.check.status === "passed") {
      return { ...outcome, notices: [...notices, ...outcome.notices] };
    }
    const places = placesOf(outcome.wrong, options);
    for (const { node } of outcome.wrong) right.add(node);
    const isWidened = round > ROUNDS_BY_BLOCK && right.size === 1;
    const { pages, files, tail } = isWidened ? widened(places, options) : places;
    if (outcome.wrong.length === 0 || round === MOST_ROUNDS) return failed();
    if (files.size > 0 && !options.repair) return failed([repairText([...files.keys()])]);
    if (isWidened) notices.push("More blocks were wrong each time: all of them are fetched again.");
    for (const range of outcome.wrong.slice(0, NAMED)) {
      notices.push(`${rangeText(range)} Fetched again from ${options.nodes.hosts[range.node]}.`);
    }
    const more = outcome.wrong.length - NAMED;
    if (more > 0) notices.push(`… and ${counted(more, "more block")}.`);
    for (const [node, ranges] of byNode(pages)) await options.replacePages(ranges, node, right.size > 1);
    for (const [file, node] of files) await options.replaceFile(file, node);
    if (tail !== undefined) tailNode = tail;
  }
}

/** What holds the wrong blocks: pages of this run, older files, or logs above both, which only the check needs. */
function placesOf(wrong: readonly WrongRange[], { files, range, newFrom }: MendOptions) {
  const old = new Map<FetchedFile, number>();
  const pages: WrongRange[] = [];
  let tail: number | undefined;
  for (const one of wrong) {
    const file = files.find(({ from, to }) => one.from <= to && one.to >= from);
    if (one.from > range.to) tail = one.node;
    else if (one.from >= newFrom) pages.push(one);
    else if (file) old.set(file, one.node);
    else throw new Failure(`Block ${one.from} is wrong, but in no file: remove the inputs and fetch them again.`);
  }
  return { pages, files: old, tail };
}

/** All pages of this run or all older files, where some are wrong. */
function widened({ pages, files, tail }: ReturnType<typeof placesOf>, { newFrom, range, files: all }: MendOptions) {
  const [page] = pages;
  const [node] = files.values();
  return {
    pages: page ? [{ ...page, from: newFrom, to: range.to }] : [],
    files: node === undefined ? files : new Map(all.map((file) => [file, node])),
    tail,
  };
}

function byNode(ranges: readonly WrongRange[]): Map<number, BlockRange[]> {
  const nodes = new Map<number, BlockRange[]>();
  for (const { node, from, to } of ranges) nodes.set(node, [...(nodes.get(node) ?? []), { from, to }]);
  return nodes;
}

function repairText(files: readonly FetchedFile[]): string {
  const names = files.slice(0, 5).map(({ file }) => file);
  const more = files.length > names.length ? ` and ${counted(files.length - names.length, "more file")}` : "";
  const [is, it] = files.length === 1 ? ["is", "it"] : ["are", "them"];
  return (
    `${names.join(", ")}${more} ${is} wrong. Run soprano fetch with --repair to fetch ${it} again; ` +
    "the next build is then a full one."
  );
}
