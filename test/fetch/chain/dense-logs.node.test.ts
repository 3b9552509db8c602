import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { TRANSFER } from "./fake-chain.ts";
import { CONTRACT } from "./faulty-node.ts";

const LOGS = 2_000;
const BLOCKS = 80;

/** A node whose blocks have 2,000 transfers each, 1.2 MB, from one on. It sends them as the reader takes them. */
async function startDenseNode(first: number) {
  const word = (value: number) => value.toString(16).padStart(64, "0");
  const hex = (value: number) => `0x${value.toString(16)}`;
  const transaction = `"transactionHash":"0x${word(7)}","transactionIndex":"0x1","removed":false`;
  const blockOf = (block: number) =>
    Array.from(
      { length: LOGS },
      (_, index) =>
        `{"address":"${CONTRACT}","topics":["${TRANSFER}","0x${word(index)}","0x${word(index + 1)}"],"data":"0x${word(index)}",` +
        `"blockNumber":"${hex(block)}","blockHash":"0x${word(block)}","blockTimestamp":"0x65000000",${transaction},` +
        `"logIndex":"${hex(index)}"}`,
    ).join(",");
  const sent = { largest: 0, left: 0 };
  const server = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as {
      id: number;
      method: string;
      params: [{ fromBlock: string; toBlock: string }];
    };
    if (method !== "eth_getLogs") {
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x1" : "0xffffff" }));
      return;
    }
    const [{ fromBlock, toBlock }] = params;
    let bytes = 0;
    const pieces = function* () {
      yield `{"jsonrpc":"2.0","id":${id},"result":[`;
      for (let block = Math.max(first, Number(fromBlock)); block <= Number(toBlock); block++) {
        const text = `${bytes > 0 ? "," : ""}${blockOf(block)}`;
        bytes += text.length;
        yield text;
      }
      yield "]}";
    };
    await pipeline(Readable.from(pieces()), response).catch(() => sent.left++);
    sent.largest = Math.max(sent.largest, bytes);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

const program = fileURLToPath(new URL("read-logs.ts", import.meta.url));

async function readDense(first: number) {
  const { url, sent } = await startDenseNode(first);
  const args = [program, url, CONTRACT, 1, first + BLOCKS - 1].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return { ...(JSON.parse(stdout) as { transfers: number; connected: number; peak: number }), sent };
}

describe("blocks with thousands of logs", () => {
  it.each([
    ["from the first block on", 1],
    ["after many without any", 300_000],
  ])("are read in flat memory %s", async (_, first) => {
    const { transfers, connected, peak, sent } = await readDense(first);
    expect(transfers).toBe(BLOCKS * LOGS);
    expect(sent.left).toBeGreaterThan(0);
    // Left while they arrive: 8 MB, and what the sockets hold.
    expect(sent.largest).toBeLessThan(24 * 2 ** 20);
    expect(peak - connected).toBeLessThan(200);
  });
});
