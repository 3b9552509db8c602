import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { Block } from "../../../../builder/fetch/chain/blocks.ts";
import type { LogSource } from "../../../../builder/fetch/chain/logs/pages.ts";
import type { Nodes } from "../../../../builder/fetch/chain/nodes/nodes.ts";
import { readBinancePrices } from "../../../../builder/fetch/prices/archives/binance.ts";
import { readDefiLlamaPrices } from "../../../../builder/fetch/prices/archives/defillama.ts";
import { updatePrices } from "../../../../builder/fetch/prices/update.ts";
import { LogTimes } from "../../../../builder/fetch/times/log-times.ts";
import type { PricePool, PriceSource } from "../../../../builder/input/asset/source.ts";
import type { FetchedPrices, PriceProof } from "../../../../builder/input/fetched/fetched.ts";
import { HOUR_SECONDS } from "../../../../data-schema/text.ts";
import { putIntoPlace } from "../put-into-place.ts";
import { zipOf } from "../zip-of.ts";

const at = (text: string) => Date.parse(`${text}Z`) / 1000;
const DAY = 24 * HOUR_SECONDS;

afterEach(() => {
  delete process.env.SOPRANO_BINANCE_URL;
  delete process.env.SOPRANO_DEFILLAMA_URL;
});

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "soprano-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Klines of [from, to), in milliseconds before 2025 and in microseconds since. */
function klines(from: number, to: number, price: (hour: number) => number, skip: readonly number[] = []): string {
  const lines: string[] = [];
  for (let hour = from; hour < to; hour += HOUR_SECONDS) {
    if (skip.includes(hour)) continue;
    const unit = hour >= at("2025-01-01T00:00") ? 1_000_000 : 1_000;
    lines.push(`${hour * unit},9,9,9,${price(hour).toFixed(8)},1,${(hour + HOUR_SECONDS) * unit - 1},1,5,1,1,0`);
  }
  return `${lines.join("\n")}\n`;
}

/** An archive in a folder, as Binance's. */
class Archive {
  readonly folder = scratch();

  constructor() {
    process.env.SOPRANO_BINANCE_URL = pathToFileURL(this.folder).href;
  }

  put(date: string, csv: string, checksum?: string): void {
    const period = date.length === 7 ? "monthly" : "daily";
    const path = join(this.folder, `data/spot/${period}/klines/HUMUSDT/1h/HUMUSDT-1h-${date}.zip`);
    const zip = zipOf(`HUMUSDT-1h-${date}.csv`, Buffer.from(csv));
    const digest = checksum ?? createHash("sha256").update(zip).digest("hex");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, zip);
    writeFileSync(`${path}.CHECKSUM`, `${digest}  HUMUSDT-1h-${date}.zip\n`);
  }

  day(date: string, usd: number): void {
    this.put(
      date,
      klines(at(`${date}T00:00`), at(`${date}T00:00`) + DAY, () => usd),
    );
  }
}

const texts = (hours: { end: number; usd: number }[]) =>
  hours.map(({ end, usd }) => `${new Date(end * 1000).toISOString().slice(0, 16)} ${usd}`);

describe("Binance's archive", () => {
  test("gives the close of each hour at its end; in milliseconds, and in microseconds since 2025", async () => {
    const archive = new Archive();
    archive.put(
      "2024-12",
      klines(at("2024-12-31T21:00"), at("2025-01-01T00:00"), (hour) => 1 + (hour % DAY) / DAY),
    );
    archive.put(
      "2025-01",
      `open_time,open,high,low,close,volume\n${klines(at("2025-01-01T00:00"), at("2025-01-01T02:00"), () => 0.00001234)}`,
    );
    const hours = await readBinancePrices("HUMUSDT", { start: at("2024-12-31T22:00"), end: at("2025-02-01T00:00") });
    expect(texts(hours)).toEqual([
      "2024-12-31T23:00 1.91666667",
      "2025-01-01T00:00 1.95833333",
      "2025-01-01T01:00 0.00001234",
      "2025-01-01T02:00 0.00001234",
    ]);
  });

  test("is read by days where a month is not there yet; hours that are missing are gaps", async () => {
    const archive = new Archive();
    archive.put(
      "2024-05",
      klines(at("2024-05-30T00:00"), at("2024-06-01T00:00"), () => 5),
    );
    const june = at("2024-06-01T00:00");
    archive.put(
      "2024-06-01",
      klines(june, june + DAY, () => 6, [june + 3 * HOUR_SECONDS]),
    );
    archive.day("2024-06-02", 7);
    const start = at("2024-02-01T00:00");
    const hours = await readBinancePrices("HUMUSDT", { start, end: at("2024-06-03T00:00") });
    expect(hours).toHaveLength(48 + 23 + 24);
    expect(hours.map(({ end }) => end)).not.toContain(june + 4 * HOUR_SECONDS);
    // A month that has ended, but has no archive yet.
    for (let day = 3; day <= 30; day++) archive.day(`2024-06-${String(day).padStart(2, "0")}`, 8);
    const whole = await readBinancePrices("HUMUSDT", { start, end: at("2024-07-01T00:00") });
    expect(whole).toHaveLength(48 + 23 + 29 * 24);
  });

  test("refuses what is damaged or not what it says, and pairs that are not in dollars", async () => {
    const archive = new Archive();
    const read = (date: string, pair = "HUMUSDT") => {
      const start = at(`${date}-01T00:00`);
      return readBinancePrices(pair, { start, end: start + 31 * DAY });
    };
    const march = at("2024-03-01T00:00");
    archive.put(
      "2024-03",
      klines(march, march + DAY, () => 1),
      "0".repeat(64),
    );
    await expect(read("2024-03")).rejects.toThrow(
      /2024-03.zip can't be read: its SHA-256 is not that of its CHECKSUM file/,
    );
    archive.put("2024-03", "not,a,kline\n");
    await expect(read("2024-03")).rejects.toThrow(/its line 1 is not an hour's kline/);
    archive.put(
      "2024-03",
      klines(march - HOUR_SECONDS, march, () => 1),
    );
    await expect(read("2024-03")).rejects.toThrow(/its line 1 is not an hour's kline/);
    archive.put("2024-03", klines(march, march + HOUR_SECONDS, () => 1).repeat(2));
    await expect(read("2024-03")).rejects.toThrow(/its line 2 is not after the one before/);
    archive.put(
      "2024-03",
      klines(march, march + HOUR_SECONDS, () => 0),
    );
    await expect(read("2024-03")).rejects.toThrow(/its line 1 is not an hour's kline/);
    await expect(read("2024-03", "HUMBTC")).rejects.toThrow("HUMBTC is not quoted in a dollar stablecoin");
  });
});

/** A server, and the paths that it was asked for. */
async function serve(
  answer: (path: string, request: IncomingMessage, count: number) => [status: number, body: string | Buffer],
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const [status, body] = answer(request.url!, request, asked.length);
    response.writeHead(status).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const TOKEN = { chainId: 1, contract: `0x${"ab".repeat(20)}` };

describe("archives over HTTP", () => {
  test("Binance's: a server that fails for a moment is asked again, one that refuses is named by its host", async () => {
    const zip = zipOf("a.csv", Buffer.from(klines(at("2024-03-01T00:00"), at("2024-03-01T02:00"), () => 3)));
    const digest = createHash("sha256").update(zip).digest("hex");
    const { url, asked } = await serve((path, _, count) => {
      if (count === 1) return [503, ""];
      if (path.includes("2024-04")) return [403, "no"];
      return path.endsWith(".CHECKSUM") ? [200, `${digest}  a.zip`] : [200, zip];
    });
    process.env.SOPRANO_BINANCE_URL = `${url}/mirror`;
    const march = { start: at("2024-03-01T00:00"), end: at("2024-04-01T00:00") };
    expect(await readBinancePrices("HUMUSDT", march)).toHaveLength(2);
    expect(asked).toHaveLength(3);
    expect(asked[2]).toBe("/mirror/data/spot/monthly/klines/HUMUSDT/1h/HUMUSDT-1h-2024-03.zip");
    const april = { start: at("2024-04-01T00:00"), end: at("2024-05-01T00:00") };
    const host = url.slice("http://".length);
    await expect(readBinancePrices("HUMUSDT", april)).rejects.toThrow(
      `${host}: data/spot/monthly/klines/HUMUSDT/1h/HUMUSDT-1h-2024-04.zip.CHECKSUM can't be read: it answers with status 403.`,
    );
  });

  test("DefiLlama's: records near the end of each hour, gaps left out, none that looks ahead", async () => {
    const start = at("2024-03-01T00:00");
    const { url, asked } = await serve((path) => {
      const query = new URL(path, "http://host").searchParams;
      const [from, span] = [Number(query.get("start")), Number(query.get("span"))];
      const prices = Array.from({ length: span }, (_, index) => ({
        timestamp: from + index * HOUR_SECONDS + (index % 300),
        price: 2 + index,
      }))
        // Silently absent.
        .filter((_, index) => index % 7 !== 3);
      if (from < start + DAY)
        prices.push({ timestamp: start + 400 * HOUR_SECONDS, price: 1 }, { timestamp: start - 1, price: 1 });
      return [
        200,
        JSON.stringify({ coins: { [`ethereum:${TOKEN.contract}`]: { symbol: "HUM", confidence: 0.99, prices } } }),
      ];
    });
    process.env.SOPRANO_DEFILLAMA_URL = url;
    const hours = await readDefiLlamaPrices(TOKEN, { start, end: start + 300 * HOUR_SECONDS });
    expect(asked.map((path) => path.replace(/\?start=\d+/, "?"))).toEqual([
      `/chart/ethereum:${TOKEN.contract}?&span=240&period=1h&searchWidth=360`,
      `/chart/ethereum:${TOKEN.contract}?&span=60&period=1h&searchWidth=360`,
    ]);
    expect(texts(hours.slice(0, 4))).toEqual([
      "2024-03-01T01:00 2",
      "2024-03-01T02:00 3",
      "2024-03-01T03:00 4",
      "2024-03-01T05:00 6",
    ]);
    expect(hours).toHaveLength(300 - 34 - 9);
    expect(hours.every(({ end }, index) => index === 0 || end > hours[index - 1]!.end)).toBe(true);
  });

  test("DefiLlama's: tokens that are asked for at once share a request, and each is asked for again where hours are missing", async () => {
    const contracts = Array.from({ length: 40 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`);
    const hours = 24;
    const priceOf = (contract: string, hour: number) => 1 + Number(contract) + hour / 100;
    const { url, asked } = await serve((path) => {
      const names = path.split("?")[0]!.replace("/chart/", "").split(",");
      // One token makes requests with others fail.
      if (names.length > 1 && names.some((name) => name.endsWith(contracts[39]!))) return [400, "no"];
      const coins = names.map((name) => {
        const contract = name.split(":")[1]!;
        const prices = Array.from({ length: hours }, (_, hour) => ({
          timestamp: hour * HOUR_SECONDS + 53 * 60,
          price: priceOf(contract, hour),
        }));
        // The third token has less where it is one of many; the fourth has gaps.
        const isCut = contract === contracts[2] && names.length > 1;
        const isGap = (hour: number) => contract === contracts[3] && hour % 2 === 1;
        return [name, { prices: prices.filter((_, hour) => !isGap(hour) && !(isCut && hour > 3)) }];
      });
      return [200, JSON.stringify({ coins: Object.fromEntries(coins) })];
    });
    process.env.SOPRANO_DEFILLAMA_URL = url;
    const range = { start: 0, end: hours * HOUR_SECONDS };
    const read = (contract: string) => readDefiLlamaPrices({ ...TOKEN, contract }, range);
    const found = await Promise.all(contracts.map(read));
    for (const [i, prices] of found.entries()) {
      const all = Array.from({ length: hours }, (_, hour) => ({
        end: (hour + 1) * HOUR_SECONDS,
        usd: priceOf(contracts[i]!, hour),
      }));
      expect(prices).toEqual(i === 3 ? all.filter((_, hour) => hour % 2 === 0) : all);
    }
    // Two for all, one each for two that lacked hours, and those that were asked with the one that fails.
    expect(asked).toHaveLength(2 + 2 + 8);
  });

  test("DefiLlama's: an unknown token has no prices; an unknown chain is refused", async () => {
    const { url } = await serve(() => [200, '{"coins":{}}']);
    process.env.SOPRANO_DEFILLAMA_URL = url;
    expect(await readDefiLlamaPrices(TOKEN, { start: 0, end: HOUR_SECONDS })).toEqual([]);
    const unknown = readDefiLlamaPrices({ ...TOKEN, chainId: 31_337 }, { start: 0, end: HOUR_SECONDS });
    await expect(unknown).rejects.toThrow("no name of the chain 31337 is known");
  });

  test("a base that is not a URL is refused by the variable's name", async () => {
    process.env.SOPRANO_BINANCE_URL = "/data/binance";
    const reading = readBinancePrices("HUMUSDT", { start: 0, end: HOUR_SECONDS });
    await expect(reading).rejects.toThrow("SOPRANO_BINANCE_URL is not a URL: write it as https://HOST/PATH");
  });
});

describe("prices.csv", () => {
  const block = (time: number): Block => ({ number: 1, hash: "0x", parentHash: "0x", time });

  const update = (
    folder: string,
    source: PriceSource,
    asOf: number,
    previous?: FetchedPrices,
    onNotice = (_: string): unknown => undefined,
  ) =>
    updatePrices({
      onNotice,
      source,
      folder,
      asOf,
      previous,
      contract: TOKEN.contract,
      decimals: 18,
      // Archives need no node but for the chain's id.
      nodes: { chainId: 1 } as Nodes,
      logs: {} as LogSource,
      times: new LogTimes(),
      first: block(at("2024-05-01T05:30")),
      last: block(asOf - 1),
    });

  test("is appended to, never rewritten: not by a revised archive, a kill, or another source", async () => {
    const archive = new Archive();
    const folder = scratch();
    const path = join(folder, "prices.csv");
    const source = { binance: "HUMUSDT" };
    archive.day("2024-05-01", 1);
    // The archive of the second day is not there yet: its hours are left for another night.
    const first = (await update(folder, source, at("2024-05-03T00:00")))!;
    expect(readdirSync(folder)).toEqual([]);
    await putIntoPlace(first, folder);
    expect(first).toMatchObject({ rows: 19 });
    const night1 = readFileSync(path, "utf8");
    expect(night1.split("\n").slice(0, 2)).toEqual(["timestamp,price_usd", "2024-05-01T06:00:00Z,1"]);

    archive.day("2024-05-01", 99);
    archive.day("2024-05-02", 2);
    archive.day("2024-05-03", 3);
    // Killed before it was committed: nothing has changed, and the next one writes the same.
    await update(folder, source, at("2024-05-04T00:00"), first.done);
    expect(readFileSync(path, "utf8")).toBe(night1);
    const second = (await update(folder, source, at("2024-05-04T00:00"), first.done))!;
    await putIntoPlace(second, folder);
    const night2 = readFileSync(path, "utf8");
    expect(night2).toBe(`${night1}${linesOf("2024-05-02", 2)}${linesOf("2024-05-03", 3)}`);
    // Killed after the commit, before fetch.json: the same hours are not written twice.
    const again = (await update(folder, source, at("2024-05-04T00:00"), first.done))!;
    await putIntoPlace(again, folder);
    expect(again).toMatchObject({ rows: 0, csv: undefined });
    expect(readFileSync(path, "utf8")).toBe(night2);

    const { url } = await serve(() => [
      200,
      JSON.stringify({
        coins: { [`ethereum:${TOKEN.contract}`]: { prices: [{ timestamp: at("2024-05-04T10:50"), price: 7 }] } },
      }),
    ]);
    process.env.SOPRANO_DEFILLAMA_URL = url;
    await putIntoPlace((await update(folder, { defillama: true }, at("2024-05-05T00:00"), second.done))!, folder);
    expect(readFileSync(path, "utf8")).toBe(`${night2}2024-05-04T11:00:00Z,7\n`);
  });

  const linesOf = (date: string, usd: number) =>
    Array.from(
      { length: 24 },
      (_, hour) =>
        `${new Date((at(`${date}T00:00`) + (hour + 1) * HOUR_SECONDS) * 1000).toISOString().slice(0, 19)}Z,${usd}\n`,
    ).join("");

  const [POOL, OTHER] = ["a", "b"].map((digit) => `0x${digit.repeat(40)}`) as [string, string];
  const pool = (fields: Partial<PricePool> = {}): PricePool => ({
    address: POOL,
    kind: "uniswap-v2",
    quoteUsd: 1,
    ...fields,
  });
  const pools = (...all: PricePool[]): PriceSource => ({ pools: all });

  test.each<[string, PriceSource, PriceSource]>([
    ["a quoteUsd has changed", pools(pool()), pools(pool({ quoteUsd: 0.5 }))],
    ["a feed has", pools(pool({ quoteUsd: { feed: POOL } })), pools(pool({ quoteUsd: { feed: OTHER } }))],
    ["a pool was added", pools(pool()), pools(pool(), pool({ address: OTHER }))],
    ["a pool was removed", pools(pool(), pool({ address: OTHER })), pools(pool())],
    ["a kind has changed", pools(pool()), pools(pool({ kind: "uniswap-v3" }))],
    ["an archive gave way to pools", { binance: "HUMUSDT" }, pools(pool())],
    ["another pair is named", { binance: "HUMUSDT" }, { binance: "HUMUSDC" }],
  ])("says that its rows stay where %s, until there are others", async (_, then, now) => {
    const folder = scratch();
    writeFileSync(join(folder, "prices.csv"), "timestamp,price_usd\n2024-05-03T00:00:00Z,1\n");
    const asOf = at("2024-05-03T00:00");
    const said: string[] = [];
    const note = (text: string) => said.push(text);
    const { done } = (await update(folder, then, asOf))!;
    const recorded = { ...done, ...(Object.hasOwn(Object(then), "pools") && { proof: PROOF }) };
    expect((await update(folder, then, asOf, recorded, note))!.done).toEqual(recorded);
    expect(said).toEqual([]);
    // Nothing is new: what was recorded stays, and the notice comes again.
    expect((await update(folder, now, asOf, recorded, note))!.done).toEqual(recorded);
    expect(said).toEqual([
      '"source.prices" in ASSET.json has changed. The rows of prices.csv up to 2024-05-03T00:00:00Z stay as they are; later ' +
        "ones follow what it says now. To compute all of them again, run this again with --recheck prices.",
    ]);
  });

  test("says so where an earlier version did not record the positions in a pool", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "prices.csv"), "timestamp,price_usd\n2024-05-03T00:00:00Z,1\n");
    const asOf = at("2024-05-03T00:00");
    const said = async (facts: Record<string, string>) => {
      const texts: string[] = [];
      const { done } = (await update(folder, pools(pool({ kind: "uniswap-v3" })), asOf))!;
      const proof = { ...PROOF, pools: { [POOL]: facts } };
      await update(folder, pools(pool({ kind: "uniswap-v3" })), asOf, { ...done, proof }, (text) => texts.push(text));
      return texts;
    };
    expect(await said({ sqrtPriceX96: "1", liquidity: "5" })).toEqual([
      `Prices: an earlier version of Soprano did not record the positions in the pool ${POOL}, so depth is the virtual reserve, ` +
        "which narrow positions make large. To read them, and compute all hours again, run this again with --recheck prices.",
    ]);
    expect(await said({ sqrtPriceX96: "1", liquidity: "0", ticks: "0" })).toEqual([]);
    expect(await said({ sqrtPriceX96: "0", liquidity: "0" })).toEqual([]);
    expect(await said({ reserve0: "1" })).toEqual([]);
  });

  const PROOF: PriceProof = {
    since: "2024-05-01T05:00:00.000Z",
    block: 1,
    hash: "0x",
    means: {},
    last: 1,
    pools: {},
    rounds: {},
    feeds: {},
  };

  test("that was changed is refused by its line", async () => {
    const folder = scratch();
    new Archive();
    const change = async (text: string) => {
      writeFileSync(join(folder, "prices.csv"), text);
      return update(folder, { binance: "HUMUSDT" }, at("2024-05-03T00:00"));
    };
    const [header, one, two] = ["timestamp,price_usd\n", "2024-05-01T06:00:00Z,1\n", "2024-05-01T07:00:00Z,1\n"];
    await expect(change(one)).rejects.toThrow(
      /prices.csv, line 1: the header is not timestamp,price_usd; soprano fetch alone writes/,
    );
    await expect(change(`${header}${one}2024-05`)).rejects.toThrow("line 3: the row is not complete");
    await expect(change(`${header}${one}x,1\n`)).rejects.toThrow(
      "line 3: the row is not the end of an hour and a price",
    );
    await expect(change(`${header}${two}${one}`)).rejects.toThrow(
      "line 3: the time is not after that of the row before",
    );
  });

  test("is not made where the source is a file, or has no price yet", async () => {
    const folder = scratch();
    expect(await update(folder, "mine.csv", at("2024-05-03T00:00"))).toBeUndefined();
    new Archive();
    const none = (await update(folder, { binance: "HUMUSDT" }, at("2024-05-03T00:00")))!;
    await putIntoPlace(none, folder);
    expect(none).toMatchObject({ rows: 0, csv: undefined, done: { rows: 0 } });
    expect(readdirSync(folder)).toEqual([]);
  });
});
