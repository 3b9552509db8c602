/** Small simulated tokens in a local state, built once for all files of tests. */

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";

export interface Token {
  symbol: string;
  name: string;
  seed: number;
  transfers: number;
  days: number;
  /** The shares of its prices between which they are missing. */
  gap: number[];
  /** Whether its ASSET.json names no exchanges. */
  lacksExchanges?: true;
  /** The text of its calendar, as CSV. */
  events?: string;
}

/** The price of DUET is missing in the middle of its days: a first build had it, so a second one has restated history. */
export const TOKENS: Token[] = [
  {
    symbol: "ARIA",
    name: "Aria",
    seed: 1,
    transfers: 5_000,
    days: 3 * 365,
    gap: [],
    events:
      "date,title,link\n2024-03-01,Listing on an exchange,https://example.org/listing\n2024-03-03,Unlock,\n2025-06-01,Upgrade,\n2027-01-01,To come,\n",
  },
  { symbol: "DUET", name: "Duet", seed: 2, transfers: 1_000, days: 60, gap: [1 / 3, 2 / 3] },
];

/** By tokens: test files that run in one process share what has been built. */
const built = new Map<Token[], Promise<Built>>();

export function builtOnce(tokens: Token[]): Promise<Built> {
  const building = built.get(tokens) ?? builtByOne(tokens);
  built.set(tokens, building);
  return building;
}

/** ms: many times what building takes on a busy machine. */
const MOST_MS = 300_000;

/** The processes that all.ts starts share it, too: the first builds, the others wait. */
async function builtByOne(tokens: Token[]): Promise<Built> {
  const scratch = process.env.TEST_SCRATCH;
  if (scratch === undefined) return buildTokens(mkdtempSync(join(tmpdir(), "soprano-tokens-")), tokens);
  const digest = createHash("sha256").update(JSON.stringify(tokens)).digest("hex");
  // Removed by all.ts: no file knows that it is the last.
  const folder = join(scratch, `soprano-tokens-${digest.slice(0, 16)}`);
  const made = join(folder, "built.json");
  const began = performance.now();
  while (!existsSync(made)) {
    if (performance.now() - began > MOST_MS)
      throw new Error(`${folder} has no tokens: another process was to build them.`);
    const isFirst = await mkdir(folder).then(
      () => true,
      () => false,
    );
    if (isFirst) await buildWhole(folder, made, tokens);
    else await setTimeout(100);
  }
  return JSON.parse(await readFile(made, "utf8"));
}

/** Leaves nothing if it fails, so that another process may try. */
async function buildWhole(folder: string, made: string, tokens: Token[]): Promise<void> {
  try {
    await writeFile(`${made}.new`, JSON.stringify(await buildTokens(folder, tokens)));
    await rename(`${made}.new`, made);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

interface Built {
  /** A state folder, to copy. */
  state: string;
  key: string;
}

async function buildTokens(folder: string, tokens: Token[]): Promise<Built> {
  const persist = join(folder, "state");
  const state = await openLocalState(persist);
  for (const { gap, lacksExchanges, events, ...token } of tokens) {
    const out = join(folder, token.symbol);
    const { assetPath } = await simulate({ ...token, out });
    if (lacksExchanges) {
      const { exchanges: _, ...asset } = JSON.parse(await readFile(assetPath, "utf8"));
      await writeFile(assetPath, JSON.stringify(asset));
    }
    if (events) {
      await writeFile(join(out, "events.csv"), events);
      const asset = JSON.parse(await readFile(assetPath, "utf8"));
      await writeFile(assetPath, JSON.stringify({ ...asset, calendar: "events.csv" }));
    }
    const publish = () => build(assetPath, state.objects, { threads: 1, progress: silentProgress() });
    await publish();
    const [from, to] = gap;
    if (from === undefined || to === undefined) continue;
    const prices = (await readFile(join(out, "prices.csv"), "utf8")).split("\n");
    const isKept = (_: string, row: number) =>
      row < Math.round(from * prices.length) || row >= Math.round(to * prices.length);
    await writeFile(join(out, "prices.csv"), prices.filter(isKept).join("\n"));
    await publish();
  }
  const { key } = await createKey(state.keys, { name: "tests" });
  await state.close();
  return { state: persist, key };
}
