/** The rows of a checkpoint as its file has them, and back. Source: docs/formats.md#checkpoints. */

import { crossBits, packBeside, unpackBeside } from "../../../data-schema/holders.ts";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { isZero } from "../../engine/history.ts";
import type { Layout, Rows } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { CheckpointRows } from "./checkpoint-rows.ts";

/** The columns that readers need, in the order in which they lie side by side. @param words 32-bit words of each balance */
export const servedLayout = (words: number) =>
  ({
    address: ["split u8", ADDRESS_BYTES],
    label: "u8 as i32",
    balance: ["u32", words],
    basis: "f64",
    sinceBits: ["u32", 2],
    firstEvent: "u32",
    receiptAfter: "u32",
    sendBeside: "u32",
    realised: "f64",
    sent: "f64",
    receipts: "split u32",
    sends: "split u32",
    cohorts: "u32",
  }) as const satisfies Layout;

/** All columns of a checkpoint. */
export const checkpointLayout = (words: number) =>
  ({ ...servedLayout(words), depositBeside: "split u32" }) as const satisfies Layout;

type StoredRows = Rows<ReturnType<typeof checkpointLayout>>;

/** The day whose distance from the last deposit's is stored: that of the last event. */
const dayOfLast = (lastSend: number, lastReceipt: number) =>
  Math.floor(Math.max(lastSend, lastReceipt) / BUCKET_SECONDS.day);

export function packRows(given: CheckpointRows): StoredRows {
  const { rows, addresses, labels, balances, since, lastSend, lastReceipt, lastDeposit, ...others } = given;
  const words = balances.length / labels.length;
  const sinceBits = new Uint32Array(since.slice(0, rows).buffer);
  const firstEvent = new Uint32Array(rows);
  const receiptAfter = new Uint32Array(rows);
  const sendBeside = new Uint32Array(rows);
  const depositBeside = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const [first, send, receipt, deposit] = [
      others.firstEvent[row]!,
      lastSend[row]!,
      lastReceipt[row]!,
      lastDeposit[row]!,
    ];
    if (!isZero(balances, words * row, words)) crossBits(sinceBits, row, receipt);
    firstEvent[row] = first;
    receiptAfter[row] = receipt - first;
    if (send >= 0) sendBeside[row] = packBeside(send, receipt);
    if (deposit > 0) depositBeside[row] = packBeside(deposit, dayOfLast(send, receipt));
  }
  return {
    ...others,
    address: addresses,
    label: labels,
    balance: balances,
    sinceBits,
    firstEvent,
    receiptAfter,
    sendBeside,
    depositBeside,
  };
}

export function unpackRows({ count, ...stored }: { count: number } & StoredRows): CheckpointRows {
  const { address, label, balance, sinceBits, receiptAfter, sendBeside, depositBeside, ...others } = stored;
  const words = balance.length / count;
  const lastSend = new Float64Array(count);
  const lastReceipt = new Float64Array(count);
  const lastDeposit = new Uint32Array(count);
  for (let row = 0; row < count; row++) {
    const receipt = (others.firstEvent[row]! + receiptAfter[row]!) >>> 0;
    const send = unpackBeside(sendBeside[row]!, receipt) ?? -1;
    lastReceipt[row] = receipt;
    lastSend[row] = send;
    lastDeposit[row] = unpackBeside(depositBeside[row]!, dayOfLast(send, receipt)) ?? 0;
    if (!isZero(balance, words * row, words)) crossBits(sinceBits, row, receipt);
  }
  return {
    ...others,
    rows: count,
    addresses: address,
    labels: label,
    balances: balance,
    since: new Float64Array(sinceBits.buffer, sinceBits.byteOffset, count),
    firstEvent: Float64Array.from(others.firstEvent),
    lastSend,
    lastReceipt,
    lastDeposit,
  };
}
