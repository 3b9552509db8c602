/**
 * An operator's week, by the commands that the docs show: four tokens of a chain, published to a bucket in seven nights, of which
 * some fail; a build of the version before, a corrected price, a removal, a new symbol, a rollback, and a backup that is restored
 * elsewhere. After each step, what is served equals what the tokens themselves have written down.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openR2 } from "../../builder/store/r2/r2.ts";
import { sha256Hex } from "../../builder/store/stored-content.ts";
import { apiKeyName } from "../../data-schema/access/api-keys.ts";
import { METRICS } from "../../data-schema/registry/metrics.ts";
import { checkpointKey, currentKey, namePart } from "../../data-schema/stored/objects.ts";
import { isOlderThan, type Manifest, parseManifest, unplaced } from "../../data-schema/stored.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { decoded, encoded } from "../build/checkpoint/stored-checkpoint.ts";
import { readPublished } from "../commands/published.ts";
import type { Outcome } from "../commands/soprano.ts";
import { hasAnvil, toHex } from "../fetch/chain/anvil.ts";
import { FaultProxy, type SentLog } from "../fetch/chain/proxy.ts";
import { newFolder } from "../folders.ts";
import { publish } from "../hostile/three-builds.ts";
import { manifestIn, variant } from "../published/verify/published.ts";
import { outcome, start } from "../soprano-process.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { BUCKET, type S3, startFilesS3 } from "../store/s3.ts";
import { unpack } from "../store/unpacked.ts";
import { Desk } from "./week/npx.ts";
import { shownCommand, shownScript } from "./week/shown-commands.ts";
import { Tokens } from "./week/tokens.ts";

const DAY = 86_400;
const SYMBOLS = ["ELDER", "HUM", "MOON", "STAR"];
/** The engine of the version before. */
const BEFORE = { engine: "5", build: "0".repeat(16) };
const API_KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
const STORE = `r2://${BUCKET}`;
const hasTools = ["jq", "curl"].every((program) => spawnSync(program, ["--version"]).status === 0);

/** A bucket with a Worker over it, which answers from what the bucket has at that moment. */
async function openBucket(): Promise<S3> {
  const s3 = await startFilesS3("test/worker/forgetful.ts");
  const record = { id: "k1", name: "Tests", status: "active", plan: "unlimited", created: "2024-01-01T00:00:00Z" };
  const keys = await s3.miniflare.getKVNamespace("KEYS");
  await keys.put(await apiKeyName(API_KEY), JSON.stringify(record));
  return s3;
}

async function ask({ miniflare }: S3, path: string): Promise<{ status: number; body: string; renamed: string | null }> {
  const answer = await miniflare.dispatchFetch(`http://localhost${path}`, {
    headers: { "X-Api-Key": API_KEY },
    redirect: "manual",
  });
  return { status: answer.status, body: await answer.text(), renamed: answer.headers.get("X-Soprano-Renamed") };
}

describe.runIf(hasAnvil && hasTools)("an operator's week", { timeout: 600_000 }, () => {
  const folder = newFolder();
  const night = shownScript("nightly.md", "# A night: ");
  /** How many days are published of each asset, by the symbol that it has. */
  const published = new Map<string, number>();
  /** Prices that have been corrected, by symbol and day. */
  const corrected = new Map<string, number>();
  let tokens: Tokens;
  let bucket: S3;
  let desk: Desk;

  beforeAll(async () => {
    // Ten days that end today, so that what is published last is fresh.
    const today = Math.floor((Date.now() / 1000 - 600) / DAY) * DAY;
    [tokens, bucket, desk] = await Promise.all([
      Tokens.open(SYMBOLS, today - 9 * DAY),
      openBucket(),
      new Desk(folder).open(),
    ]);
    Object.assign(desk.variables, bucket.environment, { SOPRANO_RPC_URL: tokens.anvil.url });
    mkdirSync(join(folder, "assets"));
    const rows = Array.from({ length: 10 }, (_, day) => `${tokens.start + day * DAY},${priceOf("", day)}\n`);
    writeFileSync(join(folder, "assets", "prices.csv"), `timestamp,price_usd\n${rows.join("")}`);
    await tokens.live();
    await tokens.live();
  });
  afterAll(async () => {
    desk?.close();
    await Promise.all([tokens?.close(), bucket?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const priceOf = (symbol: string, day: number) => corrected.get(`${symbol} ${day}`) ?? 1 + day / 8;
  const fileOf = (symbol: string) => join("assets", `${symbol}.json`);
  const run = async (...args: string[]) => {
    const done = await desk.soprano(...args);
    expect({ args, ...done }).toMatchObject({ args, status: 0 });
    return done;
  };
  const manifestOf = async (symbol: string, { miniflare }: S3 = bucket): Promise<Manifest> => {
    const object = await (await miniflare.getR2Bucket("BUCKET")).get(currentKey(symbol));
    return parseManifest(await object!.text());
  };
  /** Lets a day pass, and runs the night after it. */
  async function nextNight(): Promise<Outcome> {
    await tokens.live();
    return desk.script(night);
  }
  const expectNight = async (made: Promise<Outcome>, status: number) => {
    const { status: ended, stderr } = await made;
    expect(ended, stderr).toBe(status);
    return stderr;
  };
  const isUpToDate = (...symbols: string[]) => {
    for (const symbol of symbols) published.set(symbol, tokens.daysOf(tokenOf(symbol)).length);
  };
  /** The token of an asset that may have another symbol now. */
  const tokenOf = (symbol: string) => (symbol === "COMET" ? "STAR" : symbol);

  /** Compares what is served, by both versions of the API, with what the tokens were. */
  async function expectServed(from = bucket): Promise<void> {
    const { assets } = JSON.parse((await ask(from, "/v3/assets")).body);
    expect(assets.map(({ symbol }: { symbol: string }) => symbol).sort()).toEqual([...published.keys()].sort());
    for (const [symbol, days] of published) {
      const expected = tokens.daysOf(tokenOf(symbol)).slice(0, days);
      const time = (day: number) => new Date((tokens.start + day * DAY) * 1000).toISOString().slice(0, 19);
      const { status, body } = await ask(
        from,
        `/v3/series?a=${symbol}&m=supply,num_addresses,num_transfers,price,market_cap&f=csv`,
      );
      expect([symbol, status]).toEqual([symbol, 200]);
      const rows = body.trim().split("\n").slice(1);
      expect(rows.map((row) => row.split(",").map((cell, column) => (column === 0 ? cell : Number(cell))))).toEqual(
        expected.map(({ supply, holders, transfers }, day) => {
          const price = priceOf(symbol, day);
          return [time(day), supply, holders, transfers, price, expect.closeTo(supply * price, 6)];
        }),
      );
      const v1 = JSON.parse((await ask(from, `/v1/metrics/supply?a=${symbol}`)).body);
      expect(v1).toEqual(expected.map(({ supply }, day) => ({ t: time(day), v: supply })));
    }
  }

  /** What status says of the assets that are not well, by symbol. */
  async function troubles(): Promise<Record<string, string>> {
    const args = shownCommand("operating.md", "status --report fetched.json");
    const { stdout } = await desk.soprano(...args, "--store", STORE, "--json");
    const assets: { symbol: string; state: string; why: string }[] = JSON.parse(stdout).assets;
    return Object.fromEntries(assets.filter(({ state }) => state === "failed").map(({ symbol, why }) => [symbol, why]));
  }

  it("begins with init of four tokens, one of which the version before has published", async () => {
    for (const symbol of SYMBOLS) {
      const contract = {
        "0x174afe7a032b5a33a3270a9f6c30746e25708532": tokens.addressOf(symbol),
        URL: tokens.anvil.url,
      };
      const { stdout } = await run(
        ...shownCommand("nightly.md", "init 0x174a", contract),
        ...["--out", join(folder, "assets"), "--prices", "prices.csv", "--max-supply", "100000", "--yes"],
      );
      const path = join(folder, fileOf(symbol));
      expect(stdout).toBe(`${path}\n`);
      // Days are enough here.
      variant(path, `${symbol}.json`, { resolutions: ["day"] });
      const own = { HUM: symbol, URL: tokens.anvil.url, "r2://soprano": STORE };
      await run(...shownCommand("nightly.md", "fetch assets/HUM.json", own));
    }
    await publishBefore("ELDER");
    published.set("ELDER", 2);
    await expectServed();
  });

  /** Publishes a build as the version before made it: of its engine, without what has come since, and without packs. */
  async function publishBefore(symbol: string): Promise<void> {
    const made = new MemoryStore();
    await runBuild(made, join(folder, fileOf(symbol)));
    await unpack(made);
    const { holders: _, distributions: __, deposits: ___, ...manifest } = manifestIn(made, symbol);
    for (const { metrics } of Object.values(manifest.resolutions).flatMap((one) => one?.periods ?? [])) {
      for (const { name } of METRICS) if (isOlderThan(BEFORE, name)) delete metrics[name];
    }
    const objects = new Map([...made.objects].map(([key, { bytes }]) => [key, bytes]));
    const left = decoded(objects.get(checkpointKey(symbol, manifest.checkpoint!.hash))!);
    const bytes = encoded({ ...left, provenance: { ...left.provenance, engine: BEFORE.engine } });
    const checkpoint = { hash: namePart(sha256Hex(bytes)), size: bytes.length };
    objects.set(checkpointKey(symbol, checkpoint.hash), bytes);
    const before = new MemoryStore();
    await publish(before, { manifest: { ...manifest, ...BEFORE, checkpoint }, objects });
    await unpack(before);
    const store = openR2(BUCKET, bucket.environment);
    await before.copyTo(store);
    await store.close();
  }

  it("night 1 publishes all, and builds anew what the version before had built", async () => {
    await expectNight(nextNight(), 0);
    isUpToDate(...SYMBOLS);
    await expectServed();
    const { build, reason } = await manifestOf("ELDER");
    expect([build, reason]).toEqual([expect.not.stringMatching(BEFORE.build), expect.stringContaining("was 5")]);
    expect(await troubles()).toEqual({});
  });

  it("night 2 has a node that refuses everything: what is served stays, and status says why", async () => {
    const dead = await new FaultProxy(tokens.anvil.url, {
      always: { status: 401, code: -32_000, message: "the key has expired" },
    }).start();
    desk.variables.SOPRANO_RPC_URL = dead.url;
    expect(await expectNight(nextNight(), 1)).toContain("No asset could be fetched");
    desk.variables.SOPRANO_RPC_URL = tokens.anvil.url;
    await dead.stop();
    await expectServed();
    const why = Object.values(await troubles());
    expect(why).toHaveLength(SYMBOLS.length);
    for (const sentence of why) expect(sentence).toContain("the key has expired");
  });

  it("night 3 is killed in the middle of a build, and runs again", async () => {
    await tokens.live();
    const build = shownCommand("nightly.md", "build assets/*.json --store", {
      "r2://soprano": STORE,
      "assets/*.json": "ASSETS",
    });
    await run("fetch", ...SYMBOLS.map(fileOf), "--store", STORE, "--report", "fetched.json");
    const words = build.flatMap((word) => (word === "ASSETS" ? SYMBOLS.map(fileOf) : [word]));
    const child = start(words, { cwd: folder, env: { ...process.env, ...bucket.environment } });
    let writes = 0;
    bucket.watch = ({ method, path }, moment) => {
      const isSeries = method === "PUT" && path.startsWith("/packs/HUM/");
      if (isSeries && moment === "done" && ++writes === 1) child.kill("SIGKILL");
    };
    expect(await outcome(child)).toMatchObject({ status: null });
    await bucket.idle();
    bucket.watch = () => {};
    isUpToDate("ELDER");
    await expectServed();
    await expectNight(desk.script(night), 0);
    isUpToDate(...SYMBOLS);
    await expectServed();
  });

  it("night 4 has a node that leaves out a log of one token: the others are published", async () => {
    await tokens.live();
    const range = { fromBlock: toHex((await tokens.anvil.head()) - 8), toBlock: "latest" };
    const logs = await tokens.anvil.rpc("eth_getLogs", { address: tokens.addressOf("MOON"), ...range });
    const { blockNumber, logIndex } = (logs as SentLog[]).at(-1)!;
    const omits = (log: SentLog) => log.blockNumber === blockNumber && log.logIndex === logIndex;
    const forgetful = await new FaultProxy(tokens.anvil.url, { omits }).start();
    desk.variables.SOPRANO_RPC_URL = forgetful.url;
    const told = await expectNight(desk.script(night), 1);
    desk.variables.SOPRANO_RPC_URL = tokens.anvil.url;
    await forgetful.stop();
    expect(told).toMatch(/\nMOON +unfetched .*balance/);
    isUpToDate(...SYMBOLS.filter((symbol) => symbol !== "MOON"));
    await expectServed();
    expect(await troubles()).toEqual({ MOON: expect.stringContaining("balance") });
  });

  it("night 5 is of another machine, over a network that fails now and then, after a price was corrected", async () => {
    const at = new Date((tokens.start + 3 * DAY + 14 * 3_600) * 1000).toISOString().replace(":00.000", "");
    await run(
      ...shownCommand("building.md", "prices ASSET.json --at 2026-03-01T14:00Z --set", {
        "ASSET.json": fileOf("HUM"),
        "2026-03-01T14:00Z": at,
      }),
      ...["--store", STORE],
    );
    corrected.set("HUM 3", 1.02);
    rmSync(join(folder, "assets", "inputs"), { recursive: true });
    bucket.fault = ({ number }) => (["503", "reset"] as const)[number % 97];
    await expectNight(nextNight(), 0);
    bucket.fault = () => undefined;
    isUpToDate(...SYMBOLS);
    await expectServed();
    const { corrections } = await manifestOf("HUM");
    expect(corrections).toMatchObject([{ reason: "the pool was drained" }]);
    const changes = JSON.parse((await ask(bucket, "/v3/assets/HUM/changes")).body);
    expect(JSON.stringify(changes)).toContain("corrections");
  });

  it("a rollback to the version before serves its numbers, until the next night", async () => {
    const words = shownCommand("operating.md", "rollback ARIA", { ARIA: "ELDER", "9cf0": "0000" });
    await run(...words, "--store", STORE);
    published.set("ELDER", 2);
    await expectServed();
  });

  it("a removed token is gone at once, and the night goes on without it", async () => {
    const store = ["--store", STORE];
    const own = { DOG: "MOON" };
    const dry = await run(...shownCommand("operating.md", "remove DOG --dry-run", own), ...store);
    expect(dry.stdout).toContain("would be no longer served");
    await expectServed();
    await run(...shownCommand("operating.md", "remove DOG", own), "--yes", ...store);
    published.delete("MOON");
    await expectServed();
    expect(await ask(bucket, "/v3/series?a=MOON&m=supply")).toMatchObject({ status: 410 });
    expect(await ask(bucket, "/v1/metrics/supply?a=MOON")).toMatchObject({ status: 404 });
    rmSync(join(folder, fileOf("MOON")));
    await run(...shownCommand("operating.md", "gc DOG --keep 0", own), "--min-age", "0m", ...store);
    const objects = await (await bucket.miniflare.getR2Bucket("BUCKET")).list({ prefix: "packs/MOON/" });
    expect(objects.objects).toEqual([]);

    // Night 6, with two nodes, nobody listens at one of which.
    desk.variables.SOPRANO_RPC_URL = `http://127.0.0.1:9 ${tokens.anvil.url}`;
    await expectNight(nextNight(), 0);
    desk.variables.SOPRANO_RPC_URL = tokens.anvil.url;
    isUpToDate(...published.keys());
    await expectServed();
  });

  it("night 7 publishes a token under its new symbol, without a fetch of what was there", async () => {
    const was = readFileSync(join(folder, fileOf("STAR")), "utf8");
    writeFileSync(
      join(folder, fileOf("COMET")),
      JSON.stringify({ ...JSON.parse(was), symbol: "COMET", was: ["STAR"] }),
    );
    rmSync(join(folder, fileOf("STAR")));
    await expectNight(nextNight(), 0);
    published.delete("STAR");
    isUpToDate(...published.keys(), "COMET");
    await expectServed();
    const [now, before] = await Promise.all(
      ["COMET", "STAR"].map((symbol) => ask(bucket, `/v3/series?a=${symbol}&m=supply&f=csv`)),
    );
    expect(before).toEqual({ ...now, renamed: "STAR=COMET" });
    expect(await ask(bucket, "/v1/metrics/supply?a=STAR")).toMatchObject({ status: 404 });
    expect(await ask(bucket, "/v3/assets/STAR")).toMatchObject({ status: 308 });
  });

  it("a backup is restored into an empty bucket, which serves the same", async () => {
    const copy = join(folder, "backup");
    const own = { "r2://soprano": STORE, "/backups/soprano": copy };
    await run(...shownCommand("backups.md", "backup --to /backups", own), "--no-keys", "--verify");
    const other = await openBucket();
    try {
      const restore = shownCommand("backups.md", "restore --from /backups/soprano --store", {
        "/backups/soprano": copy,
        "r2://soprano-new": STORE,
      });
      Object.assign(desk.variables, other.environment);
      await run(...restore, "--no-keys");
      await expectServed(other);
      const answersOf = async (s3: S3) => {
        const paths = [...published.keys()].flatMap((symbol) => [
          `/v3/series?a=${symbol}&m=sopr,realised_cap&c=*&f=csv`,
          `/v3/holders?a=${symbol}`,
          `/v3/assets/${symbol}/changes`,
        ]);
        return Promise.all(paths.map(async (path) => [path, await ask(s3, path)] as const));
      };
      const answers = await answersOf(other);
      expect(answers).toEqual(await answersOf(bucket));
      expect(answers.map(([, { status }]) => status)).toEqual(answers.map(() => 200));
    } finally {
      Object.assign(desk.variables, bucket.environment);
      await other.close();
    }
  });

  it("what is published in the end is that of full builds of all inputs", async () => {
    const persist = join(folder, "whole");
    await run("build", ...[...published.keys()].map(fileOf), "--persist", persist, "--full");
    const whole = await readPublished(persist);
    for (const symbol of published.keys()) {
      const { resolutions, holders, distributions } = unplaced(await manifestOf(symbol));
      const expected = whole.manifest(symbol)!;
      expect({ symbol, resolutions, holders, distributions }).toEqual({
        symbol,
        resolutions: expected.resolutions,
        holders: expected.holders,
        distributions: expected.distributions,
      });
    }
    const { status, stdout } = await desk.soprano(
      ...shownCommand("cost.md", "status --cost --store", { "r2://soprano": STORE }),
    );
    expect([status, stdout]).toEqual([0, expect.stringMatching(/\na month +5\.00\n/)]);
  });
});
