/** Checks, fetches again what is wrong from a node that has it, and checks again. Source: docs/chain.md#the-check. */

import type { FetchedFile } from "../../input/fetched/fetched.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { BlockRange } from "../chain/logs/pages.ts";
import { rangeText } from "./causes/describe.ts";
import type { WrongRange } from "./causes/other-logs.ts";
import { type CheckOptions, type CheckOutcome, checkFiles } from "./compare-with-contract.ts";

/** A file, and its blocks. */
export interface CheckedFile extends Pick<FetchedFile, "file" | "from" | "to"> {
  /** Whether the file is of the running day: no build resumes after it. */
  isUnsettled?: boolean;
}

export interface MendOptions extends CheckOptions {
  /** Files of earlier runs, ascending; they end before `newFrom`. */
  files: readonly CheckedFile[];
  /** With --repair: also older files are replaced. */
  repair: boolean;
  /**
   * Fetches the pages of this run that overlap some blocks again, and writes their files again.
   *
   * @param ranges ascending
   * @param nodes indexes of the nodes whose logs together are right
   * @param isExact those blocks alone: the nodes are wrong about others
   */
  replacePages(ranges: readonly BlockRange[], nodes: readonly number[], isExact: boolean): Promise<void>;
  /** Makes `ledger` start from the files. @returns whether it has not until now */
  distrust?(): boolean;
  /** Fetches an older file again, with the logs of all these nodes; `transfers` then gives its new rows. */
  replaceFile(file: CheckedFile, nodes: readonly number[]): Promise<void>;
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
  const right = new RightNodes(options);
  let { tailNodes } = options;
  for (let round = 1; ; round++) {
    const outcome = await checkFiles({ ...options, tailNodes });
    const failed = (problems: string[] = []) => {
      const { check } = outcome;
      const all = [...problems, ...(check.problems ?? [])];
      return { ...outcome, check: { ...check, problems: all }, notices: [...notices, ...outcome.notices] };
    };
    if (outcome.check.status === "passed") {
      return { ...outcome, notices: [...notices, ...outcome.notices] };
    }
    const wrong = outcome.wrong.map((range) => right.add(range));
    // What was kept may be wrong, and not the files.
    if (options.distrust?.()) continue;
    const places = placesOf(wrong, options);
    const isWidened = round > ROUNDS_BY_BLOCK && right.nodes.size === 1;
    const { pages, files, tail } = isWidened ? widened(places, options) : places;
    if (wrong.length === 0 || round === MOST_ROUNDS) return failed();
    if (files.size > 0 && !options.repair) return failed([repairText([...files.keys()])]);
    if (isWidened) notices.push("More blocks were wrong each time: all of them are fetched again.");
    for (const range of wrong.slice(0, NAMED)) {
      const hosts = range.nodes.map((node) => options.nodes.hosts[node]);
      notices.push(`${rangeText(range)} Fetched again from ${hosts.join(" and ")}.`);
    }
    const more = wrong.length - NAMED;
    if (more > 0) notices.push(`… and ${counted(more, "more block")}.`);
    for (const ranges of byNodes(pages)) await options.replacePages(ranges, ranges[0]!.nodes, right.nodes.size > 1);
    for (const [file, nodes] of files) await options.replaceFile(file, nodes);
    if (tail) tailNodes = tail;
  }
}

/** Nodes that were right where others were not, in any round. */
class RightNodes {
  /** With several, none is right everywhere. */
  readonly nodes = new Set<number>();
  readonly #options: MendOptions;
  readonly #byPlace = new Map<unknown, number[]>();

  constructor(options: MendOptions) {
    this.#options = options;
  }

  /** What is fetched as one needs the logs of all nodes that have been right about parts of it. */
  add(range: WrongRange): WrongRange {
    const place = fileOf(range, this.#options) ?? (range.from > this.#options.range.to ? "tail" : range.from);
    const nodes = [...new Set([...(this.#byPlace.get(place) ?? []), ...range.nodes])].sort((a, b) => a - b);
    this.#byPlace.set(place, nodes);
    for (const node of nodes) this.nodes.add(node);
    return { ...range, nodes };
  }
}

/** What holds the wrong blocks: pages of this run, older files, or logs above both, which only the check needs. */
function placesOf(wrong: readonly WrongRange[], options: MendOptions) {
  const files = new Map<CheckedFile, readonly number[]>();
  const pages: WrongRange[] = [];
  let tail: readonly number[] | undefined;
  for (const one of wrong) {
    const file = fileOf(one, options);
    if (one.from > options.range.to) tail = one.nodes;
    else if (one.from >= options.newFrom) pages.push(one);
    else if (file) files.set(file, one.nodes);
    else throw new Error(`no file has block ${one.from}`);
  }
  return { pages, files, tail };
}

const fileOf = (range: BlockRange, { files }: MendOptions) =>
  files.find(({ from, to }) => range.from <= to && range.to >= from);

/** All pages of this run or all older files, where some are wrong. */
function widened({ pages, files, tail }: ReturnType<typeof placesOf>, { newFrom, range, files: all }: MendOptions) {
  const [page] = pages;
  const [nodes] = files.values();
  return {
    pages: page ? [{ ...page, from: newFrom, to: range.to }] : [],
    files: nodes ? new Map(all.map((file) => [file, nodes])) : files,
    tail,
  };
}

/** The ranges that the same nodes have. */
const byNodes = (ranges: readonly WrongRange[]) => Map.groupBy(ranges, ({ nodes }) => nodes.join()).values();

function repairText(files: readonly CheckedFile[]): string {
  const names = files.slice(0, 5).map(({ file }) => file);
  const more = files.length > names.length ? ` and ${counted(files.length - names.length, "more file")}` : "";
  const [is, it] = files.length === 1 ? ["is", "it"] : ["are", "them"];
  const isFull = files.some(({ isUnsettled }) => !isUnsettled);
  const after = isFull ? "; the next build is then a full one" : "";
  return `${names.join(", ")}${more} ${is} wrong. Run soprano fetch with --repair to fetch ${it} again${after}.`;
}
