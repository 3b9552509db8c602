/**
 * `soprano simulate`: the transfers, prices and labels of a made-up token, as real ones look, in a folder that
 * `soprano build` takes. The same options give the same bytes on every machine.
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { AddressBook } from "./addresses.ts";
import { Course } from "./course.ts";
import { assetJson, contractsCsv, exchangesCsv, pricesCsv, toJson } from "./tables.ts";
import { type SimulationOptions, type Terms, termsOf } from "./terms.ts";
import { TransferBuffer } from "./transfers.ts";

export interface Simulation {
  /** The ASSET.json for `soprano build`. */
  assetPath: string;
  symbol: string;
  transfers: number;
  /** Addresses that take part, besides the zero address. */
  addresses: number;
}

/** Transfers between two calls of onProgress. */
const PROGRESS_STEP = 20_000;

const TABLES = { prices: "prices.csv", exchanges: "exchanges.csv", contracts: "contracts.csv" } as const;
const TRANSFERS_GLOB = "transfers-*.parquet";
const TRANSFERS_PATTERN = /^transfers-\d{4,}\.parquet$/;
const ASSET = "asset.json";
const UNFINISHED_ASSET = "asset.json.part";

/** Says what a folder's files were made of, and so that another simulation may replace them. */
const RECORD = "simulation.json";
const GENERATOR = "soprano simulate";

/**
 * Simulates a token and writes `simulation.json` (a record of the options), `transfers-0001.parquet` …, `prices.csv`,
 * `exchanges.csv`, `contracts.csv` and, last of all, `asset.json`: a folder without it holds an unfinished simulation.
 * An earlier simulation in the folder is replaced; files that are not of a simulation are never touched.
 *
 * @throws Failure for an option out of range, a folder that cannot be written, or one with others' files in the way
 */
export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const { out, onProgress = () => {} } = options;
  const terms = termsOf(options);
  const { symbol, transfers, addresses } = terms;
  const assetPath = join(out, ASSET);
  try {
    await clearFolder(out);
    await writeFile(join(out, RECORD), toJson({ generator: GENERATOR, ...terms }));
    await writeToken(out, terms, onProgress);
    await rename(join(out, UNFINISHED_ASSET), assetPath);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new Failure(`Cannot write the simulation (${error.message}); name a folder that can be written`);
  }
  return { assetPath, symbol, transfers, addresses };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Makes the folder, or removes an earlier simulation from it: asset.json first, since it vouches for the others. */
async function clearFolder(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const present = await readdir(out);
  const tables: string[] = Object.values(TABLES);
  const inTheWay = [
    ...present.filter((file) => file === ASSET),
    ...present.filter((file) => file === RECORD || tables.includes(file) || TRANSFERS_PATTERN.test(file)),
  ];
  if (inTheWay.length === 0) return;
  if (!present.includes(RECORD) || !(await readFile(join(out, RECORD), "utf8")).includes(`"${GENERATOR}"`)) {
    throw new Failure(`${join(out, inTheWay[0])} is not of a simulation; name another folder, or move that file`);
  }
  for (const file of inTheWay) if (file !== RECORD) await rm(join(out, file));
}

/** Writes all but the record, a file of transfers at a time; asset.json under its unfinished name. */
async function writeToken(out: string, terms: Terms, onProgress: (transfersDone: number) => void): Promise<void> {
  const addresses = new AddressBook(terms.seed);
  const course = new Course(terms);
  const buffer = new TransferBuffer(addresses, terms.addresses + 1);
  let files = 0;
  const flush = () => {
    files += 1;
    return writeFile(join(out, TRANSFERS_GLOB.replace("*", String(files).padStart(4, "0"))), buffer.takeFile());
  };
  let done = 0;
  for (const event of course.events()) {
    buffer.append(event);
    if (buffer.isFull) await flush();
    done += 1;
    if (done % PROGRESS_STEP === 0) onProgress(done);
  }
  if (buffer.rows > 0) await flush();
  const { accounts } = course.economy;
  await writeFile(join(out, TABLES.prices), pricesCsv(terms, course.market));
  await writeFile(join(out, TABLES.exchanges), exchangesCsv(accounts, addresses));
  await writeFile(join(out, TABLES.contracts), contractsCsv(accounts, addresses));
  await writeFile(join(out, UNFINISHED_ASSET), assetJson(terms, addresses, { transfers: TRANSFERS_GLOB, ...TABLES }));
  onProgress(done);
}
