/** What a server answers to requests that are malformed or odd, byte by byte: docs/api.md#answers-from-in-front-of-the-worker. */

import { rmSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { headers } from "../../explorer/headers.ts";
import { type RunningServer, serve } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";

const folder = newFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await serve(folder);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const HOST = "Host: 127.0.0.1\r\n";

/** Sends a request as it is; the status, the headers and the body of its answer. */
async function send(head: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  connect(Number(new URL(server.url).port), "127.0.0.1")
    .setEncoding("latin1")
    .on("data", (data) => (text += data))
    .on("error", reject)
    .on("close", () => resolve(text))
    .write(`${head}Connection: close\r\n\r\n`);
  const [first, ...rest] = (await promise).split("\r\n\r\n");
  const [status, ...lines] = first!.split("\r\n");
  const received = new Headers(lines.map((line) => line.split(": ", 2) as [string, string]));
  return { status: Number(status!.split(" ")[1]), headers: received, body: rest.join("\r\n\r\n") };
}

it.each([
  ["a raw < in the query", `GET /v1/metrics/sopr?c=<1d HTTP/1.1\r\n${HOST}`, 400],
  ["a raw space", `GET /v1/metrics/a b HTTP/1.1\r\n${HOST}`, 400],
  ["a header without a colon", `GET /health HTTP/1.1\r\n${HOST}colon\r\n`, 400],
  ["a malformed length", `GET /health HTTP/1.1\r\n${HOST}Content-Length: -1\r\n`, 400],
  ["no host", "GET /health HTTP/1.1\r\n", 400],
  ["an empty host", "GET /health HTTP/1.1\r\nHost:\r\n", 400],
  ["a malformed host", "GET /health HTTP/1.1\r\nHost: a b\r\n", 500],
  ["two hosts", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 500],
  ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n", 500],
  ["a long URL", `GET /health?${"a".repeat(65_536)} HTTP/1.1\r\n${HOST}`, 414],
  ["an unknown method", `FOO /health HTTP/1.1\r\n${HOST}`, 501],
  ["a method in lower case", `get /health HTTP/1.1\r\n${HOST}`, 501],
  ["no coding that could be sent", `GET /v1/metrics HTTP/1.1\r\n${HOST}Accept-Encoding: identity;q=0\r\n`, 415],
])("%s is answered in front of the Worker", async (_, head, status) => {
  const response = await send(head);
  expect([response.status, response.headers.get("X-Request-Id")]).toEqual([status, null]);
  expect(response.body).not.toMatch(/node_modules|\bat /);
});

it.each(["/%", "/v1/metrics/%", "/%ff", "/v1/metrics/%zz", '/v1/metrics/a"b'])(
  "%s is a problem document",
  async (path) => {
    const { status, headers } = await send(`GET ${path} HTTP/1.1\r\n${HOST}`);
    expect([status, headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  },
);

/** The headers of all pages, as explorer/headers.ts writes them. */
const PAGE_HEADERS = [
  ...headers()
    .split("/docs")[0]!
    .matchAll(/^ {2}([\w-]+): (.*)$/gm),
].map(([, name, value]) => [name!.toLowerCase(), value!]);

it("the page with the card of its link has the headers of its file, and is revalidated", async () => {
  const asked = `GET /?a=SHELL&y=sopr HTTP/1.1\r\n${HOST}`;
  const page = await send(asked);
  expect(page.status).toBe(200);
  expect(page.body).toContain('<meta property="og:title" content="SHELL: SOPR">');
  expect(page.body).toMatch(/<meta property="og:image" content="http:\/\/127.0.0.1\/static\/card-\w+.png">/);
  const { etag, ...others } = Object.fromEntries(page.headers);
  // The headers of a page that the Worker has no part in.
  const { etag: _, ...ofFile } = Object.fromEntries((await send(`GET /methodology HTTP/1.1\r\n${HOST}`)).headers);
  const own = ["content-length", "transfer-encoding", "x-request-id"];
  const comparable = (all: object) =>
    Object.entries(all)
      .filter(([name]) => !own.includes(name))
      .toSorted();
  expect(comparable(others)).toEqual(comparable(ofFile));
  expect(PAGE_HEADERS.length).toBe(4);
  expect(Object.entries(others)).toEqual(expect.arrayContaining(PAGE_HEADERS));
  const known = await send(`${asked}If-None-Match: ${etag}\r\n`);
  expect([known.status, known.body, known.headers.get("etag")]).toEqual([304, "", etag]);
  expect([...known.headers]).toEqual(expect.arrayContaining(PAGE_HEADERS));
});

it.each([
  ["/index.html", 307, "/"],
  ["/embed.html", 307, "/embed"],
  ["/assets.html", 307, "/assets"],
  ["/assets/", 307, "/assets"],
  ["/boards.html", 307, "/boards"],
  ["/boards/", 307, "/boards"],
  ["/boards/valuation.html", 404, null],
  ["/boards/valuation/", 404, null],
  ["/boards/none", 404, null],
  ["/boards", 200, null],
  ["/boards/valuation", 200, null],
  ["/docs.html", 307, "/docs"],
  ["/docs/", 307, "/docs"],
  ["/methodology.html", 307, "/methodology"],
  ["/methodology/", 307, "/methodology"],
  ["/", 200, null],
  ["/embed", 200, null],
  ["/assets", 200, null],
  ["/docs", 200, null],
  ["/methodology", 200, null],
  ["//", 404, null],
  ["//docs", 404, null],
  ["//example.com/docs", 404, null],
  ["/%64ocs", 404, null],
  ["/index", 404, null],
  ["/docs/index.html", 404, null],
  ["/index.html/", 404, null],
  ["/docs//", 404, null],
])("%s repeats no query", async (path, status, location) => {
  const response = await send(`GET ${path}?api_key=secret HTTP/1.1\r\n${HOST}`);
  expect([response.status, response.headers.get("Location")]).toEqual([status, location]);
  expect(JSON.stringify([...response.headers]) + response.body).not.toContain("secret");
});
