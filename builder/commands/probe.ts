import { Console } from "node:console";
import type { Command } from "commander";
import { API_KEY_PATTERN } from "../../data-schema/access.ts";
import { advised } from "../lib/advised.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import { originOf, probe } from "../probe/probe.ts";
import type { Io } from "./options.ts";

const MARKS = { ok: "ok     ", failed: "FAILED ", skipped: "skipped" };

export function addProbe(program: Command, io: Io): void {
  const { log } = new Console(io);
  program
    .command("probe")
    .description("check a deployed Worker from outside; its last check uses up this address's requests of a minute")
    // Commander would repeat a value that it refuses, and it may hold a key: both are parsed here.
    .argument("<url>", "its address, such as https://metrics.example.com")
    .option("--key <key>", "an API key, to read a series with (default: the variable SOPRANO_KEY); never printed")
    .action(async (url: string, { key = io.env.SOPRANO_KEY || undefined }: { key?: string }) => {
      if (key !== undefined && !API_KEY_PATTERN.test(key)) {
        throw new Failure(
          `The key is not one of Soprano: a key is a UUID, such as ${advised("keys", "create", "--name", "NAME", "--remote")} prints.`,
        );
      }
      let [checks, failed] = [0, 0];
      for await (const { name, outcome, detail } of probe(originOf(url), key)) {
        log(`${MARKS[outcome]}  ${name.padEnd(11)}  ${ESCAPES.terminal(detail)}`);
        checks++;
        if (outcome === "failed") failed++;
      }
      if (failed > 0) throw new Failure(`${failed} of ${checks} checks failed: see above.`);
    });
}
