/** What the steps of a fetch share, what it is asked for, and what it did. */

import type { AssetFile } from "../../input/asset/asset.ts";
import type { Source } from "../../input/asset/source.ts";
import type { FetchCheck, Fetched, TableRole } from "../../input/fetched/fetched.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { LogSource } from "../chain/logs/pages.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import type { Meet } from "../chain/rendezvous.ts";
import type { KeptFacts } from "../kept/kept-facts.ts";
import type { LogTimes } from "../times/log-times.ts";
import type { EventSource } from "../transfers/decode-logs.ts";
import type { Opening } from "../transfers/opening.ts";
import type { Continued } from "./continued.ts";
import type { Estimate } from "./estimate.ts";

/** The last day or hour to fetch. */
export interface Until {
  /** `2026-11-20`, or `2026-11-20T14`. */
  text: string;
  /** Its end, Unix seconds. */
  end: number;
}

export interface FetchOptions {
  nodes: Nodes;
  logs: LogSource;
  /** Also fetches the hours of the running day. */
  hours?: boolean | undefined;
  /** Default: the last day or hour that is complete and final. */
  until?: Until | undefined;
  /** Blocks above a final one; by default, the chain's own finality counts. */
  confirmations?: number | undefined;
  /**
   * Which balances are compared with the chain before new files are put into place. What is due are all of them; where only
   * hours are new, those that have changed since the last check.
   */
  check: "none" | "due" | "all";
  /** Holders to compare, at most. */
  checkLimit: number;
  /** Looks again at what is otherwise kept for good. */
  recheck?: TableRole | undefined;
  /** Asks whether prices are to be replaced, without --repair. @throws {Failure} they are not */
  confirm?: ((question: string) => Promise<void>) | undefined;
  /** Fetches again, or computes again, all that has changed or is wrong. */
  repair?: boolean | undefined;
  /** The rate of each node, if the user says; for the estimate. */
  requestsPerSecond?: number | undefined;
  /** Ends with the estimate. */
  dryRun?: boolean | undefined;
  /** Goes ahead however long it takes. */
  yes?: boolean | undefined;
  /** Where the inputs are kept between fetches. */
  store?: ObjectStore | undefined;
  signal?: AbortSignal | undefined;
  progress: Progress;
  /** Without, the asset is fetched by itself. */
  meet?: Meet | undefined;
}

/** What a fetch did. */
export interface FetchOutcome {
  symbol: string;
  /** `unchanged`: there was nothing new. `planned`: a dry run. */
  status: "fetched" | "unchanged" | "planned";
  /** Everything before is complete: ISO 8601. In a dry run: would be. */
  asOf: string;
  /** The new files, and the transfers in them. */
  files: string[];
  rows: number;
  /** Older files that --repair has fetched again: the next build is a full one if their transfers have changed. */
  repaired?: string[];
  /** The estimate of a dry run that has something to fetch. */
  estimate?: Estimate;
  check?: FetchCheck;
  /** What the user was told beside it. */
  notices: string[];
  /** Addresses that were looked at for the first time, and those of them that are contracts. */
  contracts?: { looked: number; added: number };
  /** New rows of prices.csv, and those that --recheck prices or --repair has replaced. */
  prices?: { rows: number; replaced?: number };
}

/** An asset that is being fetched. */
export interface AssetFetch extends FetchOptions, Continued {
  asset: AssetFile;
  source: Source;
  events: EventSource;
  opening: Opening | undefined;
  /** `inputs/<SYMBOL>`. */
  folder: string;
  /** What fetch.json says; undefined before the first fetch. The last check may have left nothing else. */
  recorded: Fetched | undefined;
  facts: KeptFacts;
  times: LogTimes;
  note(text: string): void;
}
