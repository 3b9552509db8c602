import { expect, test } from "vitest";
import { CONTRACT, FIRST_EXCHANGE, USER } from "../../../builder/engine/classification.ts";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";
import { ALICE, BOB, CAROL, csv, Folder, HEADER, row, ZERO } from "../folder.ts";

/** The zero address, Alice, Bob and Carol are addresses 0 to 3. */
const TRANSFERS = csv(HEADER, row({ from: ZERO, to: ALICE }), row({ log: 2 }), row({ log: 3, from: BOB, to: CAROL }));

const folder = () => new Folder().write("transfers.csv", TRANSFERS);
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

test("of many names without a series, a notice has the first", async () => {
  const lines = Array.from(
    { length: 13 },
    (_, at) => `0x${String(at).padStart(40, "a")},x${String(at).padStart(2, "0")}`,
  );
  const read = await folder()
    .write("e.csv", csv("address,exchange", ...lines))
    .read({ exchanges: "e.csv" });
  expect(read.report.notices).toContain(
    "Exchanges without a series of their own count as “other”: x00, x01, x02, x03, x04, x05, x06, x07, x08, x09, and 3 more.",
  );
});

test("the zero address keeps none", async () => {
  const read = await folder().write("c.csv", csv("address", ZERO)).read({ contracts: "c.csv" });
  expect([...read.groups]).toEqual([USER, USER, USER, USER]);
  expect(read.report.notices.at(-1)).toBe("The label of the zero address is ignored: it is never a holder.");
});

test("of several addresses under two names, the first row that contradicts is named; the shipped list may differ", async () => {
  const rows = [`${CAROL},okx`, `${BOB},kraken`, `${CAROL},okx`, `${BOB},okx`, `${CAROL},kraken`, `${BOB},gate.io`];
  const two = folder().write("e.csv", csv("address,exchange", ...rows));
  expect(await two.refusal({ exchanges: "e.csv" })).toBe(
    `${BOB} has two exchanges: kraken (e.csv, row 2) and okx (e.csv, row 4); remove one.`,
  );
});

test("an address may be listed any number of times", async () => {
  const many = (line: string) => new Array<string>(100_000).fill(line);
  const read = await folder()
    .write("e.csv", csv("address,exchange", ...many(`${BOB},okx`)))
    .write("c.csv", csv("address", ...many(BOB), CAROL))
    .read({ exchanges: "e.csv", contracts: "c.csv" });
  expect([...read.groups]).toEqual([USER, USER, group("okx"), CONTRACT]);
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

test("the user's exchanges win over the shipped ones, whose names need no notice", async () => {
  const source = { chainId: 1, firstBlock: 0, events: "erc20" };
  const both = folder()
    .write("own.csv", csv("address,exchange", `${BOB},okx`))
    .write("c.csv", csv("address"))
    .write("p.csv", csv("timestamp,price_usd", "2020-01-01,1"))
    .write("inputs/TST/exchanges.csv", csv("address,exchange", `${BOB},kraken`, `${CAROL},abcc`));
  const keys = { source, transfers: "transfers.csv", exchanges: "own.csv", contracts: "c.csv", prices: "p.csv" };
  const read = await both.read(keys);
  expect([...read.groups]).toEqual([USER, USER, group("okx"), group("other")]);
  expect(read.report.notices).toEqual(["No contracts: no address counts as a contract."]);
  expect(read.report.files.map(({ role, rows }) => [role, rows])).toEqual([
    ...[
      ["transfers", 3],
      ["prices", 1],
      ["exchanges", 1],
      ["labels", 2],
      ["contracts", 0],
    ],
  ]);
});
