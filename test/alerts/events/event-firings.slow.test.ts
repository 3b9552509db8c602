/** Rules of transfers and holders on a history of five days that can be checked by hand. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRules } from "../../../builder/alerts/alert-rules.ts";
import { alert, dryRunAlerts } from "../../../builder/alerts/alerts.ts";
import { AssetFiles } from "../../../builder/alerts/events/asset-files.ts";
import { bodyOf, firingText } from "../../../builder/alerts/message.ts";
import { saveInputs } from "../../../builder/fetch/kept/bucket.ts";
import { formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { parseRelative } from "../../../data-schema/text/relative.ts";
import { runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { scratchFolder } from "../../folders.ts";
import { copyOf } from "../../published/verify/published.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { killAnywhere, publish } from "../kills.ts";
import { Receiver } from "../receiver.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const [ZERO, ALICE, BOB, TEAM, BINANCE, POOL] = ["0", "a", "b", "7", "e", "c"].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const at = (day: number, time = "00:00:00") => Date.parse(`2024-01-0${day}T${time}Z`) / 1000;
const HASH = `0x${"5".repeat(64)}`;

/** Block, log index, time, sender, receiver, tokens. */
const EVENTS: [number, number, number, string, string, number][] = [
  [10, 0, at(1), ZERO, ALICE, 1000],
  [11, 2, at(1, "12:00:00"), ALICE, BINANCE, 300],
  [20, 0, at(2, "01:00:00"), BINANCE, BOB, 100],
  [21, 3, at(2, "02:00:00"), ALICE, TEAM, 200],
  // Counts nowhere.
  [21, 4, at(2, "02:00:00"), TEAM, TEAM, 500],
  [22, 0, at(2, "03:00:00"), TEAM, ZERO, 50],
  [30, 1, at(3, "10:00:00"), ALICE, POOL, 100],
  [40, 0, at(4, "05:00:00"), BOB, BINANCE, 100],
  [50, 0, at(5, "06:00:00"), POOL, BOB, 1],
];
/** The dollars of a token: from the second on at which a price is observed. */
const PRICES: [number, number][] = [
  [at(1), 2],
  [at(2, "02:00:00"), 3],
  [at(4), 4],
];

const files = new TokenFolder(
  {
    decimals: 0,
    maxSupply: "1000000",
    balanceUnit: 1,
    asOf: at(6),
    prices: PRICES,
    exchanges: { [BINANCE]: "binance" },
    contracts: [POOL],
    transfers: [],
  } as never,
  "TINY",
);
const rows = (events: typeof EVENTS) =>
  events.map(([block, log, time, from, to, value]) =>
    [block, log, time, from, to, value, block === 21 ? HASH : ""].join(","),
  );
const writeTransfers = (events: typeof EVENTS) =>
  files.write(
    "transfers-1.csv",
    ["block_number,log_index,block_timestamp,from_address,to_address,value,transaction_hash", ...rows(events), ""].join(
      "\n",
    ),
  );

const RULES = {
  "Any 100": { transfers: { "at least": "100" } },
  "600 dollars": { transfers: { "at least": "$600" } },
  Deposits: { transfers: { "at least": "0.1K", from: "users", to: "cex" } },
  "To team": { transfers: { "at least": "1", to: "@team" } },
  Mints: { transfers: { "at least": "1", from: "mint" } },
  Burns: { transfers: { "at least": "1", to: "burn" } },
  Withdrawals: { transfers: { "at least": "1", from: "binance" } },
  "To contracts": { transfers: { "at least": "1", to: "sc" } },
  "From Alice to contracts": { transfers: { "at least": "1", from: ALICE.toUpperCase().replace("X", "x"), to: "sc" } },
  Alice: { holder: ALICE, "changes by": "25 %" },
  Bob: { holder: BOB },
};
/** When each fires: the block of a transfer, the day of a balance. */
const FIRES: Record<keyof typeof RULES, (number | string)[]> = {
  "Any 100": [10, 11, 20, 21, 30, 40],
  "600 dollars": [10, 11, 21],
  Deposits: [11, 40],
  "To team": [21],
  Mints: [10],
  Burns: [22],
  Withdrawals: [20],
  "To contracts": [30],
  "From Alice to contracts": [30],
  // 0 → 700 → 500 → 400: −29 %, −20 %.
  Alice: ["2024-01-01", "2024-01-02"],
  // 0 → 100 → 100 → 0 → 1.
  Bob: ["2024-01-02", "2024-01-04", "2024-01-05"],
};

const receiver = new Receiver();
let assetPath: string;
/** What is published after each night, by the day that it ends before. */
const published = new Map<number, MemoryStore>();

async function rulesOf(rules: Record<string, object>) {
  const file = join(scratchFolder(), "ALERTS.json");
  const written = Object.entries(rules).map(([name, rule]) => ({ name, assets: "*", post: "HOOK", ...rule }));
  writeFileSync(file, JSON.stringify({ site: "https://metrics.example.com", rules: written }));
  return readRules(file);
}

beforeAll(async () => {
  await receiver.start();
  writeTransfers(EVENTS);
  files.prices(PRICES);
  files.write("team.csv", `address\n${TEAM}\n`);
  assetPath = files.asset({ transfers: "transfers-1.csv", cohorts: { team: "team.csv" }, resolutions: ["day"] });
  const store = new MemoryStore();
  for (const night of [2, 3, 4, 5, 6]) {
    await runBuild(store, assetPath, { asOf: at(night) });
    published.set(night, copyOf(store));
  }
}, 60_000);
afterAll(() => {
  receiver.close();
  files.close();
});

const optionsOf = (failures: string[], path = assetPath) => ({
  symbols: ["TINY"],
  assetFile: async () => path,
  failed: (sentence: string) => void failures.push(sentence),
  env: { HOOK: `${receiver.url}/hook` },
  sent: () => {},
});

interface Posted {
  rule: string;
  t: string;
  transfer?: { block: number };
}

describe("night by night", () => {
  const run = async (from: MemoryStore, rules: Record<string, object> = RULES) => {
    const failures: string[] = [];
    const isWhole = await alert(await rulesOf(rules), from, optionsOf(failures));
    expect(failures).toEqual([]);
    return isWhole;
  };
  /** What each rule has posted: the block of a transfer, the day of a balance. */
  const posted = () => {
    const bodies = receiver.posts.map(({ body }) => JSON.parse(body) as Posted);
    const of = (name: string) => bodies.filter(({ rule }) => rule === name);
    const fired = Object.keys(RULES).map((name) => [
      name,
      of(name).map(({ t, transfer }) => transfer?.block ?? t.slice(0, 10)),
    ]);
    return Object.fromEntries(fired);
  };
  /** What the first night has is known already. */
  const later = Object.fromEntries(
    Object.entries(FIRES).map(([name, all]) => [
      name,
      all.filter((when) => when !== "2024-01-01" && !(Number(when) < 20)),
    ]),
  );

  it.each([[[2, 3, 4, 5, 6]], [[2, 6]]])("of days %j, fires once for each", async (nights) => {
    receiver.posts.length = 0;
    const own = new MemoryStore();
    for (const night of nights) {
      publish(own, published.get(night)!);
      for (let again = 0; again < 2; again++) expect(await run(own)).toBe(true);
    }
    expect(posted()).toEqual(later);
    const keys = receiver.posts.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("loses nothing and uses one key for each, wherever it is killed", async () => {
    const { "600 dollars": dollars, Bob } = RULES;
    const runTwo = (from: MemoryStore) => run(from, { "600 dollars": dollars, Bob });
    const before = copyOf(published.get(2)!);
    await runTwo(before);
    publish(before, published.get(4)!);
    // Block 21, and Bob's first balance.
    await killAnywhere(before, receiver, runTwo, 2);
  }, 60_000);

  it("does not look at days again that it has seen, whatever is restated", async () => {
    const own = copyOf(published.get(4)!);
    await run(own);
    receiver.posts.length = 0;
    try {
      // The team gives back what it has not burned.
      writeTransfers([...EVENTS.slice(0, 6), [22, 5, at(2, "03:00:00"), TEAM, ALICE, 150], ...EVENTS.slice(6)]);
      const { start } = await runBuild(own, assetPath, { asOf: at(6) });
      expect(start).toHaveProperty("reason");
      await run(own);
    } finally {
      writeTransfers(EVENTS);
    }
    const isNew = (when: string | number) => (typeof when === "number" ? when >= 40 : when >= "2024-01-04");
    const fresh = Object.entries(FIRES).map(([name, all]) => [name, all.filter(isNew)]);
    expect(posted()).toEqual(Object.fromEntries(fresh));
  });
});

describe("of what is published", () => {
  const dryRun = async (rules: Record<string, object>, since = "-9d") => {
    const failures: string[] = [];
    const fired = await dryRunAlerts(
      await rulesOf(rules),
      published.get(6)!,
      parseRelative(since)!,
      optionsOf(failures),
    );
    return { fired, failures };
  };

  it("tells when each rule would have fired", async () => {
    const { fired, failures } = await dryRun(RULES);
    expect(failures).toEqual([]);
    const when = (one: (typeof fired)[number]) =>
      one.kind === "transfers" ? one.firing.block : new Date(one.firing.t * 1000).toISOString().slice(0, 10);
    const byRule = Object.keys(RULES).map((name) => [name, fired.filter(({ rule }) => rule.name === name).map(when)]);
    expect(Object.fromEntries(byRule)).toEqual(FIRES);
  });

  it("since a day", async () => {
    const { fired } = await dryRun({ Any: RULES["Any 100"], Bob: RULES.Bob }, "-1d");
    expect(fired.map(({ rule, firing }) => [rule.name, firing.t])).toEqual([
      ["Bob", at(4)],
      ["Any", at(4, "05:00:00")],
      ["Bob", at(5)],
    ]);
  });

  it("says who, how much and where", async () => {
    const { fired } = await dryRun({
      Mints: RULES.Mints,
      Team: RULES["To team"],
      Burns: RULES.Burns,
      Alice: RULES.Alice,
    });
    expect(fired.map(firingText)).toEqual([
      `1,000 TINY ($2,000) minted to ${ALICE}, in block 10`,
      `${ALICE} holds 700 TINY ($1,400), and held nothing the day before`,
      `${ALICE} holds 500 TINY ($1,500), 28.6 % less than 700 the day before`,
      `200 TINY ($600) from ${ALICE} to @team (${TEAM}), in block 21`,
      `50 TINY ($150) from @team (${TEAM}), burned, in block 22`,
    ]);
    const told = { manifest: { build: "64874e0a1b2c3d4e", chain: "ethereum" }, site: "https://metrics.example.com" };
    const [, , balance, transfer, burn] = fired.map((one) => JSON.parse(bodyOf(one, told)));
    expect(transfer).toEqual({
      rule: "Team",
      asset: "TINY",
      t: "2024-01-02T02:00:00",
      when: "transfers of at least 1 tokens to @team",
      transfer: {
        block: 21,
        logIndex: 3,
        tokens: 200,
        dollars: 600,
        from: { address: ALICE, label: null, cohorts: [] },
        to: { address: TEAM, label: null, cohorts: ["@team"] },
        hash: HASH,
      },
      page: `https://etherscan.io/tx/${HASH}`,
      build: "64874e0a1b2c3d4e",
      link: "https://metrics.example.com/?a=TINY&y=%3Dvolume_dollar&y=%3Dprice",
    });
    expect(burn).toMatchObject({ transfer: { to: null, hash: null }, page: "https://etherscan.io/block/22" });
    expect(balance).toMatchObject({
      t: "2024-01-02T00:00:00",
      when: `balance of ${ALICE} changes by 25 %`,
      holder: { address: ALICE, label: null, cohorts: [], balance: 500, before: 700, dollars: 1500 },
      page: `https://etherscan.io/address/${ALICE}`,
    });
    const slack = fired.map((one) => ({ ...one, rule: { ...one.rule, format: "slack" } }) as typeof one);
    expect(JSON.parse(bodyOf(slack[3]!, told)).text.split("\n")).toEqual([
      `Team: TINY, 2024-01-02 02:00:00Z. 200 TINY ($600) from ${ALICE} to @\u200bteam (${TEAM}), in block 21`,
      `https://etherscan.io/tx/${HASH}`,
      "https://metrics.example.com/?a=TINY&y=%3Dvolume_dollar&y=%3Dprice",
    ]);
  });

  it("leaves out a rule of a cohort that the asset lacks, and no other", async () => {
    const { fired, failures } = await dryRun({
      Lost: { transfers: { "at least": "1", to: "@lost" } },
      Team: RULES["To team"],
    });
    expect(failures).toEqual(['rule "Lost" on TINY: TINY has no own cohort @lost.']);
    expect(fired.map(({ rule }) => rule.name)).toEqual(["Team"]);
  });

  it("refuses inputs that are not those of what is published", async () => {
    try {
      writeTransfers(EVENTS.filter(([block]) => block !== 20));
      expect(await dryRun({ Any: RULES["Any 100"] })).toMatchObject({
        fired: [],
        failures: [
          `rule "Any" on TINY: ${assetPath}: 2024-01-02 has 1 transfer in the inputs, but 2 transfers in what is published: run \`soprano build ${assetPath}\`.`,
        ],
      });
    } finally {
      writeTransfers(EVENTS);
    }
  });

  it("says where an ASSET.json should be", async () => {
    const dir = scratchFolder();
    const found = new AssetFiles(join(dir, "ALERTS.json"), []);
    await expect(found.pathOf("TINY")).rejects.toThrow(
      "transfers are read from the inputs of TINY, and its ASSET.json was not found: name it after the file of rules, or put it into assets/ beside that.",
    );
    mkdirSync(join(dir, "assets"));
    writeFileSync(join(dir, "assets", "tiny.json"), readFileSync(assetPath));
    expect(await new AssetFiles(join(dir, "ALERTS.json"), []).pathOf("TINY")).toBe(join(dir, "assets", "tiny.json"));
  });
});

it("goes by the table of deposit addresses that the active build goes by", async () => {
  const token = files.asset({ transfers: "transfers-1.csv", resolutions: ["day"], deposits: "detect" });
  try {
    // Bob is paid once, and sends all to binance at once.
    writeTransfers([
      [5, 0, at(1), ZERO, TEAM, 10],
      [6, 0, at(1), TEAM, BOB, 10],
      [7, 0, at(1), BOB, BINANCE, 10],
    ]);
    const own = new MemoryStore();
    await runBuild(own, token, { asOf: at(2) });
    files.remove("TINY.deposits.csv");
    const rules = await rulesOf({ Deposits: { transfers: { "at least": "1", from: "users", to: "binance" } } });
    const dryRun = async () => {
      const failures: string[] = [];
      const fired = await dryRunAlerts(rules, own, parseRelative("-9d")!, optionsOf(failures, token));
      return [failures, fired.map(firingText)];
    };
    const found = [[], [`10 TINY ($20) from ${TEAM} to deposit address of binance (${BOB}), in block 6`]];
    expect(await dryRun()).toEqual(found);
    const key = [...own.objects.keys()].find((key) => /deposits\.\w+\.csv$/.test(key))!;
    own.objects.delete(key);
    const lost = `rule "Deposits" on TINY: ${key} is missing in memory or damaged: run \`soprano build ${token} --full\`.`;
    expect(await dryRun()).toEqual([[lost], []]);
    await runBuild(own, token, { asOf: at(2) });
    expect(await dryRun()).toEqual(found);
  } finally {
    writeTransfers(EVENTS);
  }
});

/** A day's file as `soprano fetch` leaves it. */
async function fetchedFile(token: TokenFolder, folder: string, day: number, from: number) {
  const events = EVENTS.filter(([, , t]) => t >= at(day) && t < at(day + 1));
  const file = `transfers/2024-01-0${day}.parquet`;
  const transfers = events.map(([block, logIndex, timestamp, from, to, value]) => ({
    block,
    logIndex,
    timestamp,
    from,
    to,
    value: String(value),
  }));
  await token.parquet(`${folder}/${file}`, transfers as never);
  const bytes = readFileSync(join(token.path, folder, file));
  const to = Math.max(...events.map(([block]) => block));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { file, from, to, lastHash: HASH, rows: events.length, bytes: bytes.length, sha256, source: "rpc" as const };
}

it("reads fetched inputs from the bucket where they are not here", async () => {
  const token = new TokenFolder(
    { decimals: 0, maxSupply: "1000000", exchanges: {}, contracts: [POOL], transfers: [] } as never,
    "TINY",
  );
  try {
    token.prices(PRICES);
    const folder = "inputs/TINY";
    mkdirSync(join(token.path, folder, "transfers"), { recursive: true });
    token.write(`${folder}/contracts.csv`, `address\n${POOL}\n`);
    const days: Awaited<ReturnType<typeof fetchedFile>>[] = [];
    for (const day of [1, 2, 3, 4, 5]) {
      days.push(await fetchedFile(token, folder, day, (days.at(-1)?.to ?? 0) + 1));
    }
    const contract = `0x${"70".repeat(20)}`;
    const record = { schema: 2 as const, chainId: 1, contract, terms: { events: "erc20" as const }, files: days };
    token.write(`${folder}/fetch.json`, formatFetched({ ...record, asOf: "2024-01-06T00:00:00.000Z" }));
    const source = { chainId: 1, firstBlock: 1, events: "erc20", labels: "none" };
    const path = token.asset({
      source,
      transfers: undefined,
      contracts: undefined,
      exchanges: undefined,
      resolutions: ["day"],
    });
    const bucket = new MemoryStore();
    await saveInputs(bucket, "TINY", join(token.path, folder), { files: [], etag: null });
    await runBuild(bucket, path);
    const read: string[] = [];
    const watched = Object.assign(Object.create(bucket) as MemoryStore, {
      get: (...given: Parameters<MemoryStore["get"]>) => {
        read.push(given[0]);
        return bucket.get(...given);
      },
    });
    const dryRun = async () => {
      const failures: string[] = [];
      const rules = await rulesOf({ Any: RULES["Any 100"], "To contracts": RULES["To contracts"] });
      const fired = await dryRunAlerts(rules, watched, parseRelative("-2d")!, optionsOf(failures, path));
      return [failures, fired.map((one) => [one.rule.name, one.kind === "transfers" && one.firing.block])];
    };
    const found = [
      ["Any", 30],
      ["To contracts", 30],
      ["Any", 40],
    ];
    expect(await dryRun()).toEqual([[], found]);
    expect(read.filter((key) => key.startsWith("inputs/TINY/transfers"))).toEqual([]);
    rmSync(join(token.path, folder), { recursive: true });
    expect(await dryRun()).toEqual([[], found]);
    expect(read.filter((key) => key.startsWith("inputs/TINY/transfers"))).toHaveLength(3);
    for (const key of [...bucket.objects.keys()]) if (key.startsWith("inputs/")) bucket.objects.delete(key);
    const missing = `TINY: ${path}: its inputs are neither beside it nor in memory: run \`soprano fetch ${path}\` (with --store if a bucket keeps the inputs) first.`;
    expect(await dryRun()).toEqual([[`rule "Any" on ${missing}`, `rule "To contracts" on ${missing}`], []]);
  } finally {
    token.close();
  }
}, 60_000);
