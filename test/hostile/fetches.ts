/**
 * Fetches from chains that were made up, over nodes with limits of their own, in front of which everything goes wrong
 * that does, night after night, and whose requests are broken off at any moment; the states of one of them may be wrong: in
 * the end the files are those of a fetch from one sound node, and their rows are what was made up.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { streamTransfers } from "../../builder/fetch/transfers/transfer-file.ts";
import { type Outcome, sopranoIn } from "../commands/soprano.ts";
import { fakeEconomy, type Row, word } from "../fetch/chain/fake-chain.ts";
import { FakeNode, type FakeNodeOptions } from "../fetch/chain/fake-node.ts";
import { PROVIDERS, type ProviderName } from "../fetch/chain/providers.ts";
import { FAULT_NAMES, FaultProxy, RATE_LIMITS } from "../fetch/chain/proxy.ts";
import { rowsOf } from "../fetch/logs.ts";
import { type Attack, inFolders } from "./attack.ts";

const KEY = "an-operators-0wn-k3y";
/** Too slow to try many: a client that meets them waits. */
const QUICK_FAULTS = FAULT_NAMES.filter((name) => !RATE_LIMITS.has(name));

/** Full nodes don't have the states of blocks that became final so late: the sound node is one of them then. */
const LATE_FINALITY = 600;

const node = fc.record(
  {
    states: fc.integer({ min: 128, max: 700 }),
    maxBlocks: fc.integer({ min: 5, max: 5_000 }),
    maxLogs: fc.integer({ min: 20, max: 500 }),
    refusal: fc.constantFrom(
      "query block range exceeds server limit",
      "block range too high",
      "too many results",
      "no",
    ),
    batches: fc.nat(30),
    overrides: fc.boolean(),
    timestamps: fc.constantFrom("missing", "zero"),
    behind: fc.nat(400),
    prunedBefore: fc.nat(2_000),
  } satisfies { [Key in keyof FakeNodeOptions]: fc.Arbitrary<FakeNodeOptions[Key]> },
  { requiredKeys: [] },
);

const proxy = fc.record({
  faults: fc.subarray(QUICK_FAULTS, { maxLength: 6 }),
  share: fc.constantFrom(0.05, 0.2),
  seed: fc.nat(1_000),
  limit: fc.option(
    fc.record({
      provider: fc.constantFrom(...(Object.keys(PROVIDERS) as ProviderName[])).filter((name) => name !== "bsc"),
      blocks: fc.integer({ min: 50, max: 1_000 }),
    }),
    { nil: undefined },
  ),
});

const one = fc.record({
  chain: fc.record({
    seed: fc.nat(10_000),
    blocks: fc.integer({ min: 2_500, max: 6_000 }),
    interval: fc.integer({ min: 60, max: 1_000 }),
    transfers: fc.integer({ min: 1, max: 600 }),
    holders: fc.integer({ min: 2, max: 60 }),
    /** Blocks are final late on chains such as those of the OP stack. */
    confirmations: fc.constantFrom(64, LATE_FINALITY),
  }),
  /** Behind proxies; a sound node is always there, too, but what it sends meets the faults as well. */
  nodes: fc.array(fc.record({ node, proxy }), { maxLength: 2 }),
  sound: proxy,
  /** One more whose states are of an older block, or made up, wherever it is named. */
  wrong: fc.option(
    fc.record({
      place: fc.nat(3),
      kind: fc.constantFrom("stopped", "balances", "supply"),
      part: fc.integer({ max: 99, min: 1 }),
    }),
    { nil: undefined },
  ),
  /** The head at each night, as parts of the chain; the last night sees all. */
  nights: fc.array(fc.integer({ min: 30, max: 99 }), { maxLength: 3 }),
  /** Calls after which a night is broken off, and begun again. */
  breaks: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 3 }),
});
type Case = typeof one extends fc.Arbitrary<infer Value> ? Value : never;

export const fetches: Attack = {
  name: "fetches",
  unit: "fetches",
  twin: "test/fetch/same-bytes.node.test.ts",
  open: inFolders(one, attempt),
};

async function attempt({ chain: options, nodes, sound, wrong, nights, breaks }: Case, folder: string): Promise<number> {
  const { chain, rows } = fakeEconomy(options);
  // If only a node that is wrong has a block's state, nothing can be told: they all keep as many.
  const kept = options.confirmations === LATE_FINALITY ? { states: 128 } : {};
  const plain = await new FakeNode(chain, kept).start();
  const opened: (FakeNode | FaultProxy)[] = [plain];
  const before = async (fake: FakeNode, { limit, ...rest }: Case["sound"]) => {
    const faulty = await new FaultProxy(fake.url, { ...rest, ...(limit && { limit }) }).start();
    opened.push(faulty);
    return faulty;
  };
  try {
    const expected = join(folder, "expected");
    const found = join(folder, "found");
    for (const path of [expected, found]) writeAsset(path, chain.token.address);
    const once = await fetchInto(expected, [plain.url]);
    if (once.status !== 0) {
      // A chain may have no whole day, or a token of whose balances nothing is left.
      if (/complete and final|not final/.test(once.stderr)) return 0;
      throw new Error(`A fetch from a sound node failed: ${once.stderr}`);
    }
    const record = JSON.parse(readFileSync(join(expected, "inputs", "FAKE", "fetch.json"), "utf8"));
    await compareRows(rows, expected, record);

    const proxies = [await before(plain, sound)];
    for (const each of nodes) {
      const fake = await new FakeNode(chain, each.node).start();
      opened.push(fake);
      proxies.push(await before(fake, each.proxy));
    }
    if (wrong) {
      const fake = await new FakeNode(chain, { ...kept, ...wrongStates(wrong, options.blocks) }).start();
      opened.push(fake);
      const quiet: Case["sound"] = { faults: [], share: 0.05, seed: 1, limit: undefined };
      proxies.splice(Math.min(wrong.place, proxies.length), 0, await before(fake, quiet));
    }
    const urls = proxies.map((each) => each.keyed(KEY));
    const { head } = chain;
    let fetched = 0;
    for (const part of [...nights.sort((a, b) => a - b), 100]) {
      chain.head = Math.floor((head * part) / 100);
      for (const calls of part === 100 ? breaks : []) fetched += await breakOff(found, urls, proxies, calls);
      const outcome = await fetchInto(found, urls);
      fetched++;
      checkText(outcome);
      if (part < 100 && outcome.status !== 0 && /complete and final|not final/.test(outcome.stderr)) continue;
      if (outcome.status !== 0) throw new Error(`A fetch failed: ${outcome.stderr}`);
    }
    await compareRows(rows, found, JSON.parse(readFileSync(join(found, "inputs", "FAKE", "fetch.json"), "utf8")));
    // Nights cut other files: only one night gives the same ones.
    if (fetched === 1 + breaks.length) {
      const [one, two] = [digests(expected), digests(found)];
      if (one !== two) throw new Error(`Other bytes:\n${one}\n${two}`);
    }
    return fetched;
  } finally {
    chain.head = options.blocks;
    await Promise.all(opened.map((each) => each.stop()));
  }
}

function wrongStates({ kind, part }: NonNullable<Case["wrong"]>, blocks: number): FakeNodeOptions {
  if (kind === "stopped") return { stoppedAt: Math.floor((blocks * part) / 100) };
  const selector = kind === "supply" ? "0x18160ddd" : "0x70a08231";
  return {
    lies: {
      call: (_, data, right) => (data.startsWith(selector) ? `0x${word(BigInt(right) + BigInt(part))}` : right),
    },
  };
}

function writeAsset(folder: string, contract: string): void {
  mkdirSync(folder);
  const source = { chainId: 1, firstBlock: 100, events: "erc20", labels: "none" };
  const identity = { symbol: "FAKE", name: "Fake", chain: "ethereum", contract, decimals: 18, maxSupply: "1000000" };
  writeFileSync(join(folder, "FAKE.json"), JSON.stringify({ ...identity, source }));
}

const fetchInto = (folder: string, urls: readonly string[]): Promise<Outcome> =>
  sopranoIn({ SOPRANO_RPC_URL: urls.join(" ") }, "fetch", join(folder, "FAKE.json"), "--quiet");

/** Fetches until some calls have been made; from then on every node refuses the key, which ends the fetch. */
async function breakOff(folder: string, urls: string[], proxies: FaultProxy[], calls: number): Promise<number> {
  let made = 0;
  const options = proxies.map((each) => each.options);
  for (const each of proxies) {
    const onCall = () => {
      if (++made < calls) return;
      const always = { status: 401, code: -32000, message: "Must be authenticated!" };
      for (const one of proxies) one.options = { ...one.options, always };
    };
    each.options = { ...each.options, onCall };
  }
  const outcome = await fetchInto(folder, urls);
  for (const [index, each] of proxies.entries()) each.options = options[index]!;
  checkText(outcome);
  return 1;
}

function checkText({ stdout, stderr }: Outcome): void {
  if ((stdout + stderr).includes(KEY)) throw new Error(`A message shows the key: ${stderr}`);
}

async function compareRows(
  rows: readonly Row[],
  folder: string,
  { asOf, files }: { asOf: string; files: { file: string }[] },
) {
  const found: Row[] = [];
  for (const { file } of files) {
    for await (const columns of streamTransfers(join(folder, "inputs", "FAKE", file))) found.push(...rowsOf(columns));
  }
  const text = (row: Row) => [row.block, row.logIndex, row.time, row.from, row.to, row.value].join();
  const expected = rows.filter(({ time }) => time < Date.parse(asOf) / 1000).map(text);
  const actual = found.map(text);
  const at = expected.findIndex((row, index) => row !== actual[index]);
  if (at >= 0 || actual.length !== expected.length) {
    throw new Error(
      `${actual.length} rows instead of ${expected.length}; row ${at}: ${actual[at]}, not ${expected[at]}`,
    );
  }
}

/** Names and SHA-256 of all files of transfers, and of contracts.csv. */
function digests(folder: string): string {
  const inputs = join(folder, "inputs", "FAKE");
  const names = readdirSync(join(inputs, "transfers")).map((name) => `transfers/${name}`);
  const digest = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(inputs, name)))
      .digest("hex");
  return [...names.sort(), "contracts.csv"].map((name) => `${name} ${digest(name)}`).join("\n");
}
