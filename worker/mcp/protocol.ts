/**
 * The Model Context Protocol over stateless streamable HTTP, its revision 2026-07-28 and those of 2025, as the library
 * speaks it.
 */

import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { asProblem, logFailure, type Sent } from "../observe/log.ts";
import { Problem } from "../problems/problem.ts";
import { MOST_SUBREQUESTS } from "../read/plan-table.ts";
import { VERSION } from "../version.ts";
import { inputSchema } from "./arguments.ts";
import { bytesOf, resultOf, type ToolAnswer } from "./tool-answer.ts";
import { callTool, TOOLS, type Tool } from "./tools.ts";

/** The most bytes of a request's body. */
const MOST_BYTES = 64 << 10;

/** Messages in one request: revision 2025-03-26 has batches. */
const MOST_MESSAGES = 10;

/** How often an answer is held until it is sent: as values, and as text. */
const COPIES = 2;

/** Values of `allowed` that an error repeats. */
const MOST_ALLOWED = 120;

const INSTRUCTIONS =
  "Soprano has on-chain metrics of ERC-20 tokens: realised and unrealised profit and loss, SOPR, supply, holders, volume, exchange and contract flows, by address cohort. Find assets with list_assets and metrics with find_metrics, then read_series; read_holders lists addresses. All times are UTC.";

/** What the client is told of the tools. */
const LISTED = TOOLS.map(({ name, title, description, takes, gives }) => ({
  name,
  title,
  description,
  inputSchema: inputSchema(takes),
  outputSchema: { type: "object" as const, properties: gives },
  annotations: { readOnlyHint: true, openWorldHint: false },
}));

/** An answer; without a body, it only says that a message has arrived. */
export interface McpAnswer {
  status: number;
  mediaType: string | null;
  body: Uint8Array | null;
  sent: Sent;
}

/**
 * Answers a message, or a batch of them.
 *
 * @param countMessage counts a message, after the first of the request, against the key's plan
 * @throws {Problem} 413 the body is too long; what `countMessage` throws
 */
export async function answerMcp(
  request: Request,
  countMessage: () => Promise<unknown>,
  context: Context,
): Promise<McpAnswer> {
  let message: unknown;
  try {
    message = JSON.parse(await bodyOf(request));
  } catch (error) {
    if (error instanceof Problem) throw error;
    return refusal(ProtocolErrorCode.ParseError, "The body is not JSON.");
  }
  const { length } = [message].flat();
  if (length > MOST_MESSAGES) {
    return refusal(ProtocolErrorCode.InvalidRequest, `A batch has up to ${MOST_MESSAGES} messages.`);
  }
  for (let others = 1; others < length; others++) await countMessage();
  let failure: unknown;
  const sent: Sent = { points: 0, bytes: 0 };
  // The calls of a batch are one request to the store.
  const shared = { ...context, reads: { left: MOST_SUBREQUESTS } };
  // Answers are held until those of the whole batch are there.
  const lease = new Lease(context.isolate.budget, context.now, context.entry.owner);
  let held = 0;
  const hold = (answer: ToolAnswer) => {
    const bytes = COPIES * bytesOf(answer);
    lease.reserve(bytes, true);
    held += bytes;
  };
  const handler = createMcpHandler(() => serverOf(sent, hold, shared), {
    // There is nothing to listen to, and every answer ends by itself.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => {
      failure = error;
    },
  });
  const [bytes, { status, headers }] = await wholeOf(handler.fetch(request, { parsedBody: message })).finally(() =>
    lease.release(held),
  );
  sent.bytes = bytes.length;
  if (status >= 500) logFailure("mcp", failure, context.entry.id);
  return { status, mediaType: headers.get("Content-Type"), body: bytes.length === 0 ? null : bytes, sent };
}

/** @throws {Problem} 413 */
async function bodyOf({ body }: Request): Promise<string> {
  let text = "";
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Problem("body-too-long", `A request has up to ${MOST_BYTES} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The bytes of a response, and the response. */
async function wholeOf(responding: Promise<Response>): Promise<[Uint8Array, Response]> {
  const response = await responding;
  return [await response.bytes(), response];
}

/** An error of the request as a whole. */
function refusal(code: number, message: string): McpAnswer {
  const body = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
  return { status: 400, mediaType: "application/json", body, sent: { points: 0, bytes: body.length } };
}

/** A server for one request; `sent` counts the points of its answers, and `hold` their bytes. */
function serverOf(sent: Sent, hold: (answer: ToolAnswer) => void, context: Context): Server {
  const server = new Server(
    { name: "soprano", title: "Soprano", version: VERSION, websiteUrl: context.origin },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: LISTED }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: given = {} } }) => {
    const tool = TOOLS.find((one) => one.name === name);
    if (tool === undefined) {
      const names = TOOLS.map((one) => one.name);
      const meant = nearest(name, names);
      const hint = meant === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${meant}?`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool. ${hint}`);
    }
    context.entry.tool = tool.name;
    try {
      const answer = await callTool(tool, given, context);
      sent.points += answer.points ?? 0;
      hold(answer);
      return resultOf(answer);
    } catch (error) {
      const problem = asProblem(error, context.entry);
      return { content: [{ type: "text", text: sentencesOf(problem, tool) }], isError: true };
    }
  });
  return server;
}

/** A problem as a model can act on it, in the names of the tool's arguments. */
function sentencesOf({ type, message, facts }: Problem, { parameters }: Tool): string {
  const { parameter, allowed } = facts;
  const own = Object.entries(parameters).find(([name]) => name === parameter)?.[1];
  // Who gives the API's name of an argument, such as c, is told the tool's.
  const isUnknown = type === "unknown-parameter";
  const argument = isUnknown ? parameter : (own ?? parameter);
  const suggestion = isUnknown ? (own ?? facts.suggestion) : facts.suggestion;
  const more = (allowed?.length ?? 0) - MOST_ALLOWED;
  return [
    argument === undefined ? message : `${argument}: ${message}`,
    suggestion === undefined ? "" : `Did you mean ${suggestion}?`,
    allowed === undefined
      ? ""
      : `Allowed: ${allowed.slice(0, MOST_ALLOWED).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
