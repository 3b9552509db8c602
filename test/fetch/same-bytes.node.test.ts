/** A fetch writes the same bytes whatever the page size, the number of nodes, what goes wrong and when it is killed. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../folders.ts";
import { hasAnvil } from "./chain/anvil.ts";
import { PROVIDERS, type ProviderName } from "./chain/providers.ts";
import { FAULT_NAMES, type ProxyOptions, RATE_LIMITS, startProxy } from "./chain/proxy.ts";
import { Economy } from "./chain/scenario.ts";
import { EconomyFolder } from "./economy-folder.ts";

const KEY = "s3cr3t0f0p3r4t0r";

describe.runIf(hasAnvil)("the same bytes", () => {
  const parent = newFolder();
  let economy: Economy;
  let expected: Record<string, string>;

  beforeAll(async () => {
    economy = await Economy.open({ seed: 2 });
    await economy.live(16);
    await economy.finalize();
    const folder = new EconomyFolder(economy, parent);
    expect(await folder.fetch([economy.anvil.url])).toMatchObject({ status: 0 });
    expected = folder.digests();
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(["fetch.json", "prices.csv", "exchanges.csv"]));
  });
  afterAll(async () => {
    await economy?.close();
    rmSync(parent, { recursive: true });
  });

  /** Fetches through a proxy before the chain. */
  const through = (options: ProxyOptions) => throughAll([options]);

  /** Fetches through proxies before the chain. */
  async function throughAll(options: readonly ProxyOptions[], ...args: string[]) {
    const proxies = await Promise.all(options.map((one) => startProxy(economy.anvil.url, one)));
    const folder = new EconomyFolder(economy, parent);
    const urls = proxies.map((proxy) => proxy.keyed(KEY));
    const outcome = await folder.fetch(urls, "--report", join(folder.path, "report.json"), ...args);
    expect(outcome.stdout + outcome.stderr + folder.texts()).not.toContain(KEY);
    return { proxies, folder, outcome };
  }

  it("through all faults, a few at a time", async () => {
    const others = FAULT_NAMES.filter((name) => !RATE_LIMITS.has(name));
    const groups = Array.from({ length: Math.ceil(others.length / 5) }, (_, group) =>
      others.slice(5 * group).slice(0, 5),
    );
    const limit = { blocks: 15, provider: "infura" } as const;
    const fetched = await Promise.all([
      through({ faults: [...RATE_LIMITS], share: 0, seed: 5 }),
      ...groups.map((faults) => through({ faults, share: 0.15, seed: 5, limit })),
    ]);
    for (const { proxies, folder, outcome } of fetched) {
      const { options, met } = proxies[0]!;
      expect(outcome.status, `${options.faults}: ${outcome.stderr}`).toBe(0);
      expect(folder.digests(), options.faults!.join()).toEqual(expected);
      expect(new Set(met.keys())).toEqual(new Set(options.faults));
    }
  });

  it("with pages of every size that providers allow", async () => {
    const limits = (Object.keys(PROVIDERS) as ProviderName[]).map((provider, index) => ({
      blocks: 3 + 9 * index,
      provider,
    }));
    const fetched = await Promise.all(limits.map((limit) => through({ limit })));
    for (const [index, { outcome, folder, proxies }] of fetched.entries()) {
      const { blocks, provider } = limits[index]!;
      expect(outcome.status, `${provider}: ${outcome.stderr}`).toBe(0);
      expect(folder.digests(), provider).toEqual(expected);
      const granted = proxies[0]!.ranges(economy.token).filter(({ from, to }) => to - from < blocks);
      expect(granted.length, provider).toBeGreaterThan(1);
    }
  });

  it("from any set of nodes, at any rate", async () => {
    const poor = { batches: 0, overrides: false, limit: { blocks: 25, provider: "alchemy, free" } } as const;
    const sets: [ProxyOptions[], ...string[]][] = [
      [[{}], "--requests-per-second", "40"],
      [[{ states: 60 }]],
      [[{ batches: 3, faults: ["logs without times"], share: 1, inARow: 1e9 }]],
      [[poor]],
      [[{}, poor, { behind: 20 }]],
      [[{ prunedBefore: 60 }, { limit: { blocks: 40, provider: "quicknode" } }]],
      [[{ always: { status: 401, code: -32000, message: "Must be authenticated!" } }, {}]],
    ];
    const fetched = await Promise.all(sets.map(([options, ...args]) => throughAll(options, ...args)));
    for (const [index, { outcome, folder }] of fetched.entries()) {
      const name = JSON.stringify(sets[index]);
      expect(outcome.status, `${name}: ${outcome.stderr}`).toBe(0);
      expect(folder.digests(), name).toEqual(expected);
    }
  });
});
