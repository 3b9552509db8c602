/** The reports of a night, as `fetch` and `build` write them: what was not fetched or built, and why. Source: docs/nightly.md#the-report. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as v from "valibot";
import { Failure } from "../../lib/failure.ts";
import type { Trouble } from "./read-status.ts";

const reportSchema = v.object({
  schema: v.literal(1),
  stopped: v.exactOptional(v.string()),
  assets: v.array(
    v.object({
      file: v.string(),
      symbol: v.nullable(v.string()),
      status: v.string(),
      error: v.exactOptional(v.string()),
    }),
  ),
});

/**
 * The trouble of a night by symbol, or by file where that can't be read. What a later report says of an asset counts.
 *
 * @throws {Failure} a file is missing, or no report
 */
export async function readTroubles(paths: readonly string[]): Promise<Map<string, Trouble>> {
  const troubles = new Map<string, Trouble>();
  for (const path of paths) {
    const { assets, stopped } = await readReport(path);
    for (const { file, symbol, status, error } of assets) {
      const name = symbol ?? file;
      if (isTrouble(status)) troubles.set(name, { status, why: error ?? stopped ?? `it was ${status}` });
    }
  }
  return troubles;
}

const TROUBLES = ["failed", "skipped", "unfetched"] as const;
const isTrouble = (status: string): status is Trouble["status"] => TROUBLES.some((one) => one === status);

/** An asset that a fetch could not bring, and why. */
export interface FailedFetch {
  /** The path that the report has. */
  file: string;
  symbol: string | null;
  error: string;
}

/**
 * What a fetch has failed to bring, by the full path of its ASSET.json.
 *
 * @throws {Failure} the file is missing, or no report
 */
export async function readFailedFetches(path: string): Promise<Map<string, FailedFetch>> {
  const { assets } = await readReport(path);
  const failed = assets.filter(({ status }) => status === "failed");
  return new Map(
    failed.map(({ file, symbol, error = "it could not be fetched" }) => [resolve(file), { file, symbol, error }]),
  );
}

async function readReport(path: string): Promise<v.InferOutput<typeof reportSchema>> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === "ENOENT"
        ? "does not exist: the command that writes it has not ended"
        : `can't be read (${error.code})`;
    throw new Failure(`${path} ${why}.`);
  });
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), reportSchema), text);
  if (result.success) return result.output;
  throw new Failure(
    `${path} is no report of this version of Soprano: name a file that --report of fetch or build wrote.`,
  );
}
