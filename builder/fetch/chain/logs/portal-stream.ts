/** What is asked of SQD's portal, and the stream of lines that it answers with. */

import * as v from "valibot";
import { quantity } from "../hex.ts";
import type { StreamedAnswer } from "../rpc/exchange.ts";
import { NodeError, retryAfterMs } from "../rpc/failures.ts";
import { BadPage, type BlockRange, type LogFilter, type RawLog } from "./pages.ts";

/** Characters of a line, which is a block: none has more logs. */
const LONGEST_LINE = 256 * 1024 * 1024;

/** A line of the stream: a block that has logs, or that begins or ends what the stream covers. */
interface PortalBlock {
  header: { number: number; hash: string; timestamp: number };
  logs?: { address: string; topics: string[]; data: string; logIndex: number }[];
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** @throws {BadPage} */
export function parseLine(line: string): PortalBlock {
  let block: PortalBlock | undefined;
  try {
    block = JSON.parse(line) as PortalBlock;
  } catch {
    // Reported below.
  }
  const header = block?.header;
  if (!header || !isCount(header.number) || !isCount(header.timestamp) || typeof header.hash !== "string") {
    throw new BadPage("a line of its answer is not a block");
  }
  const { logs = [] } = block!;
  if (!Array.isArray(logs) || !logs.every((log) => isCount(log?.logIndex))) throw new BadPage("a log has no index");
  return block!;
}

export const rawLogs = ({ header, logs = [] }: PortalBlock): RawLog[] =>
  logs.map(({ address, topics, data, logIndex }) => ({
    address,
    topics,
    data,
    blockNumber: quantity(header.number),
    blockHash: header.hash,
    logIndex: quantity(logIndex),
    blockTimestamp: quantity(header.timestamp),
  }));

const asList = (value: string | readonly string[]) => (typeof value === "string" ? [value] : [...value]);

/** The filter as the portal takes it. */
export function portalQuery({ address, topics }: LogFilter, { from, to }: BlockRange): string {
  const logs: Record<string, string[]> = { address: asList(address).map((text) => text.toLowerCase()) };
  topics.forEach((topic, position) => {
    if (topic !== null) logs[`topic${position}`] = asList(topic).map((text) => text.toLowerCase());
  });
  return JSON.stringify({
    type: "evm",
    fromBlock: from,
    toBlock: to,
    fields: {
      block: { number: true, hash: true, timestamp: true },
      log: { address: true, topics: true, data: true, logIndex: true },
    },
    logs: [logs],
  });
}

/** The whole lines of a stream. What follows the last line end is a line that was cut short. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    if (rest.length > LONGEST_LINE) throw new BadPage("a line of its answer is too long");
    for (const part of parts) if (part.trim() !== "") yield part;
  }
  // The last line may lack its end.
  if (rest.trim() !== "") yield rest;
}

/** The first bytes of an answer, as text. */
export async function firstOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > 10_000) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

const errorSchema = v.object({
  error: v.nullish(v.object({ message: v.optional(v.unknown()), code: v.optional(v.unknown()) })),
});

/** What the portal's error says: `{"error": {"type", "code", "message"}}`; older ones answer with a text. */
export function refusal(
  { status, headers }: StreamedAnswer,
  body: string,
  redact: (text: string) => string,
): NodeError {
  let text = body.startsWith("<") ? "" : body;
  try {
    const { error } = v.parse(errorSchema, JSON.parse(body));
    text = [error?.message, error?.code].find((part) => typeof part === "string") ?? text;
  } catch {
    // A text.
  }
  const message = `${redact(text) || "it gives no reason"} (status ${status})`;
  const retryAfter = retryAfterMs(headers["retry-after"], Date.now());
  if (status === 401 || status === 403) return new NodeError("authentication", message);
  if (status === 429 || status === 529) return new NodeError("rate", message, { retryAfterMs: retryAfter });
  if (status === 400 || status === 404 || status === 405) return new NodeError("invalid", message);
  return new NodeError("garbled", message, { retryAfterMs: retryAfter });
}
