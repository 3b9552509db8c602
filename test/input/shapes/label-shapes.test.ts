/** Labels in the form of other tools are read as the exchanges that they mean. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exchangeOf } from "../../../builder/input/shapes/exchanges/exchange-of.ts";
import { LABEL_SHAPES } from "../../../builder/input/shapes/label-shapes.ts";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry.ts";
import { csv, Folder, HEADER, row } from "../folder.ts";
import { csvOf } from "./transfer-writers.ts";

const account = (at: number) => `0x${(at + 1).toString(16).padStart(2, "0").repeat(20)}`;

/** Twenty addresses: what Etherscan's label and name are, and the exchange that is meant, if one is. */
const TWENTY: readonly [label: string, name: string, exchange: string | undefined][] = [
  ["binance", "Binance 1", "binance"],
  ["binance", "Binance 2", "binance"],
  ["huobi", "Huobi 3", "htx"],
  ["kraken", "Kraken 4", "kraken"],
  ["coinbase", "Coinbase 5", "coinbase"],
  ["coinbase", "Coinbase 6", "coinbase"],
  ["okx", "OKX 7", "okx"],
  ["gate-io", "Gate.io 8", "gate.io"],
  ["kucoin", "KuCoin 9", "kucoin"],
  ["bitfinex", "Bitfinex 10", "bitfinex"],
  ["crypto-com", "Crypto.com 11", "crypto.com"],
  ["ftx", "FTX Exchange 12", "ftx"],
  ["upbit", "Upbit 13", "upbit"],
  ["bithumb", "Bithumb 14", "bithumb"],
  ["poloniex", "Poloniex 15", "poloniex"],
  ["binance", "Binance: Deployer 16", undefined],
  ["uniswap", "Uniswap V2: Router", undefined],
  ["fund", "Example Capital", undefined],
  ["binance", "Binance-Peg Token", undefined],
  ["airdrop-hunter", "", undefined],
];

const FORMS: Readonly<Record<string, () => string>> = {
  // A list of exchanges has no others.
  "dune-cex": () =>
    csvOf(
      TWENTY.flatMap(([, name, exchange], at) =>
        exchange === undefined
          ? []
          : [
              {
                blockchain: "ethereum",
                address: account(at),
                cex_name: name.replace(/( Exchange)? \d+$/, ""),
                distinct_name: name,
              },
            ],
      ),
    ),
  "dune-labels": () =>
    csvOf(
      TWENTY.map(([label, name], at) => ({
        blockchain: "ethereum",
        address: account(at),
        name,
        category: ["uniswap", "airdrop-hunter", "fund"].includes(label) ? "dex" : "institution",
        contributor: "somebody",
      })),
    ),
  "flipside-labels": () =>
    csvOf(
      TWENTY.map(([label, name], at) => ({
        BLOCKCHAIN: "ethereum",
        ADDRESS: account(at),
        ADDRESS_NAME: name,
        LABEL_TYPE: "cex",
        LABEL: label,
      })),
    ),
  "etherscan-labels-named": () =>
    `${JSON.stringify(
      TWENTY.map(([label, nameTag], at) => ({ address: account(at), chainId: 1, label, nameTag })),
      null,
      1,
    )}\n`,
  "etherscan-labels": () => csvOf(TWENTY.map(([label], at) => ({ address: account(at), label }))),
};

const fileOf = (name: string) => `${name}.${FORMS[name]!().startsWith("[") ? "json" : "csv"}`;
const read = async (file: string, content: string) =>
  (await new Folder().write("transfers.csv", csv(HEADER, row())).write(file, content).read({ exchanges: file })).labels;

const rowsOf = (meant: readonly (readonly [string, string | undefined])[]) =>
  csv(
    "address,exchange",
    ...meant.flatMap(([address, exchange]) => (exchange === undefined ? [] : [`${address},${exchange}`])),
  );

describe("twenty rows", () => {
  test.each(LABEL_SHAPES)("as $name", async ({ name }) => {
    const content = FORMS[name]!();
    await expect(content).toMatchFileSnapshot(`files/labels/${fileOf(name)}`);
    // Without names, only the label tells.
    const meant = TWENTY.map(([label, , exchange], at) => {
      const byLabel = EXCHANGE_SELECTORS.includes(label as never) ? label : exchange;
      return [account(at), name === "etherscan-labels" ? byLabel : exchange] as const;
    });
    const { address, label } = await read(fileOf(name), content);
    const plain = await read("plain.csv", rowsOf(meant));
    expect({ address, label }).toEqual({ address: plain.address, label: plain.label });
  });
});

test.each([
  [{ exchange: "Huobi" }, "htx"],
  [{ exchange: "Gate.io" }, "gate.io"],
  [{ exchange: "Some Exchange" }, "some exchange"],
  [{ label: '["exchange","kraken"]' }, "kraken"],
  [{ name: "Binance US 3", label: "binance" }, "binance_us"],
  [{ name: "Binance: Staking", label: "binance" }, undefined],
  [{ name: "Coinbase 3", category: "dex" }, undefined],
  [{}, undefined],
])("%j means %s", (said, exchange) => {
  expect(exchangeOf(said)).toBe(exchange);
});

test("an address that is none is named by its place, behind rows that are left out", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, row()));
  folder.write("l.csv", csv("address,label", `${account(1)},fund`, "0x12,binance"));
  expect(await folder.refusal({ exchanges: "l.csv" })).toMatch(
    /^l\.csv, row 2, column address: "0x12" is not 20 bytes long/,
  );
});

test("docs/building.md has every form", () => {
  const page = readFileSync(new URL("../../../docs/building.md", import.meta.url), "utf8");
  expect(LABEL_SHAPES.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
});
