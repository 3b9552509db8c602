/** A small token on a running `soprano serve`, with a key. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey, revokeKey } from "../../builder/store/stored-keys.ts";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";
import { start } from "../soprano-process.ts";

export interface ServedToken {
  folder: string;
  url: string;
  port: number;
  /** The process that started the server, and leads its group. */
  pid: number;
  /** A key without a limit. */
  key: string;
  revoked: string;
  /** Hands on what the server writes from now on. */
  onLog(take: (text: string) => void): void;
  /** Ends the server, and removes what it served. */
  close(): Promise<void>;
}

export async function serveToken(symbol: string): Promise<ServedToken> {
  const folder = newFolder();
  const token = await simulate({ out: `${folder}/token`, seed: 9, transfers: 1_000, days: 60, symbol });
  const persist = `${folder}/state`;
  const state = await openLocalState(persist);
  await build(variant(token.assetPath, "hostile.json", {}), state.objects, { threads: 1, progress: silentProgress() });
  const { key } = await createKey(state.keys, { name: "good", plan: "unlimited" });
  const revoked = await createKey(state.keys, { name: "revoked" });
  await revokeKey(state.keys, revoked.id);
  await state.close();
  const server = start(["serve", "--port", "0", "--persist", persist], { detached: true });
  const url = await firstUrl(server);
  return {
    folder,
    url,
    port: Number(new URL(url).port),
    pid: server.pid!,
    key,
    revoked: revoked.key,
    onLog(take) {
      for (const stream of [server.stdout!, server.stderr!]) stream.on("data", (text) => take(String(text))).resume();
    },
    async close() {
      const closed = once(server, "close");
      server.kill("SIGINT");
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function firstUrl(server: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: server.stdout! })) {
    const [url] = line.match(/http:\/\/\S+/) ?? [];
    if (url) return url;
  }
  throw new Error("soprano serve ended before it listened");
}
