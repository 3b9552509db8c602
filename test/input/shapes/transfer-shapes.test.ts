/** Transfers in the form of every tool are read as those of the plain form; what can't be read is refused with a reason. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PLAIN_TRANSFERS, TRANSFER_SHAPES } from "../../../builder/input/shapes/transfer-shapes.ts";
import { ALICE, BOB, csv, events, Folder, TOKEN, ZERO } from "../folder.ts";
import { csvOf, readPlain, readWritten, TRANSFER_WRITERS } from "./transfer-writers.ts";
import { TWENTY } from "./twenty.ts";

describe("twenty rows", () => {
  test.each(TRANSFER_WRITERS)("as $file", async (writer) => {
    const { file } = writer;
    if (!/\.(gz|zst)$/.test(file)) await expect(writer.write(TWENTY)).toMatchFileSnapshot(`files/${file}`);
    const [written, plain] = [await readWritten(writer, TWENTY), await readPlain(TWENTY)];
    expect(written.history).toEqual(plain.history);
  });

  test("are there of every shape that is read", () => {
    const written = new Set(TRANSFER_WRITERS.map(({ shape }) => shape));
    const known = [...TRANSFER_SHAPES, ...PLAIN_TRANSFERS].filter(({ refused, name }) => !refused && name !== "plain");
    expect([...written].sort()).toEqual(known.map(({ name }) => name).sort());
  });
});

const refusalOf = (name: string, content: string, keys = {}) =>
  new Folder().write(name, content).refusal({ transfers: name, ...keys });

const HASH = `0x${"ab".repeat(32)}`;
const INSTEAD =
  "request the logs instead (module=logs&action=getLogs), as docs/building.md#files-of-other-tools shows.";

test.each([
  [
    "export.csv",
    csvOf([
      {
        "Transaction Hash": HASH,
        Blockno: 1,
        UnixTimestamp: 1,
        "DateTime (UTC)": "",
        From: ALICE,
        To: BOB,
        Quantity: "1,234.5",
      },
    ]),
    `export.csv is a CSV of Etherscan's token transfers, which lacks the log index and has amounts that were scaled and rounded: ${INSTEAD}`,
  ],
  [
    "tokentx.json",
    JSON.stringify({
      status: "1",
      result: [{ blockNumber: "1", timeStamp: "1", hash: HASH, from: ALICE, to: BOB, value: "1", tokenDecimal: "18" }],
    }),
    `tokentx.json is an answer of Etherscan's tokentx, which lacks the log index, so transfers of one transaction can't be told apart: ${INSTEAD}`,
  ],
  [
    "blockscout.csv",
    csvOf([
      {
        TxHash: HASH,
        BlockNumber: 1,
        UnixTimestamp: 1,
        FromAddress: ALICE,
        ToAddress: BOB,
        TokenContractAddress: TOKEN,
        TokensTransferred: "1",
      },
    ]),
    "blockscout.csv is a CSV of Blockscout's token transfers, which lacks the log index, so transfers of one transaction can't be told apart: use its API (/api/v2/tokens/0x…/transfers), as docs/building.md#files-of-other-tools shows.",
  ],
  [
    "covalent.json",
    JSON.stringify({ data: { items: [{ block_signed_at: "", block_height: 1, tx_hash: HASH, transfers: [{}] }] } }),
    "covalent.json is transfers of Covalent (GoldRush), which lacks the log index, so transfers of one transaction can't be told apart: request the log events of the contract instead (events/address/0x…), as docs/building.md#files-of-other-tools shows.",
  ],
  [
    "dune.csv",
    csvOf([
      { block_number: 1, block_time: 1, evt_index: 1, contract_address: TOKEN, from: ALICE, to: BOB, amount: 1.5 },
    ]),
    "dune.csv is rows of Dune's tokens.transfers without amount_raw, whose amount is a rounded number: select amount_raw as well.",
  ],
  [
    "error.json",
    JSON.stringify({ status: "0", message: "NOTOK", result: "Max rate limit reached" }),
    'error.json is no data, but an error of an API, "Max rate limit reached"; request it again.',
  ],
])("%s can't be read", async (name, content, sentence) => {
  expect(await refusalOf(name, content)).toBe(sentence);
});

const FLIPSIDE = "BLOCK_NUMBER,BLOCK_TIMESTAMP,EVENT_INDEX,CONTRACT_ADDRESS,FROM_ADDRESS,TO_ADDRESS,AMOUNT_PRECISE";
const scaled = (amount: string) => csv(FLIPSIDE, `10,2024-01-01T00:00:00.000Z,1,${TOKEN},${ZERO},${ALICE},${amount}`);

test.each([
  ["0", 0n],
  ["1.", 1000n],
  ["0.001", 1n],
  ["0.1000000", 100n],
  ["0012.3", 12_300n],
  ["115792089237316195423570985008687907853269984665640564039457584007913129639.935", 2n ** 256n - 1n],
])("%s whole tokens of three decimals are exact", async (amount, raw) => {
  const read = await new Folder().write("t.csv", scaled(amount)).read({ transfers: "t.csv", decimals: 3 });
  expect(events(read).map(([, , , , , value]) => value)).toEqual([raw]);
});

test.each(["0.0001", "1e3", "-1", "1,5", ".5", ""])("%j whole tokens of three decimals are refused", async (amount) => {
  expect(await refusalOf("t.csv", scaled(amount.includes(",") ? `"${amount}"` : amount), { decimals: 3 })).toBe(
    `t.csv, row 1, column AMOUNT_PRECISE: ${amount === "" ? "the cell is empty" : `"${amount}" is not valid`}; expected an amount in whole tokens, as a decimal number with at most 3 digits after the point.`,
  );
});

const ETL = "contract_address,from_address,to_address,token_type,amount,log_index,block_number,block_timestamp";
const amounts = (amount: string) => csv(ETL, `${TOKEN},${ZERO},${ALICE},ERC20,${amount},1,10,2024-01-01 10:00:00`);

test.each([
  ["0x0", 0n],
  ["0xfF", 255n],
  [`0x${"f".repeat(64)}`, 2n ** 256n - 1n],
  [String(2n ** 256n - 1n), 2n ** 256n - 1n],
])("%s is an amount in hexadecimal or decimal digits", async (amount, raw) => {
  const read = await new Folder().write("t.csv", amounts(amount)).read({ transfers: "t.csv" });
  expect(events(read).map(([, , , , , value]) => value)).toEqual([raw]);
});

test.each([
  ["0x", "is not hexadecimal"],
  ["0xg1", "is not hexadecimal"],
  [`0x1${"0".repeat(64)}`, "is over 2^256 − 1"],
  [String(2n ** 256n), "is over 2^256 − 1"],
  ["1.5", "is not a whole number"],
])("%s is no amount", async (amount, problem) => {
  expect(await refusalOf("t.csv", amounts(amount))).toBe(
    `t.csv, row 1, column amount: "${amount}" ${problem}; expected raw token units: hexadecimal digits after 0x, or a whole number, from 0 to 2^256 − 1.`,
  );
});

test("numbers of JSON are no amounts in whole tokens", async () => {
  const row = {
    block_number: 1,
    log_index: 1,
    block_timestamp: 1,
    token_address: TOKEN,
    from_address: ZERO,
    to_address: ALICE,
  };
  expect(await refusalOf("t.json", JSON.stringify([{ ...row, amount_str: 1.5 }]))).toBe(
    "t.json, column amount_str: has numbers with a fraction, which lose digits; export the amounts again as text, in quotes.",
  );
});

test("an invalid cell is named by the column of the file", async () => {
  const dune = "evt_block_number,evt_index,evt_block_time,contract_address,from,to,value";
  expect(await refusalOf("t.csv", csv(dune, `10,1,2024-01-01 00:00:00,${TOKEN},${ZERO},${ALICE},-5`))).toBe(
    't.csv, row 1, column value: "-5" is negative; expected raw token units, a whole number from 0 to 2^256 − 1.',
  );
  expect(await refusalOf("t.csv", csv(dune, `10,1,yesterday,${TOKEN},${ZERO},${ALICE},5`))).toBe(
    't.csv, row 1, column evt_block_time: "yesterday" is not valid; expected Unix seconds or ISO 8601.',
  );
});

test("the contract's column may be named as the file has it, and rows of others are left out", async () => {
  const dune = "evt_block_number,evt_index,evt_block_time,contract_address,from,to,value";
  const rows = [TOKEN, ALICE].map((contract, at) => `10,${at},2024-01-01 00:00:00,${contract},${ZERO},${ALICE},5`);
  const folder = new Folder().write("t.csv", csv(dune, ...rows));
  for (const columns of [undefined, { contract: "contract_address" }]) {
    expect(events(await folder.read({ transfers: "t.csv", columns }))).toHaveLength(1);
  }
});

test("logs that are no transfers are rows of others, and refused if all rows are said to be the asset's", async () => {
  const { write } = TRANSFER_WRITERS.find(({ file }) => file === "rpc-logs.json")!;
  const folder = new Folder().write("t.json", write(TWENTY));
  expect((await folder.read({ transfers: "t.json" })).report.skippedOtherContracts).toBe(7);
  expect(await folder.refusal({ transfers: "t.json", columns: { contract: null } })).toMatch(
    /^t\.json, row 2, column topics and data: "0x8c5b.*" is not valid; expected a log of Transfer, with an address in a topic/,
  );
});

test("logs of an NFT are refused, and so are logs with two topics", async () => {
  const topic = (digit: string) => `0x${"0".repeat(24)}${digit.repeat(40)}`;
  const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const log = (...topics: string[]) =>
    JSON.stringify([
      {
        address: TOKEN,
        topics: [transfer, ...topics],
        data: `0x${"0".repeat(64)}`,
        blockNumber: "0x1",
        logIndex: "0x2",
        timeStamp: "0x3",
      },
    ]);
  expect(await refusalOf("t.json", log(topic("1"), topic("2"), topic("3")))).toMatch(
    /^t\.json, row 1, column topics: .* not fungible/,
  );
  expect(await refusalOf("t.json", log(topic("1")))).toMatch(
    /^t\.json, row 1, column topics and data: "0x" is not valid; expected a log of Transfer/,
  );
});

test.each([
  ["[1, 2", "t.json ends in the middle of its list; export or download it again."],
  ['[{"a": 1}, ', "t.json ends in the middle of its list; export or download it again."],
  ["hello", "t.json is not JSON: it begins with neither { nor [; rename or convert it."],
  ["", "t.json is empty; export it again."],
  ["[]", "t.json has no records; export it again, or leave it out."],
  ['{"result": []}', "t.json has no records; export it again, or leave it out."],
  ['{"result": [{"a": 1}, {"a"', "t.json ends in the middle of its list; export or download it again."],
  ['{"result": [{"a": 1},,]}', "t.json, value 2: is not well-formed JSON; correct it, or export the file again."],
  ['{"result": [{"a": 1}], 5}', "t.json, value 1: is not well-formed JSON; correct it, or export the file again."],
  ['[{"a": 1}, {"a": x}, {}]', "t.json, value 2: is not well-formed JSON; correct it, or export the file again."],
  ['{"a":\n1}\n{"a":\nx}\n', "t.json, value 2: is not well-formed JSON; correct it, or export the file again."],
  ['{"a": 1}\n{"a": 2\n', "t.json, line 2: is not well-formed JSON; correct it, or export the file again."],
  [
    '{"result": [{"a": 1}]}\n{"result": "rate limit"}\n',
    "t.json, value 2: has no list of records at $.result; request it again.",
  ],
  [
    '{"data": {"a": [{"x": 1}], "b": [{"x": 1}]}}',
    "t.json has several lists of records at $.data.*; keep the one that is meant.",
  ],
])("JSON that is damaged: %j", async (content, sentence) => {
  expect(await refusalOf("t.json", content)).toBe(sentence);
});

test("files cut short are refused", async () => {
  const cut = (file: string) => {
    const writer = TRANSFER_WRITERS.find((writer) => writer.file === file)!;
    const whole = writer.write(TWENTY) as Uint8Array;
    return new Folder().write(file, whole.subarray(0, whole.length - 20)).refusal({ transfers: file });
  };
  expect(await cut("dune-evt.csv.zst")).toBe(
    "dune-evt.csv.zst is not an intact zstd file; export or download it again.",
  );
  expect(await cut("rpc-logs.jsonl.gz")).toBe(
    "rpc-logs.jsonl.gz is not an intact gzip file; export or download it again.",
  );
});

test("docs/building.md has every form", () => {
  const page = readFileSync(new URL("../../../docs/building.md", import.meta.url), "utf8");
  expect(
    [...TRANSFER_SHAPES, ...PLAIN_TRANSFERS]
      .filter(({ name }) => name !== "plain")
      .filter(({ name }) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});
