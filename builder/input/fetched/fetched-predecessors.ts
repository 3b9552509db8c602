/** Contracts that a token had before, whose transfers were fetched by an ASSET.json of their own. Source: docs/migrations.md#the-old-transfers. */

import { dirname, join } from "node:path";
import { advisedFetch } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { type AssetFile, fetchedTransfers } from "../asset/asset.ts";
import { inputsFolder, readFetched } from "./fetched.ts";

/** The symbol under which the files of a pattern are fetched, if they are. */
const fetchedSymbol = (pattern: string): string | undefined => {
  const symbol = /^inputs\/([^/]+)\/transfers\//.exec(pattern)?.[1];
  return symbol !== undefined && pattern === fetchedTransfers(symbol) ? symbol : undefined;
};

/** @throws {Failure} what was fetched of a predecessor is of another contract or chain, was found wrong, or ends too early */
export async function checkPredecessors({ path, predecessors = [], source, asOf }: AssetFile): Promise<void> {
  for (const [at, { transfers, contract, until }] of predecessors.entries()) {
    for (const symbol of transfers.flatMap((pattern) => fetchedSymbol(pattern) ?? [])) {
      const refuse = (what: string) =>
        new Failure(`${path}: inputs/${symbol}, which "predecessors[${at}]" names, ${what}.`);
      const again = `run ${advisedFetch(join(dirname(path), `${symbol}.json`))}`;
      const fetched = await readFetched(inputsFolder(path, symbol));
      if (!fetched) throw refuse(`has not been fetched yet: ${again}`);
      if (fetched.contract !== contract) throw refuse(`was fetched for ${fetched.contract}, not for ${contract}`);
      if (source && fetched.chainId !== source.chainId) {
        throw refuse(`is of chain ${fetched.chainId}, not of ${source.chainId}: a history is of one chain`);
      }
      if (fetched.check?.status === "failed") {
        throw refuse(`differs from the chain, as its last check says: ${again}`);
      }
      if (until !== undefined) {
        const ends = [...fetched.files, ...(fetched.hours ? [fetched.hours] : [])].map(({ to }) => to);
        if (!ends.some((end) => end >= until)) throw refuse(`ends before block ${until}, its "until": ${again}`);
      } else if (asOf !== undefined && Date.parse(fetched.asOf) / 1000 < asOf) {
        const wanted = new Date(asOf * 1000).toISOString();
        throw refuse(
          `is fetched up to ${fetched.asOf}, not up to ${wanted}, and tokens may still be swapped: ${again}`,
        );
      }
    }
  }
}
