import { Console } from "node:console";
import type { Command } from "commander";
import { chainsMeant, knownOf } from "../fetch/labels/known.ts";
import { readAsset } from "../input/asset/asset.ts";
import { rowPlace } from "../input/cells/rules.ts";
import { listingsOf } from "../input/listings.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { accountAddress, type Io } from "./options.ts";

export function addLabels(program: Command, io: Io): void {
  const { log } = new Console(io);
  const labels = program.command("labels").description("what is known of addresses");
  labels
    .command("check")
    .description("say whose an address is, on each chain, and who says so")
    .argument("<address>", "the address", accountAddress)
    .argument("[asset]", "an ASSET.json, whose own lists are looked at, too")
    .option(...jsonOption)
    .option("--chain <name|id>", "only this chain, such as base or 8453 (default: all that labels ship for)")
    .action(async (address: string, path: string | undefined, { chain, json }: { chain?: string; json?: true }) => {
      const chains = chainsMeant(chain);
      const known = await knownOf(address, chains);
      const asset = path === undefined ? undefined : await readAsset(path);
      const listings = asset ? await listingsOf(asset, address) : [];
      if (json) return printJson(io, "labels check", { schema: 1, address, chains, known, own: listings });
      const own = listings.map(({ what, file, row }) => `${asset!.symbol}: ${what} (${rowPlace({ file, row })})`);
      for (const line of [...known, ...own]) log(ESCAPES.terminal(line));
      if (known.length === 0) log(`No list that ships with Soprano names ${address} on ${chains.join(", ")}.`);
      if (asset && own.length === 0) log(`No list of ${asset.symbol} names it.`);
    });
}
