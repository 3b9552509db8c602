/**
 * `soprano simulate`: writes the transfers, prices and labels of a made-up token, for `soprano build`. The same options
 * give the same bytes on every machine.
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nextMonthStart } from "../../../data-schema/registry.ts";
import { Failure } from "../../lib/failure.ts";
import { parametersOf, type SimulationOptions, type TokenParameters } from "./parameters.ts";
import { AddressBook } from "./simulated-addresses.ts";
import { TokenHistory } from "./simulated-history.ts";
import { assetJson, contractsCsv, exchangesCsv, pricesCsv, tableJson } from "./tables.ts";
import { TransferBuffer } from "./transfers.ts";

/** Transfers between two calls of onProgress. */
const PROGRESS_STEP = 20_000;

const TABLES = { prices: "prices.csv", exchanges: "exchanges.csv", contracts: "contracts.csv" } as const;
const TRANSFERS_GLOB = "transfers-*.parquet";
const TRANSFERS_PATTERN = /^transfers-\d{4,}\.parquet$/;
const ASSET = "asset.json";
const UNFINISHED_ASSET = "asset.json.part";

/** Records the options of a simulation, and shows that another one may replace its files. */
const RECORD = "simulation.json";
const GENERATOR = "soprano simulate";

/**
 * Simulates a token and writes `simulation.json` (its options), `transfers-0001.parquet` …, `prices.csv`,
 * `exchanges.csv`, `contracts.csv` and finally `asset.json`: without it, the simulation is unfinished. Replaces an
 * earlier simulation in the folder, and touches no other files.
 *
 * @returns the ASSET.json for `soprano build`, and what was simulated; addresses without the zero address
 * @throws {Failure} an option is out of range, the folder can't be written, or other files are in the way
 */
export async function simulate(
  options: SimulationOptions,
): Promise<{ assetPath: string; symbol: string; transfers: number; addresses: number }> {
  const { out, monthly = false, onProgress = () => {} } = options;
  const parameters = parametersOf(options);
  const { symbol, transfers, addresses } = parameters;
  const assetPath = join(out, ASSET);
  try {
    await clearFolder(out);
    await writeFile(join(out, RECORD), tableJson({ generator: GENERATOR, ...parameters }));
    await writeToken(out, parameters, monthly, onProgress);
    await rename(join(out, UNFINISHED_ASSET), assetPath);
  } catch (error) {
    const isSystemError = error instanceof Error && "code" in error && "syscall" in error;
    if (!isSystemError) throw error;
    throw new Failure(`Cannot write the simulation (${error.message}); name a folder that can be written`);
  }
  return { assetPath, symbol, transfers, addresses };
}

/** Creates the folder, or removes an earlier simulation from it: asset.json first, so the rest is unfinished. */
async function clearFolder(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const present = await readdir(out);
  const tables: string[] = Object.values(TABLES);
  const inTheWay = [
    ...present.filter((file) => file === ASSET),
    ...present.filter((file) => file === RECORD || tables.includes(file) || TRANSFERS_PATTERN.test(file)),
  ];
  const [first] = inTheWay;
  if (first === undefined) return;
  if (!present.includes(RECORD) || !(await readFile(join(out, RECORD), "utf8")).includes(`"${GENERATOR}"`)) {
    throw new Failure(`${join(out, first)} is not of a simulation; name another folder, or move that file`);
  }
  for (const file of inTheWay) if (file !== RECORD) await rm(join(out, file));
}

/** Writes every file but the record; asset.json under its unfinished name. */
async function writeToken(
  out: string,
  parameters: TokenParameters,
  monthly: boolean,
  onProgress: (transfersDone: number) => void,
): Promise<void> {
  const addresses = new AddressBook(parameters.seed);
  const history = new TokenHistory(parameters);
  const buffer = new TransferBuffer(addresses, parameters.addresses + 1);
  let written = 0;
  const flush = () => {
    written += 1;
    return writeFile(join(out, TRANSFERS_GLOB.replace("*", String(written).padStart(4, "0"))), buffer.takeFile());
  };
  let done = 0;
  let monthEnd = monthly ? 0 : Number.POSITIVE_INFINITY;
  for (const event of history.events()) {
    if (event.timestamp >= monthEnd) {
      if (buffer.rows > 0) await flush();
      monthEnd = nextMonthStart(event.timestamp);
    }
    buffer.append(event);
    if (buffer.isFull) await flush();
    done += 1;
    if (done % PROGRESS_STEP === 0) onProgress(done);
  }
  if (buffer.rows > 0) await flush();
  const { accounts } = history.economy;
  await writeFile(join(out, TABLES.prices), pricesCsv(parameters, history.market));
  await writeFile(join(out, TABLES.exchanges), exchangesCsv(accounts, addresses));
  await writeFile(join(out, TABLES.contracts), contractsCsv(accounts, addresses));
  const files = { transfers: TRANSFERS_GLOB, ...TABLES };
  await writeFile(join(out, UNFINISHED_ASSET), assetJson(parameters, addresses, files));
  onProgress(done);
}
