/**
 * Fetches that are killed with SIGKILL at a change to a file or at a request, and run again: the files are those of a
 * fetch that nobody disturbed.
 */

import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newFolder } from "../folders.ts";
import { outcome, start } from "../soprano-process.ts";
import { FaultProxy } from "./chain/proxy.ts";
import { Economy } from "./chain/scenario.ts";
import { EconomyFolder } from "./economy-folder.ts";

const PRELOAD = fileURLToPath(new URL("kill-at-change.ts", import.meta.url));
/** Many small pages: many places to be killed at. */
const LIMIT = { blocks: 8, provider: "erigon" } as const;
/** Twice what is in flight from a node: a page that failed there is asked for again in parts. */
const IN_FLIGHT = 8;

/** The n-th change to a file, or the n-th call to the node, from 1. */
export type KillPoint = { change: number } | { call: number };

/** Two nights: all days but the last one, then that one. */
const NIGHTS = [["--until", "2023-02-01"], []];

export class KilledFetches {
  /** Changes to files and calls that the first night makes. */
  changes = 0;
  calls = 0;
  readonly #economy: Economy;
  readonly #parent = newFolder();
  readonly #expected: Record<string, string>[] = [];

  private constructor(economy: Economy) {
    this.#economy = economy;
  }

  static async prepare(): Promise<KilledFetches> {
    const economy = await Economy.open({ seed: 5, blocksADay: 4 });
    await economy.live(14);
    await economy.finalize();
    const prepared = new KilledFetches(economy);
    await prepared.#fetchUndisturbed();
    return prepared;
  }

  async close(): Promise<void> {
    await this.#economy.close();
    rmSync(this.#parent, { recursive: true });
  }

  async #fetchUndisturbed(): Promise<void> {
    const proxy = await new FaultProxy(this.#economy.anvil.url, { limit: LIMIT }).start();
    const folder = new EconomyFolder(this.#economy, this.#parent);
    const count = join(this.#parent, "changes");
    for (const [night, args] of NIGHTS.entries()) {
      const env = { KILL_AT: `0:${folder.inputs}`, COUNT_TO: count };
      const { status, stderr } = await outcome(launch(folder, proxy.url, env, args));
      if (status !== 0) throw new Error(stderr);
      this.#expected.push(folder.digests());
      if (night > 0) continue;
      this.changes = Number(readFileSync(count, "utf8"));
      this.calls = proxy.asked.length;
    }
    await proxy.stop();
  }

  /**
   * Kills a first night's fetch at each of some points, one after the other, then lets it end; then a second night.
   *
   * @returns how many kills there were: a fetch may have less to do than the point is far
   * @throws {Error} the files differ, or more than the pages in flight were fetched again
   */
  async survive(points: readonly KillPoint[]): Promise<number> {
    const proxy = await new FaultProxy(this.#economy.anvil.url, { limit: LIMIT }).start();
    const folder = new EconomyFolder(this.#economy, this.#parent);
    try {
      let kills = 0;
      for (const point of points) kills += Number(await this.#killAt(folder, proxy, point));
      for (const [night, args] of NIGHTS.entries()) {
        const { status, stderr } = await folder.fetch([proxy.url], ...args);
        if (status !== 0) throw new Error(`A fetch after a kill failed: ${stderr}`);
        const [found, expected] = [folder.digests(), this.#expected[night]!];
        const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
        const other = [...names].filter((name) => found[name] !== expected[name]);
        if (other.length > 0) throw new Error(`Other files than without a kill: ${other.join(", ")}`);
      }
      this.#checkRepeats(proxy, kills);
      return kills;
    } finally {
      await proxy.stop();
      rmSync(folder.path, { recursive: true });
    }
  }

  async #killAt(folder: EconomyFolder, proxy: FaultProxy, point: KillPoint): Promise<boolean> {
    const change = "change" in point ? point.change : 0;
    const child = launch(folder, proxy.url, { KILL_AT: `${change}:${folder.inputs}` }, NIGHTS[0]!);
    const ended = once(child, "exit");
    if ("call" in point) {
      let calls = 0;
      proxy.options = { ...proxy.options, onCall: () => void (++calls === point.call && child.kill("SIGKILL")) };
    }
    const [status, signal] = (await ended) as [number | null, string | null];
    proxy.options = { limit: LIMIT };
    if (signal !== "SIGKILL" && status !== 0) throw new Error(`The fetch ended with ${status ?? signal}.`);
    return signal === "SIGKILL";
  }

  /** Pages of the token that were granted more than once: the first page is, to probe, and after a kill those in flight. */
  #checkRepeats(proxy: FaultProxy, kills: number): void {
    // The fetch had fewer changes than the point is far: there were two whole ones.
    if (kills === 0) return;
    const granted = proxy.ranges(this.#economy.token).filter(({ from, to }) => to - from < LIMIT.blocks);
    const lastFetched = Math.max(...granted.map(({ to }) => to));
    const seen = new Map<number, number>();
    for (const { from, to } of granted) {
      for (let block = from; block <= to; block++) seen.set(block, (seen.get(block) ?? 0) + 1);
    }
    // Blocks above the files' are fetched for each check.
    const repeated = [...seen].filter(([block, times]) => times > 1 && block < lastFetched - 20).length;
    const most = kills * IN_FLIGHT * LIMIT.blocks;
    if (repeated > most) throw new Error(`${repeated} blocks were fetched again after ${kills} kills.`);
  }
}

function launch(folder: EconomyFolder, url: string, variables: Record<string, string>, args: readonly string[]) {
  const env = { ...process.env, ...variables, SOPRANO_RPC_URL: url, NODE_OPTIONS: `--import ${PRELOAD}` };
  return start(["fetch", folder.asset, "--quiet", ...args], { env });
}
