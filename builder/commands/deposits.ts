import { Console } from "node:console";
import type { Command } from "commander";
import { reportDeposits } from "../build/run/deposit-report.ts";
import { defaultMemory } from "../build/threads/memory.ts";
import { defaultThreads, MAX_THREADS } from "../build/threads/thread-pool.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import { folder, type Io, memorySize, storeOptions, wholeNumber } from "./options.ts";

interface DepositFlags extends StorePlace {
  recheck?: true;
  out?: string;
  threads: number;
  memory?: number;
  work?: string;
}

export function addDeposits(program: Command, io: Io): void {
  const { log } = new Console(io);
  storeOptions(program.command("deposits"))
    .description("tell which deposit addresses of exchanges the builds of an asset go by, or compute them")
    .argument("<asset.json>", "asset file")
    .option("--recheck", "compute the table anew, for the next build")
    .option("--out <file>", "write a copy of the table, as CSV")
    .option("--threads <n>", "threads that may be used", wholeNumber(1, MAX_THREADS), defaultThreads())
    .option("--memory <size>", "memory that may be used, such as 4G (default: half of the machine's)", memorySize)
    .option("--work <dir>", "folder for what is too large for memory (default: the system's)", folder)
    .action(async (file: string, { memory = defaultMemory(), ...flags }: DepositFlags) =>
      withStore(flags, io.env, async (store) => {
        log(ESCAPES.terminal(await reportDeposits(file, store, { ...flags, memory })));
      }),
    );
}
