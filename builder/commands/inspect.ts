import { Console } from "node:console";
import type { Command } from "commander";
import { withDatabase } from "../input/duckdb/database.ts";
import { filesGiven } from "../input/files/given-files.ts";
import { describeFile, memberLines, membersFor } from "../input/inspect/describe.ts";
import { inspectFile } from "../input/inspect/inspect.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import type { Io } from "./options.ts";

export function addInspect(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  program
    .command("inspect")
    .description(
      "say what files are: whose form, what each column becomes, what is in them, and how ASSET.json names them",
    )
    .argument("<files...>", "CSV, JSON, JSON lines or Parquet")
    .action(async (paths: string[]) => {
      const files = await filesGiven(paths);
      const inspections = await withDatabase(1, async (connection) => {
        const found = [];
        for (const file of files) {
          try {
            found.push(await inspectFile(connection, file));
          } catch (failure) {
            if (!(failure instanceof Failure)) throw failure;
            error(ESCAPES.terminal(failure.message));
          }
        }
        return found;
      });
      for (const inspection of inspections) {
        for (const line of describeFile(inspection)) log(ESCAPES.terminal(line));
      }
      const members = membersFor(inspections, ({ file }) => file.name);
      for (const line of memberLines(members)) log(line);
      const unread = inspections.filter(({ rows }) => rows === undefined).length + files.length - inspections.length;
      if (unread > 0) throw new Failure(`${unread} of ${files.length} files can't be read; the lines above say why.`);
    });
}
