import { Console } from "node:console";
import type { Command } from "commander";
import type { ProvenBalances } from "../fetch/check/ledgers/proven-balances.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure, StoreFailure, sentenceOf } from "../lib/failure.ts";
import { progressFor } from "../lib/terminal/progress.ts";
import { publishedSymbols } from "../published/builds/stored-builds.ts";
import { formatVerification, verify } from "../published/verify/verify.ts";
import { withStore } from "../store/open.ts";
import { type Globals, type Io, storeOptions, symbols } from "./options.ts";

export function addVerify(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(
    program
      .command("verify")
      .description("read what is published and check that it is complete and correct")
      .argument("[symbol...]", "assets (default: all that are published)", symbols)
      .option("--no-restatement", "also fail if the history differs from the previous build")
      .option(
        "--fetched <asset.json...>",
        "compare the holders of these assets with the balances that their last fetch has proven",
      ),
  ).action(async (named: string[], { restatement, fetched = [], ...place }) => {
    const quiet = program.opts<Globals>().quiet ?? false;
    const progress = progressFor(io.stderr, quiet);
    const proven = await balancesOf(fetched);
    const wrong = await withStore(place, io.env, async (store) => {
      const failed: string[] = [];
      const assets = named.length > 0 ? named : await publishedSymbols(store);
      const left = [...proven.keys()].find((symbol) => !assets.includes(symbol));
      if (left !== undefined) throw new Failure(`--fetched names ${left}, which is not verified: name it, too.`);
      for (const symbol of assets) {
        try {
          const verification = await verify(store, symbol, progress, proven.get(symbol));
          progress.end();
          log(ESCAPES.terminal(formatVerification(verification)));
          const { problems, history } = verification;
          if (problems.length > 0 || (!restatement && history && history.restated.length > 0)) failed.push(symbol);
        } catch (failure) {
          progress.end();
          // One failure does not stop the other assets; a failure of the store would repeat for each.
          if (assets.length === 1 || failure instanceof StoreFailure) throw failure;
          error(`soprano: ${sentenceOf(failure)}`);
          failed.push(symbol);
        }
      }
      return failed;
    });
    if (wrong.length > 0) throw new Failure(`${wrong.join(", ")} failed verification: see the messages above.`);
  });
}

/** The proven balances by symbol. @param paths of ASSET.json */
async function balancesOf(paths: readonly string[]): Promise<Map<string, ProvenBalances>> {
  if (paths.length === 0) return new Map();
  // Imported here because most runs do without it.
  const { provenBalances } = await import("../fetch/check/ledgers/proven-balances.ts");
  const proven = await Promise.all(paths.map(provenBalances));
  return new Map(proven.map((balances) => [balances.symbol, balances]));
}
