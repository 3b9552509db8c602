/**
 * Stands in for SQD's portal, after its documentation: `POST /datasets/NAME/finalized-stream` answers with a line for
 * each block that has logs, and for the first and the last block that the answer covers; it may end before `toBlock`.
 */

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { onTestFinished } from "vitest";
import type { FakeChain } from "./fake-chain.ts";

const compress = promisify(gzip);

export interface PortalServerOptions {
  dataset: string;
  /** The last block that it has. */
  last: number;
  /** Blocks that an answer covers at most. */
  span?: number;
  /** Answers so many of the first requests in another way. */
  fault?: (response: ServerResponse, whole: Buffer) => void;
  faults?: number;
  /** Ends an answer's logs after so many, but not its blocks. */
  cutsAt?: number;
  /** Blocks without their logs, which nobody can notice. */
  omits?: ReadonlySet<number>;
  compressed?: boolean;
}

export interface PortalQuery {
  type: string;
  fromBlock: number;
  toBlock: number;
  fields: { block: Record<string, boolean>; log: Record<string, boolean> };
  logs: { address?: string[]; topic0?: string[]; topic1?: string[]; topic2?: string[]; topic3?: string[] }[];
}

/** Only what the query names, as the portal does. */
const picked = (values: Record<string, unknown>, fields: Record<string, boolean>) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]));

/** @returns the URL of its data sets, and the queries that it got */
export async function startPortal(chain: FakeChain, options: PortalServerOptions) {
  const queries: PortalQuery[] = [];
  let faults = options.faults ?? 0;

  function linesOf({ fromBlock, toBlock, fields, logs: filters }: PortalQuery): string {
    const to = Math.min(toBlock, options.last, fromBlock + (options.span ?? Number.POSITIVE_INFINITY) - 1);
    const byBlock = new Map<number, Record<string, unknown>[]>([
      [fromBlock, []],
      [to, []],
    ]);
    const { start, end } = chain.logsOf(fromBlock, to);
    let left = options.cutsAt ?? Number.POSITIVE_INFINITY;
    for (let index = start; index < end; index++) {
      const { block, address, topics, data, logIndex } = chain.log(index);
      const isWanted = filters.some((filter) => {
        const places = [filter.topic0, filter.topic1, filter.topic2, filter.topic3];
        return (
          (filter.address?.includes(address) ?? true) &&
          places.every((place, position) => place?.includes(topics[position]!) ?? true)
        );
      });
      if (!isWanted || options.omits?.has(block) || left-- <= 0) continue;
      const log = { address, topics, data, logIndex, transactionIndex: 0, transactionHash: chain.hashOf(block) };
      byBlock.set(block, [...(byBlock.get(block) ?? []), picked(log, fields.log)]);
    }
    const blocks = [...byBlock].sort(([a], [b]) => a - b);
    return blocks
      .map(([number, logs]) => {
        const header = picked({ number, hash: chain.hashOf(number), timestamp: chain.timeOf(number) }, fields.block);
        return `${JSON.stringify(logs.length > 0 ? { header, logs } : { header })}\n`;
      })
      .join("");
  }

  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method !== "POST" || request.url !== `/datasets/${options.dataset}/finalized-stream`) {
      const error = { type: "invalid_request_error", code: "unknown_dataset", message: `no ${request.url}` };
      response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      return;
    }
    const query = JSON.parse(body) as PortalQuery;
    queries.push(query);
    if (query.fromBlock > options.last) {
      response.writeHead(204, { "x-sqd-finalized-head-number": String(options.last) }).end();
      return;
    }
    const plain = Buffer.from(linesOf(query));
    const whole = options.compressed === false ? plain : await compress(plain);
    const encoding: Record<string, string> = options.compressed === false ? {} : { "content-encoding": "gzip" };
    if (faults-- > 0) {
      if (options.compressed !== false) response.setHeader("content-encoding", "gzip");
      options.fault!(response, whole);
      return;
    }
    response.writeHead(200, { "content-type": "application/jsonl", ...encoding }).end(whole);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/datasets`, queries };
}
