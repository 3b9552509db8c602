import { Console } from "node:console";
import { resolve } from "node:path";
import type { Command } from "commander";
import { METRICS, RESOLUTIONS } from "../../data-schema/registry.ts";
import { counted, megabytes } from "../lib/terminal/amount-text.ts";
import { progressFor } from "../lib/terminal/progress.ts";
import { type ExportOptions, exportBuild } from "../published/export/export.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import { buildOption, folder, type Globals, type Io, listOf, storeOptions, symbol } from "./options.ts";

export function addExport(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(
    program
      .command("export")
      .description("write the files of one build to a new folder, as <metric>/<resolution>/<period>.parquet")
      .argument("<symbol>", "the asset", symbol)
      .requiredOption("--out <dir>", "folder to create", folder)
      .option("--build <id>", "id of the build or its first digits (default: the active build)", buildOption)
      .option("--metrics <names>", "only these, separated by commas", listOf(METRICS.map(({ name }) => name)))
      .option("--resolutions <names>", "only these, separated by commas", listOf(RESOLUTIONS))
      .option("--duckdb", "also write duckdb.sql, a script that makes views of the files"),
  ).action(async (asset: string, { persist, store: url, ...options }: StorePlace & ExportOptions) => {
    const quiet = program.opts<Globals>().quiet ?? false;
    const out = resolve(options.out);
    const { manifest, files, bytes } = await withStore({ persist, ...(url && { store: url }) }, io.env, (store) =>
      exportBuild(store, asset, { ...options, out }, progressFor(io.stderr, quiet)),
    );
    if (!quiet) {
      error(`${asset}: build ${manifest.build} of ${manifest.asOf}: ${counted(files, "file")}, ${megabytes(bytes)} MB`);
    }
    log(out);
  });
}
