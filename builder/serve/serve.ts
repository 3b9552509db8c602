/** Serves the Worker and the explorer over local data, on workerd. */

import { setTimeout as sleep } from "node:timers/promises";
import { buildExplorer } from "../../explorer/build.ts";
import { Failure } from "../lib/failure.ts";
import { preparePersist } from "../store/local/local.ts";
import { usageCounter } from "../store/local/usage-file.ts";
import { assetRouting, workerOptions } from "../store/wrangler.ts";
import { workerModules } from "./bundle.ts";
import { startFront } from "./front.ts";
import { startFailure } from "./start-failure.ts";
import { startWorkerd } from "./workerd.ts";

/** Where Soprano listens on this machine. */
export const HOST = "127.0.0.1";

export interface Server {
  url: string;
  close(): Promise<void>;
}

interface ServeOptions {
  port: number;
  persist: string;
  /** Takes the log lines, which otherwise go to stdout, and those of failures to stderr. */
  onLog?: (line: string) => void;
  /** What is served, for a process that serves it several times. */
  program?: Program;
}

type Program = Awaited<ReturnType<typeof bundledProgram>>;

/** The Worker and the explorer. They take a second of CPU time to make. */
export async function bundledProgram() {
  const modules = await workerModules("worker/index.ts");
  return { ...modules, assets: { directory: await buildExplorer(), ...(await assetRouting()) } };
}

/** workerd ends if another one, which starts on the same folder at the same moment, has locked its database. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** @throws {Failure} the port is taken, or the folder can't be written */
export async function serve({ port, persist, onLog, program }: ServeOptions): Promise<Server> {
  await preparePersist(persist);
  const options = {
    ...(await workerOptions(persist)),
    host: HOST,
    port: 0,
    ...(program ?? (await bundledProgram())),
    logRequests: false,
  };
  for (let attempt = 1; ; attempt++) {
    const usage = usageCounter(persist);
    const log = (line: string, print: (line: string) => void) => {
      usage.note(line);
      (onLog ?? print)(line);
    };
    const { miniflare, close } = await startWorkerd(options, log);
    try {
      const front = await startFront(HOST, port, await miniflare.ready);
      return {
        url: `http://${HOST}:${front.port}`,
        async close() {
          front.close();
          await close();
          usage.close();
        },
      };
    } catch (error) {
      await close().catch(() => {});
      usage.close();
      if (attempt < ATTEMPTS && /SQLITE_BUSY/.test(String(error))) {
        await sleep(PAUSE_MS);
        continue;
      }
      if (/EADDRINUSE|Address already in use/i.test(String(error))) {
        throw new Failure(`Port ${port} on ${HOST} is taken: choose another one with --port.`);
      }
      throw startFailure(error) ?? error;
    }
  }
}
