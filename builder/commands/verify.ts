import type { Command } from "commander";
import { CURRENT_PREFIX } from "../../data-schema/objects.ts";
import { Failure, StoreFailure, sentenceOf } from "../failure.ts";
import type { ObjectStore } from "../store/store.ts";
import { progressFor } from "../terminal/progress.ts";
import { formatVerification } from "../verify/report.ts";
import { verify } from "../verify/verify.ts";
import { type Globals, storeOptions, symbols, withStore } from "./options.ts";

export function addVerify(program: Command): void {
  storeOptions(
    program
      .command("verify")
      .description("read what is published and check that it is whole and right")
      .argument("[symbol...]", "assets; all that are published if left out", symbols)
      .option("--no-restatement", "fail, too, when history differs from that of the build before"),
  ).action(async (named: string[], { restatement, ...place }) => {
    const quiet = program.opts<Globals>().quiet ?? false;
    const progress = progressFor(process.stderr, quiet);
    const wrong = await withStore(place, async (store) => {
      const failed: string[] = [];
      for (const symbol of named?.length > 0 ? named : await publishedSymbols(store)) {
        try {
          const verification = await verify(store, symbol, progress);
          progress.end();
          console.log(formatVerification(verification));
          const { problems, history } = verification;
          if (problems.length > 0 || (!restatement && history && history.restated.length > 0)) failed.push(symbol);
        } catch (error) {
          progress.end();
          // Of several, the others are still to be looked at; a store that is lost is lost to all of them.
          if (named.length < 2 || error instanceof StoreFailure) throw error;
          console.error(`soprano: ${sentenceOf(error)}`);
          failed.push(symbol);
        }
      }
      return failed;
    });
    if (wrong.length > 0) throw new Failure(`${wrong.join(", ")}: not as it should be; see above.`);
  });
}

/** @throws {Failure} there are none */
async function publishedSymbols(store: ObjectStore): Promise<string[]> {
  const keys = [...(await store.list(CURRENT_PREFIX)).keys()];
  if (keys.length === 0) throw new Failure(`Nothing is published in ${store.name}: build an asset first.`);
  return keys.map((key) => key.slice(CURRENT_PREFIX.length).replace(/\.json$/, ""));
}
