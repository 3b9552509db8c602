/**
 * `soprano demo`, which is `npm start`: two simulated tokens that end yesterday, built and served with a key. Another start on
 * the same day uses the same data; the key stays.
 */

import { Console } from "node:console";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import type { Writable } from "node:stream";
import { API_KEY_PATTERN, apiKeyName, parseApiKeyRecord } from "../../data-schema/access.ts";
import { Failure } from "../lib/failure.ts";
import { type Progress, progressFor } from "../lib/terminal/progress.ts";
import { HOST, serve } from "../serve/serve.ts";
import { type LocalState, openLocalState } from "../store/local/local.ts";
import { HOME } from "../store/places.ts";
import { createKey } from "../store/stored-keys.ts";
import { buildTokens, lastMidnight } from "./demo-tokens.ts";

const FOLDER = join(HOME, ".demo");
const KEY_FILE = join(FOLDER, "key");
/** A store of its own: the demo's tokens are not among those that are built here. */
const STATE = join(FOLDER, "state");

const TOKENS = [
  { symbol: "ARIA", name: "Aria (simulated)", seed: 1, transfers: 200_000, days: 3 * 365 },
  { symbol: "DUET", name: "Duet (simulated)", seed: 2, transfers: 50_000, days: 365 },
];

interface DemoIo {
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  /** Resolves when the user stops the program. */
  interrupted(): Promise<unknown>;
}

interface DemoOptions {
  port: number;
  /** The midnight at which the tokens end, Unix seconds; undefined for that of today. */
  end: number | undefined;
}

/**
 * Builds what is not built yet, and serves it until the user stops it.
 *
 * @throws {Failure} the port is taken, or a folder can't be written
 */
export async function demo(
  { port, end = lastMidnight() }: DemoOptions,
  { stdout, stderr, interrupted }: DemoIo,
): Promise<void> {
  const { log, error } = new Console({ stdout, stderr });
  const progress = progressFor(stderr, false);
  await refuseTakenPort(port);
  const state = await openLocalState(STATE);
  const key = await prepare(state, end, progress, error)
    .finally(() => progress.end())
    .finally(() => state.close());
  const server = await serve({ port, persist: STATE });
  const url = `${server.url}/v1/metrics/sopr?api_key=${key}&a=ARIA&r=day`;
  // The page removes the key from the address bar at once.
  log(`\nSoprano listens on ${server.url}\nKey: ${key}\n`);
  log(
    `  explorer: ${server.url}/#key=${key}\n  API:      curl '${url}'\n  store:    --persist ${relative(".", STATE)}\n\nCtrl+C stops it.`,
  );
  await interrupted();
  await server.close();
}

/**
 * Before anything is built, which takes a while.
 *
 * @throws {Failure} another program listens there
 */
async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer().listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (error) {
    // Whatever else is wrong with the port, the server itself will say.
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") return;
    throw new Failure(`Port ${port} on ${HOST} is taken: choose another one with --port.`);
  }
  server.close();
  await once(server, "close");
}

async function prepare(
  state: LocalState,
  end: number,
  progress: Progress,
  print: (text: string) => void,
): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  await buildTokens(state.objects, { tokens: TOKENS, folder: FOLDER, end }, progress, print);
  return demoKey(state);
}

async function demoKey({ keys }: LocalState): Promise<string> {
  const kept = existsSync(KEY_FILE) ? (await readFile(KEY_FILE, "utf8")).trim() : "";
  if (API_KEY_PATTERN.test(kept)) {
    const record = await keys.get(await apiKeyName(kept));
    if (record !== undefined && parseApiKeyRecord(record)?.status === "active") return kept;
  }
  const { key } = await createKey(keys, { name: "demo", isPublic: true });
  await writeFile(KEY_FILE, `${key}\n`, { mode: 0o600 });
  return key;
}
