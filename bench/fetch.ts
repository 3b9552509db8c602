/**
 * `npm run bench:fetch`: how fast logs are read from a node, decoded and written to files, and in how much memory.
 *
 * Against a fake node that answers at once, in a process of its own, and against anvil; decoding alone beside what viem
 * and ponder do. cryo is a program of its own that npm does not have: it can't be run here. `--full` adds rounds.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Anvil, hasAnvil, openAnvil } from "../test/fetch/chain/anvil.ts";
import { creation, encode } from "../test/fetch/chain/contracts.ts";
import type { CheckFigures } from "./fetch/check.ts";
import type { DecodeFigures } from "./fetch/decode.ts";
import type { FetchFigures } from "./fetch/fetch.ts";
import { runChild } from "./lib/child.ts";
import { amount, type BenchTable, bytes, duration, formatTable, times } from "./lib/markdown.ts";
import { machineText, saveResults, say } from "./lib/results.ts";
import { medianFigures } from "./lib/rounds.ts";

const full = process.argv.includes("--full");
const ROUNDS = full ? 5 : 3;

const LOGS_PER_BLOCK = 40;
/** Days of a chain with a block every 12 seconds: 1.4 and 10 million logs. */
const SHORT_DAYS = 5;
const LONG_DAYS = 35;
const ANVIL_LOGS = 200_000;
const ANVIL_LOGS_PER_BLOCK = 2_000;
const HOLDERS = 1_000_000;
const HOLDERS_PER_BLOCK = 10_000;

const program = (name: string) => new URL(`fetch/${name}.ts`, import.meta.url);

/** Fetches from a fake node that is there for this fetch alone. */
async function fromFakeNode(days: number): Promise<FetchFigures> {
  const node = spawn(process.execPath, [fileURLToPath(program("node")), `${days}`, `${LOGS_PER_BLOCK}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(createInterface(node.stdout), "line")) as [string];
    const [port, contract] = line.split(" ");
    return await runChild<FetchFigures>(program("fetch"), `http://127.0.0.1:${port}`, contract!);
  } finally {
    const closed = once(node, "close");
    node.stdin.end();
    await closed;
  }
}

/** A contract that has emitted many transfers, each to a new holder, in blocks of ten minutes, and the rest of the day. */
async function emitOnAnvil(anvil: Anvil, logs: number, logsPerBlock: number): Promise<string> {
  const contract = await anvil.deploy(creation("Volume"));
  await anvil.mine();
  for (let emitted = 0; emitted < logs; emitted += logsPerBlock) {
    await anvil.send({ to: contract, data: encode("Volume", "emitMints", logsPerBlock), gas: 15_000 * logsPerBlock });
    await anvil.mine(anvil.time + 600);
  }
  await anvil.mine(anvil.time + 2 * 86_400);
  return contract;
}

const began = performance.now();
say(`Fetching on ${machineText()}; medians of ${ROUNDS} interleaved rounds.`);
const anvil = hasAnvil ? await openAnvil() : undefined;
try {
  const contract = anvil && (await emitOnAnvil(anvil, ANVIL_LOGS, ANVIL_LOGS_PER_BLOCK));
  const none: FetchFigures = { seconds: 0, read: 0, core: 0, transfers: 0, bytes: 0, memory: 0 };
  const onRun = (name: string, round: number) => say(`round ${round + 1}: ${name}`);
  const short = await medianFigures(
    ROUNDS,
    {
      fake: () => fromFakeNode(SHORT_DAYS),
      anvil: () => (anvil ? runChild<FetchFigures>(program("fetch"), anvil.url, contract!) : none),
      decode: () => runChild<DecodeFigures>(program("decode"), 5),
    },
    onRun,
  );
  const { long } = await medianFigures(1, { long: () => fromFakeNode(LONG_DAYS) }, onRun);
  const crowd = anvil && (await emitOnAnvil(anvil, HOLDERS, HOLDERS_PER_BLOCK));
  const { check } = await medianFigures(
    full ? ROUNDS : 1,
    {
      check: () =>
        anvil
          ? runChild<CheckFigures>(program("check"), anvil.url, crowd!)
          : { seconds: 0, holders: 0, codes: 0, memory: 0 },
    },
    onRun,
  );
  const figures = { fake: short.fake, anvil: short.anvil, decode: short.decode, long, check };
  await saveResults("fetch", figures);

  const row = (name: string, { transfers, seconds, core, memory, ...file }: FetchFigures) => [
    name,
    amount(transfers),
    duration(seconds),
    amount(transfers / seconds),
    amount(transfers / core),
    bytes(memory),
    bytes(file.bytes),
  ];
  const way = (name: string, rate: number) => [name, amount(rate), times(short.decode.soprano / rate)];
  const tables: BenchTable[] = [
    {
      title: "From a node to files of transfers",
      columns: ["node", "transfers", "time", "a second", "a second and core", "peak memory above the start", "files"],
      rows: [
        row("fake, in another process", short.fake),
        row("fake, ten million", long),
        ...(anvil ? [row("anvil", short.anvil)] : []),
      ],
    },
    {
      title: "From the bytes of an answer to transfers, on one core",
      columns: ["way", "logs a second", "Soprano against it"],
      rows: [
        way("Soprano: JSON.parse, then columns of bytes", short.decode.soprano),
        way("ponder's: JSON.parse, then the event's parameters", short.decode.ponder),
        way("viem's getLogs: numbers as BigInt, too", short.decode.viem),
        way("JSON.parse alone", short.decode.parse),
      ],
    },
    ...(anvil
      ? [
          {
            title: "The check against anvil",
            columns: ["of", "holders", "time", "memory above the transfers"],
            rows: [
              ["balances", amount(check.holders), duration(check.seconds), bytes(check.memory)],
              ["code", amount(check.holders), duration(check.codes), ""],
            ],
          },
        ]
      : []),
  ];
  console.log(`## Fetch\n\n${machineText()}, ${new Date().toISOString().slice(0, 10)}\n`);
  for (const table of tables) console.log(formatTable(table));
} finally {
  await anvil?.stop();
}
say(`Fetching measured in ${duration((performance.now() - began) / 1000)}.`);
