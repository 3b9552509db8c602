import { Console } from "node:console";
import type { Command } from "commander";
import type { Reference } from "../../data-schema/stored.ts";
import { advised } from "../lib/advised.ts";
import { counted, megabytes } from "../lib/terminal/amount-text.ts";
import {
  findAsset,
  forgetRemoval,
  type RemovalTerms,
  type RemovedAsset,
  removeAsset,
} from "../published/builds/remove.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import { confirmed, type Globals, type Io, storeOptions, symbols } from "./options.ts";

interface RemoveFlags extends StorePlace {
  inputs?: true;
  history?: true;
  undo?: true;
  dryRun?: true;
  yes?: true;
}

export function addRemove(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(program.command("remove"))
    .description("stop serving assets; gc then removes their builds")
    .argument("<symbol...>", "assets", symbols)
    .option("--inputs", "also remove the inputs that the store keeps")
    .option("--history", "also remove the log of changes and what was known")
    .option("--undo", "forget that they were removed: the next build publishes them again")
    .option("--dry-run", "only print what would be removed")
    .option("--yes", "do not ask")
    .action(async (assets: string[], flags: RemoveFlags, command: Command) => {
      const { inputs = false, history = false, undo, dryRun, yes = false, ...place } = flags;
      if (undo && (inputs || history || dryRun)) command.error("error: --undo takes no other option");
      const terms = { inputs, history };
      await withStore(place, io.env, async (store) => {
        for (const asset of assets) {
          if (undo) {
            await forgetRemoval(store, asset);
            log(`${asset}: the next build publishes it again.`);
            continue;
          }
          const found = await findAsset(store, asset);
          if (dryRun) {
            log(told(asset, found, terms, store.name, "would be"));
            continue;
          }
          await confirmed(`Stop serving ${asset} from ${store.name}${alsoText(found, terms)}`, io, yes);
          await removeAsset(store, asset, terms);
          log(told(asset, found, terms, store.name, "is"));
          if (found.builds.length + found.objects.length > 0 && !(program.opts<Globals>().quiet ?? false)) {
            error(`Its builds go with ${advised("gc", asset, "--keep", "0")}, a day from now at the earliest.`);
          }
        }
      });
    });
}

const bytesOf = (part: readonly Reference[]) => part.reduce((sum, { size }) => sum + size, 0);
const partText = (part: readonly Reference[]) => `${counted(part.length, "object")}, ${megabytes(bytesOf(part))} MB`;

/** What goes for good, for the question. */
function alsoText({ inputs, history }: RemovedAsset, terms: RemovalTerms): string {
  const parts = [
    ...(terms.inputs ? [`its inputs (${partText(inputs)})`] : []),
    ...(terms.history ? [`its log of changes and what was known (${partText(history)})`] : []),
  ];
  return parts.length === 0 ? "" : `, and remove ${parts.join(" and ")} for good`;
}

/** `DOG: is no longer served from r2://soprano. 12 builds and 212 objects, 337.4 MB, stay; …` */
function told(
  symbol: string,
  { builds, objects, inputs, history, became, wasActive }: RemovedAsset,
  terms: RemovalTerms,
  store: string,
  verb: "is" | "would be",
): string {
  const stays = (isGone: boolean) => (isGone ? (verb === "is" ? "are removed" : "would be removed") : "stay");
  const served = `${symbol}: ${verb} no longer served from ${store}${wasActive ? "" : ", as before"}`;
  const alias = became === null ? "" : ` (readers of v3 get ${became})`;
  return [
    `${served}${alias}.`,
    `Builds: ${counted(builds.length, "manifest")} and ${partText(objects)}, stay until gc.`,
    `Log of changes and what was known: ${partText(history)}, ${stays(terms.history)}.`,
    `Inputs: ${partText(inputs)}, ${stays(terms.inputs)}.`,
  ].join("\n  ");
}
