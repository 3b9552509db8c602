/** The place where the stages of one build leave what they have made: a folder, or a prefix of a bucket. */

import type { Codec } from "../../../data-schema/parquet.ts";

export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Files appear in it whole. Several attempts at a task may run at once, because they write the same bytes. The plan and what
 * tasks leave name no place on a machine, so a folder may be moved, and be mounted elsewhere on each machine.
 */
export interface StageFolder {
  /** What messages call the folder. */
  readonly name: string;
  /** The asset file, as this machine has it: the plan names the inputs relative to its folder. */
  readonly assetPath: string;
  /** The codec of the tables. */
  readonly codec: Codec;
  /** A folder on this machine: for what DuckDB reads and writes, and for copies of what a bucket has. */
  readonly scratch: string;
  /**
   * Makes `scratch` for a new plan, and removes what attempts that were killed have left.
   *
   * @throws {Failure} it can't be made
   */
  make(): Promise<void>;
  /** @throws {Failure} the file can't be written */
  write(name: string, pieces: Pieces): Promise<void>;
  /** Puts a file of `scratch` here, under the same name. */
  keep(name: string): Promise<void>;
  /** Copies a file to `scratch`. */
  copy(name: string): Promise<void>;
  /** @returns undefined if there is no such file */
  readText(name: string): Promise<string | undefined>;
  /** @throws {Error} there is no such file */
  table(name: string): Promise<FetchedTable>;
  remove(name: string): Promise<void>;
}

/** A Parquet file on this machine: its footer, and the row groups that have been fetched. */
export interface FetchedTable {
  path: string;
  fetch(groups: Iterable<number>): Promise<void>;
}
