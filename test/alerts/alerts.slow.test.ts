/** Alerts of real builds: runs night by night, over restatements, with receivers that fail, and killed anywhere. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Rules, readRules } from "../../builder/alerts/alert-rules.ts";
import { alert, dryRunAlerts, firedText } from "../../builder/alerts/alerts.ts";
import type { PostTimes } from "../../builder/alerts/post.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { parseRelative } from "../../data-schema/text/relative.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { newFolder } from "../folders.ts";
import { copyOf, variant } from "../published/verify/published.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { unpack } from "../store/unpacked.ts";
import { killAnywhere, publish } from "./kills.ts";
import { Receiver } from "./receiver.ts";

const TIMES: PostTimes = { timeoutMs: 500, policy: { attempts: 2, firstMs: 5, longestMs: 10 } };
const DAY = 86_400;
const END = Date.UTC(2026, 0, 1) / 1000;
const NIGHTS = Array.from({ length: 12 }, (_, i) => END - (11 - i) * DAY);

const folder = newFolder();
const receiver = new Receiver();
let assetPath: string;
const ARIA = { symbols: ["ARIA"], assetFile: async () => assetPath };
let rules: Rules;
/** What is published after each night. */
const published: MemoryStore[] = [];

beforeAll(async () => {
  await receiver.start();
  const token = { out: join(folder, "ARIA"), symbol: "ARIA", name: "Aria", seed: 3, transfers: 4_000, days: 200 };
  // Rules read days alone.
  assetPath = variant((await simulate(token)).assetPath, "days.json", { resolutions: ["day"] });
  const store = new MemoryStore();
  for (const asOf of NIGHTS) {
    await runBuild(store, assetPath, { asOf });
    published.push(copyOf(store));
  }
  const file = join(folder, "ALERTS.json");
  const rule = (name: string, when: string, more: object = {}) => ({ name, assets: "*", when, post: "HOOK", ...more });
  writeFileSync(
    file,
    JSON.stringify({
      site: "https://metrics.example.com",
      rules: [
        rule("Rises", "price > lag(price)"),
        rule("Falls twice", "price < lag(price)", { for: 2 }),
        rule("In profit", "sopr >= 1", { format: "slack" }),
        rule("Much moves", "volume > sma(volume, 7)", { post: "OTHER" }),
      ],
    }),
  );
  rules = await readRules(file);
}, 120_000);
afterAll(() => {
  receiver.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  receiver.posts.length = 0;
  receiver.answers = [];
});

interface Run {
  isWhole: boolean;
  sent: string[];
  failed: string[];
}

async function runOnce(store: ObjectStore, env: Record<string, string> = hooks()): Promise<Run> {
  const run: Run = { isWhole: false, sent: [], failed: [] };
  const options = {
    ...ARIA,
    env,
    sent: (text: string) => run.sent.push(text),
    failed: (text: string) => run.failed.push(text),
    times: TIMES,
  };
  run.isWhole = await alert(rules, store, options);
  return run;
}
const hooks = () => ({ HOOK: `${receiver.url}/hook`, OTHER: `${receiver.url}/other` });

/** The firings of all nights but the first, by the rows that are new in each. */
async function expectedFirings(): Promise<string[]> {
  const failed = (sentence: string) => expect.fail(sentence);
  const fired = await dryRunAlerts(rules, published.at(-1)!, parseRelative("-10d")!, { ...ARIA, failed });
  return fired.map(firedText);
}
const keysOf = () => receiver.posts.map(({ headers }) => headers["idempotency-key"] as string);

describe("night by night", () => {
  it("posts each firing once, and nothing on the first run", async () => {
    const store = new MemoryStore();
    const lines: string[] = [];
    for (const [i, night] of published.entries()) {
      publish(store, night);
      const { isWhole, sent, failed } = await runOnce(store);
      expect([isWhole, failed]).toEqual([true, []]);
      if (i === 0) expect(sent).toEqual([]);
      lines.push(...sent);
      // Run again: there is nothing new.
      expect(await runOnce(store)).toMatchObject({ isWhole: true, sent: [] });
    }
    const expected = await expectedFirings();
    expect(expected.length).toBeGreaterThan(5);
    expect(lines.map((line) => line.replace(/: posted.*/, "")).sort()).toEqual(
      expected.map((line) => line.replace(/: [^:]* [<>].*/, "")).sort(),
    );
    expect(new Set(keysOf()).size).toBe(expected.length);
    expect(receiver.posts).toHaveLength(expected.length);
    const json = receiver.posts.filter(({ path }) => path === "/other").map(({ body }) => JSON.parse(body));
    expect(json[0]).toMatchObject({ rule: "Much moves", asset: "ARIA", when: "volume > sma(volume, 7)" });
    expect(json[0].left).toBeGreaterThan(json[0].right);
    expect(json[0].link).toBe("https://metrics.example.com/?a=ARIA&y=%3Dvolume&y=%3Dsma%28volume%2C+7%29");
  });

  it("goes on with a receiver while another is down, which gets its own later", async () => {
    const store = new MemoryStore();
    publish(store, published[0]!);
    await runOnce(store);
    publish(store, published.at(-1)!);
    const down = await runOnce(store, { ...hooks(), OTHER: await Receiver.nobody() });
    expect(down.isWhole).toBe(false);
    expect(down.failed).toEqual([
      expect.stringMatching(/^the URL of OTHER can't be reached \(ECONNREFUSED\): "Much moves" of ARIA, /),
    ]);
    expect(receiver.posts.length).toBeGreaterThan(0);
    const missing = await runOnce(store, { HOOK: hooks().HOOK });
    expect(missing.failed).toEqual([
      expect.stringMatching(/^OTHER is not set: it must hold the URL to which \d+ alerts are posted\.$/),
    ]);
    expect((await runOnce(store)).isWhole).toBe(true);
    expect(new Set(keysOf()).size).toBe((await expectedFirings()).length);
    expect(receiver.posts).toHaveLength(new Set(keysOf()).size);
  });

  it("goes on with other rules where a receiver refuses one", async () => {
    const store = new MemoryStore();
    publish(store, published[0]!);
    await runOnce(store);
    publish(store, published.at(-1)!);
    receiver.refuses = (body) => body.includes('"rule":"Rises"');
    const { isWhole, failed } = await runOnce(store);
    expect([isWhole, failed]).toEqual([
      false,
      [expect.stringMatching(/^the URL of HOOK answered 400: "Rises" of ARIA, .* and what follows of this rule are /)],
    ]);
    const others = (await expectedFirings()).filter((line) => !line.includes("Rises"));
    expect(receiver.posts).toHaveLength(others.length);
    receiver.refuses = () => false;
    expect((await runOnce(store)).isWhole).toBe(true);
    expect(new Set(keysOf()).size).toBe((await expectedFirings()).length);
    expect(receiver.posts).toHaveLength(new Set(keysOf()).size);
  });

  it("posts what was not taken once more, with the same body", async () => {
    const store = new MemoryStore();
    publish(store, published[0]!);
    await runOnce(store);
    publish(store, published.at(-1)!);
    receiver.answers = ["dropped after the body", { status: 500 }, { status: 429, headers: { "Retry-After": "3600" } }];
    for (let run = 0; !(await runOnce(store)).isWhole; run++) expect(run).toBeLessThan(5);
    const bodies = Map.groupBy(receiver.posts, ({ headers }) => headers["idempotency-key"]);
    expect(bodies.size).toBe((await expectedFirings()).length);
    for (const own of bodies.values()) expect(new Set(own.map(({ body }) => body)).size).toBe(1);
  });
});

it("loses nothing and uses one key for each, wherever it is killed", async () => {
  const before = copyOf(published[0]!);
  await runOnce(before);
  publish(before, published.at(-1)!);
  const run = async (store: MemoryStore) => (await runOnce(store)).isWhole;
  await killAnywhere(before, receiver, run, (await expectedFirings()).length);
}, 120_000);

it("does not fire rows again that have been evaluated and are restated", async () => {
  const store = copyOf(published.at(-2)!);
  await runOnce(store);
  // All prices of the last 30 days rise and fall the other way round.
  const prices = join(folder, "ARIA", "prices.csv");
  const before = readFileSync(prices, "utf8");
  try {
    const rows = before.trimEnd().split("\n");
    const swapped = rows.map((row) => {
      const [t, price] = row.split(",") as [string, string];
      return Number(t) < END - 30 * DAY || t === "timestamp" ? row : `${t},${1 / Number(price)}`;
    });
    writeFileSync(prices, `${swapped.join("\n")}\n`);
    await runBuild(store, assetPath, { asOf: NIGHTS.at(-2)! });
    expect(await runOnce(store)).toMatchObject({ isWhole: true, sent: [] });
    await runBuild(store, assetPath, { asOf: NIGHTS.at(-1)! });
    const failed = (sentence: string) => expect.fail(sentence);
    const restated = await dryRunAlerts(rules, store, parseRelative("-30d")!, { ...ARIA, failed });
    const { sent } = await runOnce(store);
    // Only the new row of the restated history fires.
    const news = restated.filter(({ firing }) => firing.t === END - DAY).map(({ rule }) => rule.name);
    expect(sent.map((line) => /ARIA {2}(.*): posted/.exec(line)![1])).toEqual(expect.arrayContaining(news));
    expect(sent).toHaveLength(news.length);
    expect(restated.length).toBeGreaterThan(news.length);
  } finally {
    writeFileSync(prices, before);
  }
}, 60_000);

it("tells each rule that a missing object leaves out, and makes up for it later", async () => {
  const store = copyOf(published[0]!);
  await runOnce(store);
  publish(store, published.at(-1)!);
  await unpack(store);
  for (const key of store.objects.keys()) if (/^series\/ARIA\/day\/price\//.test(key)) store.objects.delete(key);
  const { isWhole, failed, sent } = await runOnce(store);
  expect([isWhole, failed]).toEqual([
    false,
    ["Rises", "Falls twice"].map((rule) =>
      expect.stringMatching(new RegExp(`^rule "${rule}" on ARIA: series/.* is missing in memory or damaged: run`)),
    ),
  ]);
  expect(sent.length).toBeGreaterThan(0);
  publish(store, published.at(-1)!);
  const rest = await runOnce(store);
  expect([...sent, ...rest.sent]).toHaveLength((await expectedFirings()).length);
});

it("begins anew with a rule that has changed", async () => {
  const store = copyOf(published[0]!);
  await runOnce(store);
  publish(store, published.at(-1)!);
  const kept = rules;
  try {
    rules = { ...kept, rules: kept.rules.map((rule) => ({ ...rule, rows: rule.rows + 1 })) };
    expect(await runOnce(store)).toMatchObject({ isWhole: true, sent: [] });
  } finally {
    rules = kept;
  }
});

describe("lots", () => {
  const assets = join(folder, "lots");
  const store = new MemoryStore();
  /** The rows of the last 90 days at which rules fire, on an asset with lots and one without. */
  async function dryRun(conditions: Record<string, string>, more: object = {}, symbols = ["ARIA", "BARE"]) {
    const file = join(assets, "LOTS.json");
    const written = Object.entries(conditions).map(([name, when]) => ({ name, assets: "*", when, post: "H", ...more }));
    writeFileSync(file, JSON.stringify({ rules: written }));
    const told: string[] = [];
    const fired = await dryRunAlerts(await readRules(file), store, parseRelative("-90d")!, {
      symbols,
      assetFile: async (symbol) => join(assets, symbol, `${symbol}.json`),
      failed: (sentence) => told.push(`failed: ${sentence}`),
      noticed: (sentence) => told.push(sentence),
    });
    const rowsOf = (name: string, symbol: string) =>
      fired.flatMap(({ rule, asset, firing }) => (rule.name === name && asset === symbol ? [firing.t] : []));
    return { told, rowsOf };
  }

  beforeAll(async () => {
    for (const [symbol, changes] of [
      ["ARIA", { lots: ["fifo"] }],
      ["BARE", {}],
    ] as const) {
      const made = await simulate({
        out: join(assets, symbol),
        symbol,
        name: symbol,
        seed: 4,
        transfers: 3_000,
        days: 120,
      });
      await runBuild(store, variant(made.assetPath, "days.json", { resolutions: ["day"], ...changes }));
    }
  });

  const LACKING = 'BARE has no lots by fifo: add "lots": ["fifo"] to its ASSET.json, and build.';

  it("are selectors of conditions, and a rule of all assets leaves out those that have none", async () => {
    const { told, rowsOf } = await dryRun({
      "As all move": "volume > sma(volume, 7)",
      "As all lots move": "volume:fifo > sma(volume:fifo, 7)",
      "Short-term holders lose": "mvrv:fifo.sth < 1",
      Never: "supply:fifo.users > supply:fifo",
    });
    expect(rowsOf("As all move", "ARIA").length).toBeGreaterThan(5);
    expect(rowsOf("As all lots move", "ARIA")).toEqual(rowsOf("As all move", "ARIA"));
    expect(rowsOf("As all move", "BARE").length).toBeGreaterThan(5);
    expect(rowsOf("As all lots move", "BARE")).toEqual([]);
    expect(rowsOf("Never", "ARIA")).toEqual([]);
    const names = ["As all lots move", "Short-term holders lose", "Never"];
    expect(told).toEqual(names.map((name) => `rule "${name}" leaves out 1 asset. ${LACKING}`));
  });

  it("are missing where a rule names the asset, or where no asset has them", async () => {
    const named = await dryRun({ Named: "sopr:fifo < 1" }, { assets: ["ARIA", "BARE"] });
    expect(named.told).toEqual([`failed: rule "Named" on BARE: ${LACKING}`]);
    const other = await dryRun({ Other: "sopr < BARE.sopr:fifo" }, {}, ["ARIA"]);
    expect(other.told).toEqual([`failed: rule "Other" on ARIA: ${LACKING}`]);
    const alone = await dryRun({ Alone: "sopr:fifo < 1" }, {}, ["BARE"]);
    expect(alone.told).toEqual([`failed: rule "Alone" on BARE: ${LACKING}`]);
  });
});

it("the ten rules of docs/alerts.md fire as often as it says", async () => {
  const page = readFileSync(new URL("../../docs/alerts.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("### Ten rules");
  const file = join(folder, "ten.json");
  writeFileSync(file, /```json\n(.*?)```/s.exec(section)![1]!);
  const ten = await readRules(file);
  const token = { out: join(folder, "SIM"), symbol: "SIM", name: "Simulated token", seed: 1, transfers: 200_000 };
  const { assetPath } = await simulate(token);
  const store = new MemoryStore();
  await runBuild(store, variant(assetPath, "days.json", { resolutions: ["day"] }));
  const failed = (sentence: string) => expect.fail(sentence);
  const fired = await dryRunAlerts(ten, store, parseRelative("-10y")!, {
    symbols: ["SIM"],
    assetFile: async () => assetPath,
    failed,
  });
  const rows = ten.rules.map(({ name }) => [name, fired.filter(({ rule }) => rule.name === name).length]);
  const told = [...section.matchAll(/^\| ([^|]+?) \| [^|]+ \| (\d+) \|$/gm)].map(([, name, count]) => [
    name,
    Number(count),
  ]);
  expect(told).toHaveLength(10);
  expect(told).toEqual(rows);
}, 120_000);
