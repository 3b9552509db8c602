/** Writes the same transfers as each tool would: the forms are those of the tools' documentation, the rows are made up. */

import { gzipSync, zstdCompressSync } from "node:zlib";
import { Folder, TOKEN } from "../folder.ts";

export interface WrittenTransfer {
  block: number;
  log: number;
  /** Unix seconds. */
  time: number;
  from: string;
  to: string;
  value: bigint;
  /** 32 bytes each, after 0x. */
  transaction: string;
  blockHash: string;
}

export interface TransferWriter {
  /** The name of the shape. */
  shape: string;
  file: string;
  /** Whether the file has no times. */
  isUntimed?: true;
  write(rows: readonly WrittenTransfer[]): string | Uint8Array;
}

/** Decimals of the token, for amounts in whole tokens. */
const DECIMALS = 18;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

const iso = (time: number) => new Date(time * 1000).toISOString();
const blanked = (time: number) => iso(time).replace("T", " ").replace("Z", "");
const hex = (number: number | bigint) => `0x${number.toString(16)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
const topic = (address: string) => `0x${"0".repeat(24)}${address.slice(2)}`;

/** Whole tokens, as exactly as text can be. */
function wholeTokens(value: bigint): string {
  const digits = value.toString().padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, "");
}

const quoted = (cell: unknown) =>
  /[,"]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);

/** A CSV of objects with the same members. */
export function csvOf(rows: readonly object[], separator = ","): string {
  const lines = rows.map((row) => Object.values(row).map(quoted).join(separator));
  return [Object.keys(rows[0] ?? {}).join(separator), ...lines, ""].join("\n");
}

const jsonLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;
const each =
  <T extends object>(of: (row: WrittenTransfer) => T) =>
  (rows: readonly WrittenTransfer[]) =>
    rows.map(of);

const evt = each(({ block, log, time, from, to, value, transaction }) => ({
  contract_address: TOKEN,
  evt_tx_hash: transaction,
  evt_tx_from: from,
  evt_tx_to: TOKEN,
  evt_tx_index: 3,
  evt_index: log,
  evt_block_time: `${blanked(time)} UTC`,
  evt_block_number: block,
  evt_block_date: iso(time).slice(0, 10),
  from,
  to,
  value: String(value),
}));

export const duneTransfers = each(({ block, log, time, from, to, value, transaction }) => ({
  unique_key: transaction.slice(2, 20),
  blockchain: "ethereum",
  block_time: `${blanked(time)} UTC`,
  block_number: block,
  tx_hash: transaction,
  evt_index: log,
  trace_address: "",
  token_standard: "erc20",
  tx_from: from,
  tx_to: TOKEN,
  from,
  to,
  contract_address: TOKEN,
  symbol: "TST",
  amount_raw: String(value),
  amount: Number(value) / 10 ** DECIMALS,
  amount_usd: "",
}));

const flipside = (isScaled: boolean) =>
  each(({ block, log, time, from, to, value, transaction }) => ({
    BLOCK_NUMBER: block,
    BLOCK_TIMESTAMP: iso(time),
    TX_HASH: transaction,
    EVENT_INDEX: log,
    ORIGIN_FROM_ADDRESS: from,
    ORIGIN_TO_ADDRESS: TOKEN,
    CONTRACT_ADDRESS: TOKEN,
    FROM_ADDRESS: from,
    TO_ADDRESS: to,
    ...(isScaled
      ? { AMOUNT_PRECISE: wholeTokens(value) }
      : { RAW_AMOUNT_PRECISE: String(value), RAW_AMOUNT: Number(value) }),
    AMOUNT: Number(value) / 10 ** DECIMALS,
    SYMBOL: "TST",
  }));

const allium = (isScaled: boolean) =>
  each(({ block, log, time, from, to, value, transaction, blockHash }) => ({
    token_address: TOKEN,
    token_symbol: "TST",
    from_address: from,
    to_address: to,
    ...(isScaled ? { amount_str: wholeTokens(value) } : { raw_amount_str: String(value), raw_amount: Number(value) }),
    amount: Number(value) / 10 ** DECIMALS,
    transaction_hash: transaction,
    log_index: log,
    block_timestamp: `${blanked(time)}000`,
    block_number: block,
    block_hash: blockHash,
  }));

/** What else a contract logs, which must not count. */
const withApprovals = <T extends { topics: readonly string[] }>(logs: readonly T[]) =>
  logs.flatMap((log, at) => (at % 3 === 0 ? [log, { ...log, topics: [APPROVAL, ...log.topics.slice(1)] }] : [log]));

const etherscanLogs = each(({ block, log, time, from, to, value, transaction, blockHash }) => ({
  address: TOKEN,
  topics: [TRANSFER, topic(from), topic(to)],
  data: word(value),
  blockNumber: hex(block),
  blockHash,
  timeStamp: hex(time),
  gasPrice: "0x12",
  gasUsed: "0x34",
  logIndex: log === 0 ? "0x" : hex(log),
  transactionHash: transaction,
  transactionIndex: "0x3",
}));

const rpcLogs = each(({ block, log, time, from, to, value, transaction, blockHash }) => ({
  address: TOKEN,
  blockHash,
  blockNumber: hex(block),
  blockTimestamp: hex(time),
  data: word(value),
  logIndex: hex(log),
  removed: false,
  topics: [TRANSFER, topic(from), topic(to)],
  transactionHash: transaction,
  transactionIndex: "0x3",
}));

/** Logs of an event whose parties are not indexed. */
const bareLogs = each(({ block, log, time, from, to, value, transaction }) => ({
  address: TOKEN,
  blockNumber: hex(block),
  blockTimestamp: hex(time),
  data: `0x${[topic(from), topic(to), word(value)].map((part) => part.slice(2)).join("")}`,
  logIndex: hex(log),
  topics: [TRANSFER],
  transactionHash: transaction,
}));

const etlLogs = each(({ block, log, from, to, value, transaction, blockHash }) => ({
  log_index: log,
  transaction_hash: transaction,
  transaction_index: 3,
  block_hash: blockHash,
  block_number: block,
  address: TOKEN,
  data: word(value),
  topics: [TRANSFER, topic(from), topic(to)].join(","),
}));

const covalentLogs = each(({ block, log, time, from, to, value, transaction, blockHash }) => ({
  block_signed_at: iso(time).replace(".000", ""),
  block_height: block,
  block_hash: blockHash,
  tx_offset: 3,
  log_offset: log,
  tx_hash: transaction,
  raw_log_topics: [TRANSFER, topic(from), topic(to)],
  sender_contract_decimals: DECIMALS,
  sender_address: TOKEN,
  raw_log_data: word(value),
  decoded: { name: "Transfer", params: [{ name: "from", value: from }] },
}));

const duneLogs = each(({ block, log, time, from, to, value, transaction }) => ({
  block_time: `${blanked(time)} UTC`,
  block_number: block,
  contract_address: TOKEN,
  topic0: TRANSFER,
  topic1: topic(from),
  topic2: topic(to),
  topic3: "",
  data: word(value),
  tx_hash: transaction,
  index: log,
  tx_from: from,
  tx_to: TOKEN,
}));

const cryo = each(({ block, log, from, to, value, transaction }) => ({
  block_number: block,
  transaction_index: 3,
  log_index: log,
  transaction_hash: transaction,
  erc20: TOKEN,
  from_address: from,
  to_address: to,
  value_binary: word(value),
  value_string: String(value),
  value_f64: Number(value),
  chain_id: 1,
}));

/** The bytes of a transaction's hash and of a log index, the least first. */
function entityId(transaction: string, log: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(log);
  return transaction + bytes.toString("hex");
}

export const TRANSFER_WRITERS: readonly TransferWriter[] = [
  {
    shape: "ethereum-etl",
    file: "ethereum-etl-v1.csv",
    write: (rows) =>
      csvOf(
        rows.map(({ block, log, time, from, to, value, transaction, blockHash }) => ({
          token_address: TOKEN,
          from_address: from,
          to_address: to,
          value: String(value),
          transaction_hash: transaction,
          log_index: log,
          block_timestamp: blanked(time).slice(0, 19),
          block_number: block,
          block_hash: blockHash,
        })),
      ),
  },
  {
    shape: "ethereum-etl-v2",
    file: "ethereum-etl-v2.csv",
    write: (rows) =>
      csvOf(
        rows.map(({ block, log, time, from, to, value, transaction, blockHash }) => ({
          chain_id: 1,
          from_address: from,
          to_address: to,
          contract_address: TOKEN,
          token_id: word(1n),
          token_type: "ERC20",
          amount: word(value),
          transaction_hash: transaction,
          log_index: log,
          block_number: block,
          block_hash: blockHash,
          block_timestamp: blanked(time).slice(0, 19),
        })),
      ),
  },
  {
    shape: "ethereum-etl",
    file: "bigquery.jsonl",
    write: (rows) =>
      jsonLines(
        rows.map(({ block, log, time, from, to, value, transaction }) => ({
          token_address: TOKEN,
          from_address: from,
          to_address: to,
          value: String(value),
          transaction_hash: transaction,
          log_index: String(log),
          block_timestamp: `${blanked(time).slice(0, 19)} UTC`,
          block_number: String(block),
        })),
      ),
  },
  {
    shape: "bigquery-blockchain-analytics",
    file: "bigquery-blockchain-analytics.csv",
    write: (rows) =>
      csvOf(
        rows.map(({ block, log, time, from, to, value, transaction, blockHash }) => ({
          block_hash: blockHash,
          block_number: block,
          block_timestamp: `${blanked(time)}000 UTC`,
          transaction_hash: transaction,
          transaction_index: 3,
          event_index: log,
          batch_index: "",
          address: TOKEN,
          event_type: "ERC-20",
          event_hash: TRANSFER,
          operator_address: "",
          from_address: from,
          to_address: to,
          token_id: "",
          quantity: String(value),
          removed: false,
        })),
      ),
  },
  { shape: "cryo", file: "cryo.csv", isUntimed: true, write: (rows) => csvOf(cryo(rows)) },
  { shape: "cryo", file: "cryo.json", isUntimed: true, write: (rows) => json(cryo(rows)) },
  {
    shape: "logs-by-topic",
    file: "cryo-logs.csv",
    isUntimed: true,
    write: (rows) =>
      csvOf(
        rows.map(({ block, log, from, to, value, transaction }) => ({
          block_number: block,
          transaction_index: 3,
          log_index: log,
          transaction_hash: transaction,
          address: TOKEN,
          topic0: TRANSFER,
          topic1: topic(from),
          topic2: topic(to),
          topic3: "",
          data: word(value),
          n_data_bytes: 32,
          chain_id: 1,
        })),
      ),
  },
  { shape: "logs-by-topic", file: "dune-logs.csv", write: (rows) => csvOf(duneLogs(rows)) },
  { shape: "dune-evt", file: "dune-evt.csv", write: (rows) => csvOf(evt(rows)) },
  {
    shape: "dune-evt",
    file: "dune-evt-api.json",
    write: (rows) =>
      json({ execution_id: "01", state: "QUERY_STATE_COMPLETED", result: { rows: evt(rows), metadata: {} } }),
  },
  { shape: "dune-tokens-transfers", file: "dune-tokens-transfers.csv", write: (rows) => csvOf(duneTransfers(rows)) },
  { shape: "flipside", file: "flipside.csv", write: (rows) => csvOf(flipside(false)(rows)) },
  { shape: "flipside", file: "flipside.tsv", write: (rows) => csvOf(flipside(false)(rows), "\t") },
  { shape: "flipside-scaled", file: "flipside-scaled.csv", write: (rows) => csvOf(flipside(true)(rows)) },
  { shape: "allium", file: "allium.csv", write: (rows) => csvOf(allium(false)(rows)) },
  { shape: "allium-scaled", file: "allium-scaled.jsonl", write: (rows) => jsonLines(allium(true)(rows)) },
  {
    shape: "logs",
    file: "covalent-logs.json",
    write: (rows) =>
      json({ data: { updated_at: iso(0), chain_id: 1, items: covalentLogs(rows), pagination: null }, error: false }),
  },
  {
    shape: "logs",
    file: "etherscan-getlogs.json",
    // Pages, one after the other, as a loop of curl appends them.
    write: (rows) => {
      const logs = withApprovals(etherscanLogs(rows));
      const pages = [logs.slice(0, 8), logs.slice(8), []];
      return jsonLines(pages.map((result) => ({ status: "1", message: "OK", result })));
    },
  },
  {
    shape: "logs",
    file: "rpc-logs.json",
    write: (rows) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: withApprovals(rpcLogs(rows)) }),
  },
  { shape: "logs", file: "rpc-logs-unindexed.jsonl", write: (rows) => jsonLines(bareLogs(rows)) },
  { shape: "logs", file: "ethereum-etl-logs.csv", isUntimed: true, write: (rows) => csvOf(etlLogs(rows)) },
  {
    shape: "blockscout",
    file: "blockscout.json",
    write: (rows) =>
      json({
        items: rows.map(({ block, log, time, from, to, value, transaction, blockHash }) => ({
          block_hash: blockHash,
          block_number: block,
          from: { ens_domain_name: null, hash: from, is_contract: false },
          log_index: log,
          method: "transfer",
          timestamp: iso(time).replace(".000Z", ".000000Z"),
          to: { ens_domain_name: null, hash: to, is_contract: true },
          token: { address_hash: TOKEN, decimals: String(DECIMALS), symbol: "TST", type: "ERC-20" },
          total: { decimals: String(DECIMALS), value: String(value) },
          transaction_hash: transaction,
          type: "token_transfer",
        })),
        next_page_params: null,
      }),
  },
  {
    shape: "events",
    file: "blockscout-tokentx.json",
    write: (rows) =>
      json({
        status: "1",
        message: "OK",
        result: rows.map(({ block, log, time, from, to, value, transaction, blockHash }) => ({
          value: String(value),
          blockHash,
          blockNumber: String(block),
          contractAddress: TOKEN,
          from,
          hash: transaction,
          logIndex: String(log),
          timeStamp: String(time),
          to,
          tokenDecimal: String(DECIMALS),
          tokenSymbol: "TST",
        })),
      }),
  },
  {
    shape: "the-graph",
    file: "the-graph.json",
    write: (rows) =>
      json({
        data: {
          transfers: rows.map(({ block, log, time, from, to, value, transaction }) => ({
            id: entityId(transaction, log),
            from,
            to,
            value: String(value),
            blockNumber: String(block),
            blockTimestamp: String(time),
            transactionHash: transaction,
          })),
        },
      }),
  },
  { shape: "dune-evt", file: "dune-evt.csv.gz", write: (rows) => gzipSync(csvOf(evt(rows))) },
  { shape: "dune-evt", file: "dune-evt.csv.zst", write: (rows) => zstdCompressSync(csvOf(evt(rows))) },
  { shape: "logs", file: "rpc-logs.jsonl.gz", write: (rows) => gzipSync(jsonLines(rpcLogs(rows))) },
  { shape: "dune-evt", file: "dune-evt.json.zst", write: (rows) => zstdCompressSync(json(evt(rows))) },
];

/** The plain form of the same rows. */
export const plainCsv = (rows: readonly WrittenTransfer[]): string =>
  csvOf(
    rows.map(({ block, log, time, from, to, value }) => ({
      block_number: block,
      log_index: log,
      block_timestamp: time,
      from_address: from,
      to_address: to,
      value: String(value),
    })),
  );

/** A file of blocks, for the forms without times. */
export const blocksCsv = (rows: readonly WrittenTransfer[]): string =>
  csvOf(rows.map(({ block, time }) => ({ number: block, timestamp: time })));

/** Reads rows in the form of a writer. */
export async function readWritten({ file, isUntimed, write }: TransferWriter, rows: readonly WrittenTransfer[]) {
  const folder = new Folder().write(file, write(rows));
  if (isUntimed) folder.write("blocks.csv", blocksCsv(rows));
  return folder.read({ transfers: file, ...(isUntimed && { blocks: "blocks.csv" }) });
}

/** Reads the same rows in the plain form. */
export const readPlain = (rows: readonly WrittenTransfer[]) =>
  new Folder().write("transfers.csv", plainCsv(rows)).read();
