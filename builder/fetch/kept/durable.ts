/** Files of a fetch, written durably, and what is said when one can't be. */

import { Failure, writeProblem } from "../../lib/failure.ts";
import { replaceDurably } from "../../lib/files/durable.ts";

/**
 * Writes a file under a temporary name, flushes it and renames it.
 *
 * @throws {Failure} the disk is full, or the file can't be written
 */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  try {
    await replaceDurably(path, bytes);
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** The failure for an error of writing; errors that are not the system's stay as they are. */
export function writeFailure(path: string, error: unknown): unknown {
  const problem = writeProblem(error);
  if (problem === undefined) return error;
  return new Failure(
    `${path} can't be written; ${problem}, then run soprano fetch again: it keeps what it has fetched.`,
    {
      cause: error,
    },
  );
}
