import { Console } from "node:console";
import type { Command } from "commander";
import { command } from "../lib/advised.ts";
import { newRepository } from "../new/new-repository.ts";
import { folder, type Globals, type Io } from "./options.ts";

export function addNew(program: Command, io: Io): void {
  program
    .command("new")
    .description("make a repository of your own: wrangler.toml, assets/, and a workflow that builds every night")
    .argument("<dir>", "a new folder", folder)
    .action(async (dir: string) => {
      const { log, error } = new Console(io);
      log((await newRepository(dir)).join("\n"));
      if (program.opts<Globals>().quiet) return;
      const enter = dir === "." ? "" : `cd '${dir.replaceAll("'", "'\\''")}' && `;
      error(
        `\nNext:\n  ${enter}git init && npm install\n  npx ${command("init", "0xCONTRACT", "--rpc", "URL")}\nREADME.md has the rest.`,
      );
    });
}
