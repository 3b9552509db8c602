/** From the sources' rows to the files that ship, on small examples; and on all of them, where they are at hand. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseByChain, parseEthereum, parseKindClaims } from "../../../../builder/fetch/labels/make/gathered.ts";
import { labelFiles, mergeClaims } from "../../../../builder/fetch/labels/make/merge.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const [A, B, C, D, E] = ["a", "b", "c", "d", "e"].map(address) as [string, string, string, string, string];

const csv = (header: string, rows: readonly string[]) => `${[header, ...rows].join("\n")}\n`;
const ethereum = (...rows: string[]) => parseEthereum(csv("address,exchange,source", rows));
const byChain = (...rows: string[]) => parseByChain(csv("chain,address,name,source,date", rows));
const kinds = (...rows: string[]) => parseKindClaims(csv("chain,address,kind,name,source,date", rows));

const filesOf = (...parts: Parameters<typeof mergeClaims>) => Object.fromEntries(labelFiles(mergeClaims(...parts)));

describe("the files that ship", () => {
  it("merge what the sources say of an address, by the registry's names", () => {
    const claims = [
      ...ethereum(`${B},htx,eth-labels+spellbook`),
      ...byChain(
        `ethereum,${B.toUpperCase().replace("0X", "0x")},Huobi 7,etherscan-labels:huobi,2023-10-02`,
        `ethereum,${B},huobi,defillama-adapters,2026-08-22`,
        `ethereum,${A},okex,defillama-adapters,2026-08-22`,
        `bsc,${A},bing-cex,defillama-adapters,2026-08-22`.replace(A, C),
      ),
    ];
    const all = "defillama-adapters+eth-labels+etherscan-labels+spellbook,2026-08-22+2024-06-28+2023-10-02+2023-05-30";
    expect(filesOf(claims, [])).toEqual({
      "exchanges/bsc.csv": csv("address,exchange,name,source,date", [
        `${C},bingx,bing-cex,defillama-adapters,2026-08-22`,
      ]),
      "exchanges/ethereum.csv": csv("address,exchange,name,source,date", [
        `${A},okx,okex,defillama-adapters,2026-08-22`,
        `${B},htx,Huobi 7,${all}`,
      ]),
      "left-out.csv": "chain,address,why,said\n",
    });
  });

  it.each([
    ["gate-io", "defillama-adapters", "gate.io"],
    ["bitmark", "defillama-adapters", "bitmart"],
    ["Binance US", "etherscan-labels:binance", "binance_us"],
    ["Wintermute: Binance Deposit", "etherscan-labels:binance", "binance"],
    ["Blockfolio", "etherscan-labels:ftx", "ftx"],
    ["", "etherscan-labels:ftx", "ftx"],
    ["mexc.com 2", "etherscan-labels:exchange", "mexc"],
    ["Kraken: MANA Token Wallet", "etherscan-labels:kraken", "kraken"],
    ["Poloniex: USDC", "etherscan-labels:poloniex", "poloniex"],
  ])("“%s” of %s is %s", (name, source, exchange) => {
    expect(byChain(`base,${A},${name},${source},2023-10-02`)).toMatchObject([{ exchange }]);
  });

  it.each([
    ["nexo-cex", "defillama-adapters", "lender"],
    ["swissborg", "defillama-adapters", "broker"],
    ["Tether: Deployer", "etherscan-labels:bitfinex", "deployer"],
    ["Binance Charity", "etherscan-labels:binance", "charity"],
    ["Huobi Mining Pool", "etherscan-labels:huobi", "mining"],
    ["Binance: Binance-Peg Tokens", "etherscan-labels:binance", "peg"],
    ["OKX DEX: Aggregation Router", "etherscan-labels:okx", "dex"],
    ["Huobi Token", "etherscan-labels:huobi", "token"],
    ["Mapper: USDT Stablecoin", "etherscan-labels:bitfinex", "token"],
    ["Tether: Treasury", "etherscan-labels:bitfinex", "issuer"],
    ["FTX: 3 Month Unlock", "etherscan-labels:ftx", "contract"],
    ["BitDiamond: IndoEx Exchange", "etherscan-labels:exchange", "project"],
  ])("“%s” of %s is left out as %s, whatever others say", (name, source, why) => {
    const claims = [...byChain(`ethereum,${A},${name},${source},2023-10-02`), ...ethereum(`${A},binance,spellbook`)];
    expect(mergeClaims(claims, [])).toEqual({
      exchanges: new Map(),
      leftOut: [{ chain: "ethereum", address: A, why, said: `${name} (${source.split(":")[0]})` }],
    });
  });
});

describe("contradictions", () => {
  it("of two sources leave an address out, on every chain", () => {
    const claims = [
      ...ethereum(`${A},okx,eth-labels`, `${B},okx,eth-labels`),
      ...byChain(
        `ethereum,${A},okcoin,defillama-adapters,2026-08-22`,
        `polygon,${A},okcoin,defillama-adapters,2026-08-22`,
        `base,${B},okex,defillama-adapters,2026-08-22`,
      ),
    ];
    const said = "okcoin (defillama-adapters); okx (eth-labels)";
    const { exchanges, leftOut } = mergeClaims(claims, []);
    expect([...exchanges.keys()]).toEqual(["base", "ethereum"]);
    expect(leftOut).toEqual([
      { chain: "ethereum", address: A, why: "contradicted", said },
      { chain: "polygon", address: A, why: "contradicted", said },
    ]);
  });

  it("of a list of contracts leave it out on that chain, unless it is a kind of wallet", () => {
    const claims = ["ethereum", "base"].flatMap((chain) =>
      byChain(...[C, D, E].map((own) => `${chain},${own},huobi,defillama-adapters,2026-08-22`)),
    );
    const contracts = kinds(
      `ethereum,${C},bridge,"HECO ""Chain"": Bridge",etherscan-labels:bridge,2023-10-02`,
      `ethereum,${D},multisig,HTX: Safe,etherscan-labels:gnosis-safe,2023-10-02`,
    );
    const { exchanges, leftOut } = mergeClaims(claims, contracts);
    expect(exchanges.get("ethereum")?.map(({ address }) => address)).toEqual([D, E]);
    expect(exchanges.get("base")?.map(({ address }) => address)).toEqual([C, D, E]);
    expect(leftOut).toEqual([
      {
        chain: "ethereum",
        address: C,
        why: "contradicted",
        said: 'htx (defillama-adapters); HECO "Chain": Bridge (bridge)',
      },
    ]);
  });
});

it("the order of the rows makes no difference", () => {
  const claim = fc.tuple(
    fc.constantFrom("ethereum", "base"),
    fc.constantFrom(A, B, C),
    fc.constantFrom("okex,defillama-adapters,2026-08-22", "okcoin,defillama-adapters,2026-08-22"),
  );
  const label = fc.constantFrom("OKX 3", "OKX", "", "OKX: OKB Token");
  const etherscan = fc.tuple(fc.constantFrom("ethereum", "base"), fc.constantFrom(A, B, C), label);
  fc.assert(
    fc.property(fc.array(claim), fc.array(etherscan), fc.infiniteStream(fc.nat()), (llama, scan, numbers) => {
      const claims = byChain(
        ...llama.map((cells) => cells.join(",")),
        ...scan.map(([chain, own, name]) => `${chain},${own},${name},etherscan-labels:okx,2023-10-02`),
      );
      const shuffled = claims
        .map((one) => ({ one, place: numbers.next().value as number }))
        .sort((a, b) => a.place - b.place)
        .map(({ one }) => one);
      expect(filesOf(shuffled, [])).toEqual(filesOf(claims, []));
    }),
  );
});

describe("refuses", () => {
  it("a name that stands in no table", () => {
    expect(() => byChain(`base,${A},newex,defillama-adapters,2026-08-22`)).toThrow(
      "exchanges-by-chain.csv, row 1: “newex” of defillama-adapters stands for no exchange; add it to exchange-names.ts " +
        "in builder/input/shapes/exchanges, or leave it out by a rule of left-out.ts there.",
    );
    expect(() => byChain(`base,${A},Newex 1,etherscan-labels:exchange,2026-08-22`)).toThrow(
      "“Newex 1” of etherscan-labels:exchange",
    );
  });

  it("a source without a date", () => {
    expect(() => ethereum(`${A},okx,eth-labels+hearsay`)).toThrow(
      "exchanges.csv, row 1: the source “hearsay” has no date; add it.",
    );
  });

  it("what is no address", () => {
    expect(() => kinds("base,0x12,bridge,B,s,2023-10-02")).toThrow(
      "contract-kinds.csv, row 1: “0x12” is not an address",
    );
  });
});

const FACTS = join(import.meta.dirname, "../../../../../shared/data/labels");
const LABELS = join(import.meta.dirname, "../../../../builder/fetch/labels");

// The facts lie beside the project on some machines only.
it.skipIf(!existsSync(FACTS))("what ships is what the script makes of the facts that were gathered", () => {
  const read = (file: string) => readFileSync(join(FACTS, file), "utf8");
  const claims = [...parseEthereum(read("exchanges.csv")), ...parseByChain(read("exchanges-by-chain.csv"))];
  const files = labelFiles(mergeClaims(claims, parseKindClaims(read("contract-kinds.csv"))));
  expect(files.size).toBe(9);
  for (const [file, text] of files) expect(readFileSync(join(LABELS, file), "utf8") === text, file).toBe(true);
});
