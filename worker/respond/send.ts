/** A keyed answer with an entity tag, and how it is sent. */

import type { Context } from "../context.ts";
import type { Body } from "../format/body.ts";
import { gzip } from "../format/gzip.ts";
import type { Timing } from "../observe/timing.ts";
import type { FormatFacts } from "../request/parameters/table-formats.ts";
import { isKnown } from "./etag.ts";
import { findKept, keeping } from "./kept.ts";
import { notModified, seriesResponse } from "./respond.ts";

/** An answer that is about to be sent. */
export interface Answer {
  /** Its strong entity tag. */
  tag: string;
  /** Points that it has at most, or roughly. */
  points: number;
  format: FormatFacts;
  /** The name under which clients save it; null if they show it. */
  file: string | null;
  /** Headers that a 304 has, too. */
  describe: (timings: string) => Record<string, string>;
  body: () => Promise<Body>;
}

/** A 304, the answer that has been kept, or a new one. */
export async function send(answer: Answer, request: Request, timing: Timing, context: Context): Promise<Response> {
  const { tag: strong, points, format, file, describe } = answer;
  const { entry } = context;
  const isCompressible = format.compressed && prefersGzip(request);
  // Compressed or not, the points are the same: one weak tag serves for both.
  const tag = isCompressible ? `W/${strong}` : strong;
  if (isKnown(request.headers.get("If-None-Match"), strong)) {
    return notModified(tag, describe(timing.header));
  }
  entry.cache = "memory";
  const keepable = { tag: strong, isCompressible, points, pointBytes: format.pointBytes };
  const kept = await findKept(keepable, context);
  if (kept !== null) {
    entry.sent = kept.sent;
    timing.step("data");
    return seriesResponse(kept.content, kept.isCompressed, format, tag, file, describe(timing.header));
  }
  const reading = answer.body();
  // If the client goes away, the reads that have begun still end, and give back what they hold.
  context.waitUntil(reading.catch(() => {}));
  const text = await reading;
  entry.sent = text.sent;
  timing.step("data");
  const compressed = isCompressible ? gzip(text, context.bindings.GZIP_POINTS) : null;
  const isCompressed = compressed !== null;
  const whole = compressed ?? text.content;
  const content = whole instanceof ReadableStream ? keeping(whole, isCompressed, text.sent, keepable, context) : whole;
  const response = seriesResponse(content, isCompressed, format, tag, file, describe(timing.header));
  // The answer has the bytes; what V8 still counted would wait for a collection.
  if (content instanceof Uint8Array) content.buffer.transfer(0);
  return response;
}

/** Whether a client takes gzip, and likes nothing less than an answer without a coding. */
export function prefersGzip(request: Request): boolean {
  // Cloudflare replaces the header that reaches a Worker, and keeps the client's here; empty if it sent none.
  const original = request.cf?.clientAcceptEncoding as string | undefined;
  const weights = new Map(weighted(original ?? request.headers.get("Accept-Encoding") ?? ""));
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}

/** The codings of Accept-Encoding, each with its weight from 0 to 1; NaN if that is not a number. */
function weighted(header: string): [coding: string, weight: number][] {
  return header
    .toLowerCase()
    .split(",")
    .map((element) => {
      const [coding = "", ...parameters] = element.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [coding, weight === undefined ? 1 : Number(weight.slice("q=".length))];
    });
}
