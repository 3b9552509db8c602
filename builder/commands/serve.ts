import { Console } from "node:console";
import { resolve } from "node:path";
import type { Command } from "commander";
import { command } from "../lib/advised.ts";
import { type Io, persistOption, wholeNumber } from "./options.ts";

export function addServe(program: Command, io: Io): void {
  program
    .command("serve")
    .description("serve what was built, on this machine")
    .option("--port <n>", "port on 127.0.0.1", wholeNumber(0, 65_535), 8787)
    .option(...persistOption)
    .action(async ({ port, persist }) => {
      // Imported late: no other command needs what this loads.
      const { serve } = await import("../serve/serve.ts");
      const server = await serve({ port, persist: resolve(persist) });
      new Console(io).log(
        `Soprano listens on ${server.url}\n  explorer: ${server.url}/\n  API key:  npx ${command("keys", "create", "--name", "NAME")}\n\nCtrl+C stops it.`,
      );
      await io.interrupted();
      await server.close();
    });
}
