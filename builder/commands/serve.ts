import { resolve } from "node:path";
import type { Command } from "commander";
import { persistOption, wholeNumber } from "./options.ts";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("serve what was built, on this machine")
    .option("--port <n>", "port on 127.0.0.1", wholeNumber(0, 65_535), 8787)
    .option(...persistOption)
    .action(async ({ port, persist }) => {
      // Only now: no other command needs what it loads.
      const { serve, untilStopped } = await import("../serve/serve.ts");
      const server = await serve({ port, persist: resolve(persist) });
      console.log(`Soprano listens on ${server.url}`);
      console.log(`  explorer: ${server.url}/\n  API key:  soprano keys create --name NAME\n\nCtrl+C stops it.`);
      await untilStopped(server);
    });
}
