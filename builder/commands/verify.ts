import { Console } from "node:console";
import type { Command } from "commander";
import type * as v from "valibot";
import type { ProvenBalances } from "../fetch/check/ledgers/proven-balances.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure, StoreFailure, sentenceOf } from "../lib/failure.ts";
import { progressFor } from "../lib/terminal/progress.ts";
import { publishedSymbols } from "../published/builds/stored-builds.ts";
import { formatVerification, type Verification, verify } from "../published/verify/verify.ts";
import { withStore } from "../store/open.ts";
import { jsonOption, type OUTPUTS, printJson } from "./json-output.ts";
import { type Globals, type Io, storeOptions, symbols } from "./options.ts";

export function addVerify(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(
    program
      .command("verify")
      .description("read what is published and check that it is complete and correct")
      .argument("[symbol...]", "assets (default: all that are published)", symbols)
      .option(...jsonOption)
      .option("--no-restatement", "also fail if the history differs from the previous build")
      .option(
        "--fetched <asset.json...>",
        "compare the holders of these assets with the balances that their last fetch has proven",
      ),
  ).action(async (named: string[], { restatement, fetched = [], json, ...place }) => {
    const quiet = program.opts<Globals>().quiet ?? false;
    const progress = progressFor(io.stderr, quiet);
    const proven = await balancesOf(fetched);
    const wrong = await withStore(place, io.env, async (store) => {
      const failed: string[] = [];
      const found: VerifiedAsset[] = [];
      const assets = named.length > 0 ? named : await publishedSymbols(store);
      const left = [...proven.keys()].find((symbol) => !assets.includes(symbol));
      if (left !== undefined) throw new Failure(`--fetched names ${left}, which is not verified: name it, too.`);
      for (const symbol of assets) {
        try {
          const verification = await verify(store, symbol, progress, proven.get(symbol));
          progress.end();
          const { problems, history } = verification;
          if (json) found.push(verifiedAsset(verification));
          else log(ESCAPES.terminal(formatVerification(verification)));
          if (problems.length > 0 || (!restatement && history && history.restated.length > 0)) failed.push(symbol);
        } catch (failure) {
          progress.end();
          // One failure does not stop the other assets; a failure of the store would repeat for each.
          if (failure instanceof StoreFailure || (assets.length === 1 && !json)) throw failure;
          found.push({ symbol, error: sentenceOf(failure) });
          error(`soprano: ${sentenceOf(failure)}`);
          failed.push(symbol);
        }
      }
      if (json) printJson(io, "verify", { schema: 1, assets: found });
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

type VerifiedAsset = v.InferInput<typeof OUTPUTS.verify>["assets"][number];

function verifiedAsset({ symbol, build, objects, points, checks, problems, history }: Verification): VerifiedAsset {
  const { restated = [], changes = [], build: since = "" } = history ?? {};
  return {
    ...{ symbol, build, isWhole: problems.length === 0, objects, points, checks, problems },
    ...(restated.length > 0 && { restated: { since, series: restated, causes: changes } }),
  };
}
