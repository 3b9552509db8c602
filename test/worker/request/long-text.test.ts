/** Whatever reads a text of a request takes time in proportion to its length. `npm run hostile` asks the same of whole requests. */

import { describe, expect, it } from "vitest";
import { tokenise } from "../../../data-schema/formula/tokens.ts";
import { parseInstant } from "../../../data-schema/text/instant.ts";
import { nearest } from "../../../data-schema/text/nearest.ts";
import { parseRelative } from "../../../data-schema/text/relative.ts";
import { cardOf } from "../../../worker/chart-link/card.ts";
import { readLine } from "../../../worker/chart-link/line.ts";
import { refuseForeignPages } from "../../../worker/endpoints/serve-mcp.ts";
import { requestId } from "../../../worker/observe/log.ts";
import { byteRange, excludes } from "../../../worker/request/byte-range.ts";
import { filePath } from "../../../worker/request/file-path.ts";
import { networkOf } from "../../../worker/request/limit.ts";
import { readFormulas } from "../../../worker/request/parameters/formula-parameter.ts";
import { validateBefore } from "../../../worker/request/parameters/page-parameters.ts";
import { route, unknownPath } from "../../../worker/request/route.ts";
import { validateTable } from "../../../worker/request/table-query.ts";
import { validate } from "../../../worker/request/validate.ts";
import { isKnown } from "../../../worker/respond/etag.ts";
import { prefersGzip } from "../../../worker/respond/send.ts";
import { longText, PATTERNS, tooSlow } from "../../hostile/long-text.ts";

const LENGTH = 20_000;

const inHeader = (name: string, text: string) => new Request("http://localhost/mcp", { headers: { [name]: text } });
const table = (name: string, text: string) => validateTable(new URLSearchParams({ a: "A", m: "sopr", [name]: text }));
const series = route("v1", "sopr");

const READERS: Record<string, (text: string) => unknown> = {
  Range: (text) => byteRange(new Headers({ Range: `bytes=${text}` }), ""),
  "If-Match": (text) => excludes(text, '"a"'),
  "If-None-Match": (text) => isKnown(text, '"a"'),
  "Accept-Encoding": (text) => prefersGzip(inHeader("Accept-Encoding", text)),
  Origin: (text) => refuseForeignPages(inHeader("Origin", `https://${text}`)),
  "CF-Ray": (text) => requestId(new Headers({ "CF-Ray": text })),
  "an address": networkOf,
  "a path": (text) => unknownPath(`/${text}`, []),
  "a version": (text) => route(text, "sopr"),
  "a metric": (text) => route("v1", text),
  "a file": (text) => filePath("day", "sopr", text),
  "an own cohort's file": (text) => filePath("day", text, "all.parquet"),
  "a parameter of series": (text) => validate(series, new URLSearchParams({ [text]: "" })),
  ...Object.fromEntries(
    ["a", "s", "r", "c", "f"].map((name): [string, (text: string) => unknown] => [
      `${name} of series`,
      (text) => validate(series, new URLSearchParams({ a: "A", [name]: text })),
    ]),
  ),
  ...Object.fromEntries(
    ["a", "m", "x", "c", "s", "last", "build", "known", "f"].map((name): [string, (text: string) => unknown] => [
      `${name} of tables`,
      (text) => table(name, text),
    ]),
  ),
  "selectors of own cohorts": (text) => table("c", `@${text}`),
  "a named formula": (text) => readFormulas(`a${text}=price`),
  "an open quote": (text) => readFormulas(`price+"${text}`),
  "a formula's tokens": tokenise,
  "a selector in a formula": (text) => tokenise(`supply:${text}`),
  "dollars in a formula": (text) => tokenise(`supply:$1-${text}`),
  "a time": parseInstant,
  "a date": (text) => parseInstant(`2025-01-01T00:00${text}`),
  "a span": parseRelative,
  "a page": (text) => validateBefore(new URLSearchParams({ before: text })),
  "a misspelt name": (text) => nearest(text, ["sopr", text.slice(1)]),
  "a line of a chart": readLine,
  "a family of a chart": (text) => readLine(`supply:*${text}`),
  "parts of a family": (text) => readLine(`supply:*age:off=${text}`),
  "a formula of a chart": (text) => readLine(`=${text}`),
  "a link to a chart": (text) => cardOf(`?a=A&y=sopr&${text}`),
};

describe.each(Object.entries(READERS))("%s", (_, read) => {
  it("takes time in proportion to its length", async () => {
    const slow: string[] = [];
    for (const pattern of PATTERNS) {
      const problem = await tooSlow(LENGTH, (length) => {
        const text = longText(pattern, length);
        const begun = performance.now();
        try {
          read(text);
        } catch {
          // Refusing it takes time, too.
        }
        return performance.now() - begun;
      });
      if (problem !== undefined) slow.push(`${JSON.stringify(pattern)}: ${problem}`);
    }
    expect(slow).toEqual([]);
  });
});
