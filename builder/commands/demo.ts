import type { Command } from "commander";
import { endOfDay, type Io, wholeNumber } from "./options.ts";

export function addDemo(program: Command, io: Io): void {
  program
    .command("demo")
    .description("build two simulated tokens and serve them, with a key: something to look at")
    .option("--port <n>", "port on 127.0.0.1", wholeNumber(0, 65_535), 8787)
    .option("--end <day>", "last day of the tokens (default: yesterday)", endOfDay)
    .action(async ({ port, end }) => {
      // Imported late: it loads all that builds and all that serves.
      const { demo } = await import("../demo/demo.ts");
      await demo({ port, end }, io);
    });
}
