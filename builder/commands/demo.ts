import type { Command } from "commander";
import { type Io, wholeNumber } from "./options.ts";

export function addDemo(program: Command, io: Io): void {
  program
    .command("demo")
    .description("build two simulated tokens and serve them, with a key: something to look at")
    .option("--port <n>", "port on 127.0.0.1", wholeNumber(0, 65_535), 8787)
    .action(async ({ port }) => {
      // Imported late: it loads all that builds and all that serves.
      const { demo } = await import("../demo/demo.ts");
      await demo(port, io);
    });
}
