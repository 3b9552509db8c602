/** The shapes of transfers that are recognised. Source: docs/building.md#files-of-other-tools. */

import { indexInId, logColumns, number, scaled } from "./made-cells.ts";
import { type Made, optional, renamed, type Shape } from "./shape.ts";

const TIME_NAMES = ["block_timestamp", "block_time", "timestamp", "block_signed_at"];
const HASH_NAMES = ["transaction_hash", "tx_hash", "evt_tx_hash", "hash"];

/** Times, where a file has them: else files of blocks do. */
const time = optional(number(...TIME_NAMES));
const transaction = optional(renamed(...HASH_NAMES));
const block = renamed("block_number");
const parties = { from_address: renamed("from_address"), to_address: renamed("to_address") };
const LOG_BLOCK = number("block_number", "block_height");
const LOG_INDEX = number("log_index", "event_index", "log_offset", "index");
const LOG_CONTRACT = "address|contract_address|sender_address";

const logShape = (topics: "listed" | "apart", name: string, what: string): Shape => ({
  name,
  what,
  columns: {
    block_number: LOG_BLOCK,
    log_index: LOG_INDEX,
    block_timestamp: time,
    transaction_hash: transaction,
    ...logColumns(LOG_CONTRACT, topics),
  },
});

/** Amounts as Snowflake's tables have them: as text, or else as numbers, which are refused where they lose digits. */
const warehouse = (name: string, what: string, index: Made, contract: string, value: Record<string, Made>): Shape => ({
  name,
  what,
  columns: {
    block_number: block,
    log_index: index,
    block_timestamp: renamed("block_timestamp"),
    token_address: renamed(contract),
    ...parties,
    transaction_hash: transaction,
    ...value,
  },
});

const LACKS_INDEX = "which lacks the log index, so transfers of one transaction can't be told apart";
const INSTEAD_OF_ETHERSCAN =
  "request the logs instead (module=logs&action=getLogs), as docs/building.md#files-of-other-tools shows";

/** The first that fits counts: those that need more stand before those that need less. */
export const TRANSFER_SHAPES: readonly Shape[] = [
  logShape(
    "listed",
    "logs",
    "raw logs with a list of topics (eth_getLogs, Etherscan's getLogs, ethereum-etl, Covalent)",
  ),
  logShape("apart", "logs-by-topic", "raw logs with a column for each topic (cryo, Dune, Flipside)"),
  {
    name: "ethereum-etl-v2",
    what: "token transfers of ethereum-etl, second schema",
    tells: ["token_type"],
    columns: {
      block_number: block,
      log_index: renamed("log_index"),
      block_timestamp: optional(renamed("block_timestamp")),
      token_address: renamed("contract_address"),
      ...parties,
      value_hex: renamed("amount"),
    },
  },
  {
    name: "bigquery-blockchain-analytics",
    what: "token transfers of Google's Blockchain Analytics",
    columns: {
      block_number: block,
      log_index: renamed("event_index"),
      block_timestamp: optional(renamed("block_timestamp")),
      token_address: renamed("address"),
      ...parties,
      value_hex: renamed("quantity"),
    },
  },
  {
    name: "dune-evt",
    what: "a decoded table evt_Transfer of Dune",
    columns: {
      block_number: renamed("evt_block_number"),
      log_index: renamed("evt_index"),
      block_timestamp: optional(renamed("evt_block_time")),
      token_address: optional(renamed("contract_address")),
      from_address: renamed("from", "src", "sender"),
      to_address: renamed("to", "dst", "recipient", "receiver"),
      value: renamed("value", "wad", "amount", "tokens", "rawAmount"),
      transaction_hash: optional(renamed("evt_tx_hash")),
    },
  },
  {
    name: "dune-tokens-transfers",
    what: "rows of Dune's tokens.transfers",
    columns: {
      block_number: block,
      log_index: renamed("evt_index"),
      block_timestamp: optional(renamed("block_time")),
      token_address: renamed("contract_address"),
      from_address: renamed("from"),
      to_address: renamed("to"),
      value: renamed("amount_raw"),
      transaction_hash: transaction,
    },
  },
  {
    name: "dune-tokens-transfers-rounded",
    what: "rows of Dune's tokens.transfers without amount_raw",
    tells: ["evt_index", "amount", "contract_address"],
    columns: { from_address: renamed("from"), to_address: renamed("to") },
    refused: "whose amount is a rounded number: select amount_raw as well",
  },
  warehouse("flipside", "token transfers of Flipside", renamed("event_index", "log_index"), "contract_address", {
    value: renamed("raw_amount_precise", "raw_amount"),
  }),
  warehouse(
    "flipside-scaled",
    "token transfers of Flipside in whole tokens",
    renamed("event_index", "log_index"),
    "contract_address",
    {
      value: scaled("amount_precise"),
    },
  ),
  warehouse("allium", "token transfers of Allium", renamed("log_index"), "token_address", {
    value: renamed("raw_amount_str", "raw_amount"),
  }),
  warehouse("allium-scaled", "token transfers of Allium in whole tokens", renamed("log_index"), "token_address", {
    value: scaled("amount_str"),
  }),
  {
    name: "covalent-transfers",
    what: "transfers of Covalent (GoldRush)",
    tells: ["block_signed_at", "tx_hash", "transfers|delta"],
    columns: {},
    refused: `${LACKS_INDEX}: request the log events of the contract instead (events/address/0x…), as docs/building.md#files-of-other-tools shows`,
  },
  {
    name: "blockscout",
    what: "token transfers of Blockscout's API",
    columns: {
      block_number: block,
      log_index: renamed("log_index"),
      block_timestamp: optional(renamed("timestamp")),
      token_address: optional(renamed("token.address_hash", "token.address")),
      from_address: renamed("from.hash"),
      to_address: renamed("to.hash"),
      value: renamed("total.value"),
      transaction_hash: transaction,
    },
  },
  {
    name: "blockscout-csv",
    what: "a CSV of Blockscout's token transfers",
    tells: ["TxHash", "TokensTransferred", "TokenContractAddress"],
    columns: {},
    refused: `${LACKS_INDEX}: use its API (/api/v2/tokens/0x…/transfers), as docs/building.md#files-of-other-tools shows`,
  },
  {
    name: "etherscan-csv",
    what: "a CSV of Etherscan's token transfers",
    tells: [
      "Transaction Hash|Txhash",
      "UnixTimestamp|DateTime|DateTime (UTC)",
      "Quantity|TokenValue|Value|Amount",
      "From",
      "To",
    ],
    columns: {},
    refused: `which lacks the log index and has amounts that were scaled and rounded: ${INSTEAD_OF_ETHERSCAN}`,
  },
  {
    name: "events",
    what: "decoded events with the names of JSON APIs (Blockscout's tokentx, viem, ethers, subgraphs with a log index)",
    columns: {
      block_number: number("blockNumber", "block"),
      log_index: number("logIndex"),
      block_timestamp: time,
      token_address: optional(renamed("contractAddress", "tokenAddress", "address", "contract")),
      from_address: renamed("from", "from.id", "args.from", "from_address"),
      to_address: renamed("to", "to.id", "args.to", "to_address"),
      value_hex: renamed("valueExact", "value", "args.value"),
      transaction_hash: transaction,
    },
  },
  {
    name: "the-graph",
    what: "Transfer entities of a subgraph (The Graph)",
    tells: ["transactionHash"],
    columns: {
      block_number: renamed("blockNumber"),
      log_index: indexInId,
      block_timestamp: optional(renamed("blockTimestamp", "timestamp")),
      from_address: renamed("from", "from.id"),
      to_address: renamed("to", "to.id"),
      value: renamed("value"),
    },
  },
  {
    name: "etherscan-tokentx",
    what: "an answer of Etherscan's tokentx",
    tells: ["blockNumber", "timeStamp", "from", "to", "value", "tokenDecimal"],
    columns: {},
    refused: `${LACKS_INDEX}: ${INSTEAD_OF_ETHERSCAN}`,
  },
];

/** The plain form, by whose files have it: told, but read as it is. */
export const PLAIN_TRANSFERS: readonly Shape[] = [
  {
    name: "cryo",
    what: "transfers of cryo",
    tells: ["value_binary|value_string", "erc20"],
    columns: {},
  },
  {
    name: "ethereum-etl",
    what: "token transfers of ethereum-etl or BigQuery",
    tells: ["token_address", "value", "transaction_hash"],
    columns: {},
  },
  { name: "plain", what: "the plain form", columns: {} },
];
