import { describe, expect, test } from "vitest";
import { CONTRACT, FIRST_EXCHANGE, USER } from "../../builder/engine/kernel/classification.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { ALICE, BOB, CAROL, csv, Folder, HEADER, row, ZERO } from "./folder.ts";

/** The zero address, Alice, Bob and Carol are addresses 0 to 3. */
const TRANSFERS = csv(HEADER, row({ from: ZERO, to: ALICE }), row({ log: 2 }), row({ log: 3, from: BOB, to: CAROL }));
const TIME = 1_600_000_000;

const folder = () => new Folder().write("transfers.csv", TRANSFERS);
const price = (...lines: string[]) => folder().write("p.csv", csv("timestamp,price_usd", ...lines));

describe("prices", () => {
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
      "p.csv has no column timestamp; its columns are time, price.",
    );
  });
});

describe("labels", () => {
  const group = (exchange: (typeof EXCHANGE_SELECTORS)[number]) =>
    FIRST_EXCHANGE - 1 + EXCHANGE_SELECTORS.indexOf(exchange);

  test("an address that is both is an exchange; case and blanks do not matter", async () => {
    const read = await folder()
      .write("e.csv", csv("address,exchange", `${BOB.toUpperCase().replace("X", "x")}, Binance`, `${BOB},binance`))
      .write("c.csv", csv("address", BOB, "", CAROL, `0x${"99".repeat(20)}`, ""))
      .read({ exchanges: "e.csv", contracts: "c.csv" });
    expect([...read.groups]).toEqual([USER, USER, group("binance"), CONTRACT]);
    expect(read.report.notices).toEqual(["No prices: every price is 0, and so is every amount in dollars."]);
  });

  test("names without a series are other, with a notice; so are the names of sums", async () => {
    const read = await folder()
      .write("e.csv", csv("address,exchange", `${ALICE},zed`, `${BOB},all`, `${CAROL},other`))
      .read({ exchanges: "e.csv", prices: undefined });
    expect([...read.groups]).toEqual([USER, group("other"), group("other"), group("other")]);
    expect(read.report.notices).toEqual([
      "No prices: every price is 0, and so is every amount in dollars.",
      "No contracts: no address counts as a contract.",
      "Exchanges without a series of their own count as “other”: all, zed.",
    ]);
  });

  test("the zero address keeps none", async () => {
    const read = await folder().write("c.csv", csv("address", ZERO)).read({ contracts: "c.csv" });
    expect([...read.groups]).toEqual([USER, USER, USER, USER]);
    expect(read.report.notices.at(-1)).toBe("The label of the zero address is ignored: it is never a holder.");
  });

  test("an address under two names, and a wrong address, are refused", async () => {
    const two = folder().write("e.csv", csv("address,exchange", `${BOB},kraken`, `${BOB},okx`));
    expect(await two.refusal({ exchanges: "e.csv" })).toBe(
      `${BOB} has two exchanges: kraken (e.csv, row 1) and okx (e.csv, row 2); remove one.`,
    );
    const wrong = folder().write("c.csv", csv("address", "0x12"));
    expect(await wrong.refusal({ contracts: "c.csv" })).toBe(
      'c.csv, row 1, column address: "0x12" is not 20 bytes long; expected an address, 0x and 40 hexadecimal digits.',
    );
    const nameless = folder().write("e.csv", csv("address,exchange", `${BOB},`));
    expect(await nameless.refusal({ exchanges: "e.csv" })).toBe(
      "e.csv, row 1, column exchange: the cell is empty; expected the name of an exchange.",
    );
  });
});
