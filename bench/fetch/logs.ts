/** Made-up logs of transfers, as texts of the length that geth sends. */

import { createHash } from "node:crypto";

export const GENESIS = 1_577_836_800;
export const FETCH_BLOCK_SECONDS = 12;
export const CONTRACT = `0x${"70".repeat(20)}`;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const ADDRESSES = 5_000;

const digits = (name: string, length: number) => createHash("sha256").update(name).digest("hex").slice(0, length);
const topic = (index: number) => `0x${digits(`address ${index % ADDRESSES}`, 40).padStart(64, "0")}`;

/** The texts of a log around its block's number, hash and time. */
export type LogPieces = [string, string, string, string];

/** The logs of a block. */
export function preparedLogs(count: number, set: number): LogPieces[] {
  return Array.from({ length: count }, (_, index): LogPieces => {
    const seed = count * set + index;
    const data = digits(`value ${seed}`, 18).padStart(64, "0");
    return [
      `{"address":"${CONTRACT}","topics":["${TRANSFER}","${topic(seed)}","${topic(7 * seed + 1)}"],"data":"0x${data}","blockNumber":"`,
      `","transactionHash":"0x${digits(`transaction ${seed}`, 64)}","transactionIndex":"0x${index.toString(16)}","blockHash":"`,
      `","blockTimestamp":"`,
      `","logIndex":"0x${(2 * index).toString(16)}","removed":false}`,
    ];
  });
}

/** The logs of consecutive blocks, as the result of eth_getLogs. */
export function logsOfBlocks(first: number, blocks: number, logsPerBlock: number): string {
  const texts: string[] = [];
  for (let block = first; block < first + blocks; block++) {
    const hash = `0x${block.toString(16).padStart(64, "b")}`;
    for (const [before, between, behind, end] of preparedLogs(logsPerBlock, block % 64)) {
      const time = `0x${(GENESIS + FETCH_BLOCK_SECONDS * block).toString(16)}`;
      texts.push(`${before}0x${block.toString(16)}${between}${hash}${behind}${time}${end}`);
    }
  }
  return `[${texts.join(",")}]`;
}
