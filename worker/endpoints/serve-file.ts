/** GET /v3/files/<ASSET>/<resolution>/<metric>/<file>: a file of any build, as long as it exists, or a range of it. */

import { type Manifest, namePart } from "../../data-schema/stored.ts";
import { placeName } from "../bucket/ranges.ts";
import { readFile, type StoredFile } from "../bucket/stream-file.ts";
import type { Context } from "../context.ts";
import { filePlaces, sameFile } from "../locate/file-places.ts";
import { refuseGone, withManifest } from "../locate/locate.ts";
import { damaged, Problem } from "../problems/problem.ts";
import { type ByteRange, byteRange, excludes } from "../request/byte-range.ts";
import { type FilePath, filePath, filesPath, pathOf } from "../request/file-path.ts";
import { onlyRead } from "../request/method.ts";
import { upperCase, validateNone } from "../request/validate.ts";
import { fileTag, isKnown } from "../respond/etag.ts";
import { fileAnswer, fileNotModified } from "../respond/file-answer.ts";
import { admit } from "./admit.ts";

export async function serveFile(params: Record<string, string>, request: Request, context: Context): Promise<Response> {
  const wanted = filePath(params.resolution!, params.metric!, params.file!);
  const named = upperCase(params.asset!);
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  validateNone(parameters);
  entry.metric = wanted.metric;
  entry.resolution = wanted.resolution;
  entry.format = "parquet";
  const { headers, method } = request;
  const tag = fileTag(wanted);
  const isExcluded = excludes(headers.get("If-Match"), tag);
  const isNotModified = !isExcluded && isKnown(headers.get("If-None-Match"), tag);
  const isWanted = method === "GET" && !isExcluded && !isNotModified;
  const range = isWanted ? byteRange(headers, tag) : null;
  const active = await refuseGone(named, context);
  const { symbol = named } = active ?? {};
  const found = await findFile(symbol, wanted, active, range, isWanted, context);
  if (found === null) return missingFile(symbol, wanted, context);
  entry.asset = symbol;
  timing.step("data");
  if (isExcluded) throw new Problem("precondition-failed", `If-Match names other files than this one, ${tag}.`);
  const others = { ...limits, "Server-Timing": timing.header };
  if (isNotModified) return fileNotModified(tag, others);
  return fileAnswer(found, range !== null, symbol, wanted, others, context);
}

/** @throws {Problem} 500, 503 as `readFile` */
async function findFile(
  symbol: string,
  path: FilePath,
  active: Manifest | null,
  range: ByteRange | null,
  isWanted: boolean,
  context: Context,
): Promise<StoredFile | null> {
  for await (const place of filePlaces(symbol, path, active, context)) {
    const found = await readFile(place, range, isWanted, context);
    if (found) return found;
  }
  return null;
}

/**
 * The successor of a missing file is the one of its metric and period in the active build.
 *
 * @throws {Problem} 404 there is no such asset or file; 500 the active build has it; 503 the store is out of reach
 */
function missingFile(symbol: string, file: FilePath, context: Context): Promise<never> {
  return withManifest(symbol, context, async (manifest) => {
    const active = sameFile(manifest, file);
    if (active && namePart(active.entry.hash) === file.hash) throw damaged(`${placeName(active)} is missing`);
    const detail = "There is no such file, or no longer: GET /v3/files/<ASSET> lists those there are.";
    throw new Problem("unknown-file", detail, { suggestion: active && `${filesPath(symbol)}/${pathOf(active)}` });
  });
}
