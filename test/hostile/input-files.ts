/** The files of a small token as tables of texts, and what their cells must not hold. */

/** A header, and rows of cells. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** When the history begins, Unix seconds. */
export const START = Date.UTC(2024, 0, 30) / 1000;
const DAY = 86_400;
const [ZERO, ALICE, BOB, CAROL] = ["00", "a1", "b0", "ca"].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];

const transfer = (day: number, from: string, to: string, value: string) => {
  return [String(1_000 + 10 * day), "0", String(START + day * DAY + 3_600), from, to, value];
};
const TRANSFERS = [
  transfer(0, ZERO, ALICE, "1000000000000000000000"),
  transfer(1, ALICE, BOB, "100000000000000000000"),
  transfer(3, BOB, CAROL, "30000000000000000000"),
  transfer(4, ALICE, CAROL, "5"),
  transfer(5, CAROL, ALICE, "4000000000000000000"),
];

export const TABLES = {
  transfers: {
    columns: ["block_number", "log_index", "block_timestamp", "from_address", "to_address", "value"],
    rows: TRANSFERS,
  },
  prices: {
    columns: ["timestamp", "price_usd"],
    rows: Array.from({ length: 7 }, (_, day) => [String(START + day * DAY), String(1 + day / 7)]),
  },
  exchanges: {
    columns: ["address", "exchange"],
    rows: [
      [CAROL, "binance"],
      [BOB, "no-such-exchange"],
    ],
  },
  contracts: { columns: ["address"], rows: [[ALICE], [CAROL]] },
  blocks: { columns: ["block_number", "timestamp"], rows: TRANSFERS.map(([block, , time]) => [block!, time!]) },
} satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** ASSET.json, but for the names of the files. */
export const ASSET = {
  symbol: "BAD",
  name: "Malformed",
  chain: "ethereum",
  contract: `0x${"70".repeat(20)}`,
  decimals: 18,
  maxSupply: "1000000",
  asOf: new Date((START + 6 * DAY) * 1000).toISOString(),
};

const NO_NUMBER = ["", "-1", "1.5", "1e3", "abc", "0x10", "NaN", "1 2", "99999999999999999999999", "--1", "\0"];
const NO_TIME = ["", "abc", "2020-13-01", "2020-02-30T00:00:00Z", "1700000000000", "-5", "NaN", "2024-01-30T25:00:00Z"];
const NO_ADDRESS = ["", "0x12", "abc", `0x${"7".repeat(41)}`, `0x${"g".repeat(40)}`, `0x${"7".repeat(39)}`, "\0"];

/** Texts that a build must refuse, by column. */
export const REFUSED: Record<string, readonly string[]> = {
  block_number: NO_NUMBER,
  log_index: NO_NUMBER,
  block_timestamp: NO_TIME,
  timestamp: NO_TIME,
  from_address: NO_ADDRESS,
  to_address: NO_ADDRESS,
  address: NO_ADDRESS,
  value: ["", "-1", "1.5", "1e3", "abc", "0x10", "NaN", "1 2", String(2n ** 256n), "9".repeat(5_000)],
  price_usd: ["", "-1", "nan", "inf", "$5", "1e101", "1e999", "0x10", "1 2"],
  exchange: [""],
};
