/** GET /v3/files/<ASSET>/<resolution>/<metric>/<file>: a file of any build, as long as it exists, or a range of it. */

import { readFile } from "../bucket/file.ts";
import type { Context } from "../context.ts";
import { missingFile } from "../locate/missing-file.ts";
import { Problem } from "../problems/problem.ts";
import { byteRange, excludes } from "../request/byte-range.ts";
import { filePath } from "../request/file-path.ts";
import { onlyRead } from "../request/method.ts";
import { upperCase, validateNone } from "../request/validate.ts";
import { fileAnswer, fileNotModified, fileTag } from "../respond/file.ts";
import { isKnown } from "../respond/respond.ts";
import { admit } from "./admit.ts";

export async function file(params: Record<string, string>, request: Request, context: Context): Promise<Response> {
  const wanted = filePath(params.resolution!, params.metric!, params.file!);
  const symbol = upperCase(params.asset!);
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
  const found = await readFile(symbol, wanted, range, isWanted, context);
  if (found === null) return missingFile(symbol, wanted, context);
  entry.asset = symbol;
  timing.step("data");
  if (isExcluded) throw new Problem("precondition-failed", `If-Match names other files than this one, ${tag}.`);
  const others = { ...limits, "Server-Timing": timing.header };
  if (isNotModified) return fileNotModified(tag, others);
  return fileAnswer(found, range !== null, symbol, wanted, others, context);
}
