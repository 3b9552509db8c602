import { describe, expect, test } from "vitest";
import { csv, Folder, HEADER, row } from "../folder.ts";

const TIME = 1_600_000_000;

const folder = () => new Folder().write("transfers.csv", csv(HEADER, row()));
const folderOf = (...lines: string[]) => folder().write("p.csv", csv(...lines));
const price = (...lines: string[]) => folderOf("timestamp,price_usd", ...lines);

test("of several files in any order, times in any form", async () => {
  const files = await price("2020-09-13T12:26:41Z,1e-5", `${TIME},0`).parquet(
    "q.parquet",
    "SELECT TIMESTAMP '2020-09-13 12:26:42' AS timestamp, 2.5::DOUBLE AS price_usd",
  );
  const { prices, report } = await files.read({ prices: ["q.parquet", "p.csv"] });
  expect([...prices.timestamp]).toEqual([TIME, TIME + 1, TIME + 2]);
  expect([...prices.usd]).toEqual([0, 1e-5, 2.5]);
  expect(report.files.slice(1).map(({ role, file, rows }) => [role, file, rows])).toEqual([
    ["prices", "q.parquet", 1],
    ["prices", "p.csv", 2],
  ]);
});

const EXPECTED = "expected US dollars per token, a number from 0 to 1e100.";
const CELL = "p.csv, row 1, column price_usd:";
test.each([
  ["-1", `${CELL} "-1" is negative; ${EXPECTED}`],
  ["", `${CELL} the cell is empty; ${EXPECTED}`],
  ["nan", `${CELL} "nan" is not valid; ${EXPECTED}`],
  ["inf", `${CELL} "inf" is not valid; ${EXPECTED}`],
  ["$5", `${CELL} "$5" is not valid; ${EXPECTED}`],
  ["1e101", `${CELL} "1e101" is too large; ${EXPECTED}`],
  ["1e999", `${CELL} "1e999" is too large; ${EXPECTED}`],
])("%j is refused", async (text, sentence) => {
  expect(await price(`${TIME},${text}`).refusal({ prices: "p.csv" })).toBe(sentence);
});

test("two for one time, or none", async () => {
  expect(await price(`${TIME},1`, `${TIME + 1},1`, "2020-09-13T12:26:40Z,1").refusal({ prices: "p.csv" })).toBe(
    "There are two prices for 2020-09-13T12:26:40Z (Unix 1600000000): p.csv, row 1 and p.csv, row 3; remove one.",
  );
  expect(await price().refusal({ prices: "p.csv" })).toBe(
    'p.csv has no rows; add prices, or leave the key "prices" out.',
  );
  expect(await folder().write("p.csv", csv("time,price", "1,2")).refusal({ prices: "p.csv" })).toBe(
    "p.csv lacks columns: timestamp, price_usd. It has: time, price.",
  );
});

const DAY = 86_400;
const JANUARY = Date.UTC(2024, 0, 1) / 1000;

describe("a candle's price counts from its end", () => {
  const opens = () => price("2024-01-01,1", "2024-01-02,2", "2024-01-09,3");
  const daily = { file: "p.*", stamp: "open", period: "1d" };

  test("with open stamps and a period: as with the stamps of its close", async () => {
    const closes = await price("2024-01-02,1", "2024-01-03,2", "2024-01-10,3").read({ prices: "p.csv" });
    const read = await opens().read({ prices: daily });
    expect(read.prices).toEqual(closes.prices);
    const asStamped = await opens().read({ prices: { file: ["p.csv"], stamp: "close" } });
    expect([...asStamped.prices.timestamp]).toEqual([0, 1, 8].map((day) => JANUARY + day * DAY));
    // They are the same files, read in another way.
    expect(read.build).not.toBe(asStamped.build);
  });

  test("but candles can't overlap", async () => {
    expect(await opens().refusal({ prices: { ...daily, period: "1w" } })).toBe(
      'The candles of p.csv, row 1 and p.csv, row 2 open less than 1w apart; correct "period" of the prices in ASSET.json.',
    );
  });

  test("with a column close_time, unless ASSET.json says what timestamp is", async () => {
    const rows = "VALUES (TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-01 23:59:59.999', 1)";
    const files = await folder().parquet("p.parquet", `FROM (${rows}) prices(timestamp, close_time, price_usd)`);
    files.write("p.csv", csv("close_time,price_usd", "1704239999999,2"));
    const read = await files.read({ prices: daily.file });
    expect([...read.prices.timestamp]).toEqual([JANUARY + DAY, JANUARY + 2 * DAY]);
    const asStamped = await files.read({ prices: { file: "p.parquet", stamp: "close" } });
    expect([...asStamped.prices.timestamp]).toEqual([JANUARY]);
    files.write("p.csv", csv("close_time,price_usd", "yesterday,2"));
    expect(await files.refusal({ prices: "p.csv" })).toBe(
      'p.csv, row 1, column close_time: "yesterday" is not valid; expected the end of a candle: seconds, milliseconds or microseconds since 1970, or ISO 8601.',
    );
  });
});

test("a price that leaps and comes back is told", async () => {
  const noticeOf = async (...usd: string[]) => {
    // In the order of a file that begins with the newest.
    const rows = usd.map((usd, day) => `${JANUARY + day * DAY},${usd}`).toReversed();
    const { report } = await price(...rows).read({ prices: "p.csv" });
    return report.notices.find((notice) => notice.startsWith("p.csv"));
  };
  const TAIL = "those before and after it; correct it if its decimal point is misplaced.";
  expect(await noticeOf("1.23", "1230", "1.23", "1.3")).toBe(
    `p.csv, row 3: the price of 2024-01-02T00:00:00Z, 1230, is at least 1,000 times ${TAIL}`,
  );
  expect(await noticeOf("4", "0.004", "0.003", "0.001", "5", "0.005", "5")).toBe(
    `p.csv, row 6: the price of 2024-01-02T00:00:00Z, 0.004, and each of the 2 prices after it, is at most a thousandth of ${TAIL} ` +
      "It is the first of 2 such places.",
  );
});
