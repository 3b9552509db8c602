/** The page `/` with the card of a link. Its file is made up: test/end-to-end/front.slow.test.ts has the real one. */

import { expect, it, vi } from "vitest";
import type { Bindings } from "../../../worker/context.ts";
import { createService } from "../../../worker/service.ts";
import { KEY } from "../client.ts";

const PAGE = `<!doctype html><html><head><title>Soprano</title>
<meta property="og:title" content="Metrics">
<meta property="og:description" content="Of tokens.">
<meta property="og:url" content="/">
<meta property="og:image" content="/static/card.png">
<meta name="viewport" content="og:title"></head><body>“naïve”</body></html>`;

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "public, max-age=0, must-revalidate",
  "Content-Security-Policy": "default-src 'none'",
  ETag: '"file"',
};

/** A Worker with nothing but a page: any read of R2 or KV would fail. */
function worker(file: () => Response | Promise<Response> = () => new Response(PAGE, { headers: HEADERS })) {
  const asked: string[] = [];
  const ASSETS = {
    fetch: async (input: RequestInfo | URL) => {
      asked.push(String(input));
      return file();
    },
  };
  const service = createService({ edge: null, now: Date.now });
  const fetch = (path: string, init?: RequestInit) =>
    service(new Request(`https://soprano.test${path}`, init), { ASSETS } as unknown as Bindings, () => {});
  return { fetch, asked };
}

/** The contents of the page's tags, as a browser reads them. */
async function tags(response: Response): Promise<Record<string, string>> {
  const text = await response.text();
  const unescaped = (content: string) =>
    content.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  const found = text.matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name, content]) => [name, unescaped(content!)]));
}

it("a link's card tells its asset and metrics, with addresses of the host that was asked", async () => {
  const { fetch, asked } = worker();
  expect(await tags(await fetch("/?a=SHELL&y=sopr:$10M%2B&y2=supply:*age&price2=log"))).toEqual({
    title: "SHELL: SOPR and supply by age",
    description: expect.stringMatching(/^Spent output/),
    url: "https://soprano.test/?a=SHELL&y=sopr%3A%2410M%2B&y2=supply%3A*age&price2=log",
    image: "https://soprano.test/static/card.png",
  });
  expect(asked).toEqual(["https://soprano.test/"]);
});

it("without a chart in the link, only the addresses change", async () => {
  const text = await (await worker().fetch("/")).text();
  const absolute = PAGE.replace('content="/"', 'content="https://soprano.test/"').replace(
    '"/static',
    '"https://soprano.test/static',
  );
  expect(text).toBe(absolute);
});

it("a chart that only the explorer can read has no address but the one that was asked", async () => {
  const found = await tags(await worker().fetch("/?y=DUET.'x'"));
  expect(found).toMatchObject({ title: "Metrics" });
  expect(found).not.toHaveProperty("url");
});

it("keeps the file's headers, with a tag of its own", async () => {
  const { headers, status } = await worker().fetch("/?a=SHELL");
  const { ETag, ...others } = HEADERS;
  expect(status).toBe(200);
  for (const [name, value] of Object.entries(others)) expect(headers.get(name), name).toBe(value);
  expect(headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
});

it("the tag changes with the card and with the file, and answers 304", async () => {
  const { fetch } = worker();
  const tagOf = async (path: string) => (await fetch(path)).headers.get("ETag")!;
  const tag = await tagOf("/?a=SHELL&y=sopr");
  expect(await tagOf("/?a=SHELL&y=sopr&unknown=1")).toBe(tag);
  expect(await tagOf("/?a=SHELL&y=supply")).not.toBe(tag);
  expect(await tagOf("/")).not.toBe(tag);
  const changed = worker(() => new Response(PAGE, { headers: { ...HEADERS, ETag: '"new"' } }));
  expect((await changed.fetch("/?a=SHELL&y=sopr")).headers.get("ETag")).not.toBe(tag);

  const known = await fetch("/?a=SHELL&y=sopr", { headers: { "If-None-Match": `W/${tag}` } });
  expect([known.status, await known.text(), known.headers.get("ETag")]).toEqual([304, "", tag]);
  expect(known.headers.get("Content-Security-Policy")).toBe(HEADERS["Content-Security-Policy"]);
  expect((await fetch("/?a=SHELL", { headers: { "If-None-Match": tag } })).status).toBe(200);
  expect((await fetch("/", { headers: { "If-None-Match": '"file"' } })).status).toBe(200);
});

it("HEAD has the headers of GET and no body; other methods are refused", async () => {
  const { fetch } = worker();
  const [get, head] = [await fetch("/?a=SHELL"), await fetch("/?a=SHELL", { method: "HEAD" })];
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const name of [...Object.keys(HEADERS)]) expect(head.headers.get(name), name).toBe(get.headers.get(name));
  expect((await fetch("/", { method: "POST" })).status).toBe(405);
});

it.each([
  `/?a="><script>alert(1)</script>&y="><script>alert(1)</script>`,
  `/?a=SHELL&y==sopr"><script>&scale=<script>`,
  `/?api_key=${KEY}`,
  `/?a=${KEY}&y=${KEY}&y2==${KEY}&z=${KEY}`,
  `/?y=%ff%fe%00&a=%`,
  `/?y=${"<script>".repeat(12_500)}`,
  `/?${"y=sopr&".repeat(14_000)}`,
])("nothing of %.60s… is in the page", async (path) => {
  const response = await worker().fetch(path);
  const page = (await response.text()) + JSON.stringify([...response.headers]);
  expect(response.status).toBe(200);
  for (const hostile of ["<script", "&lt;script", "script%3E", KEY, "alert"]) expect(page).not.toContain(hostile);
  expect(page).toContain("<body>“naïve”</body>");
});

it("a file that is missing, moved or out of reach ends in a clear answer", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  const failing = worker(() => Promise.reject(new Error("internal error; reference = 0")));
  const failed = await failing.fetch(`/?api_key=${KEY}`);
  expect(failed.status).toBe(500);
  expect(await failed.json()).toMatchObject({ type: "/problems/internal-error" });
  expect(JSON.stringify(error.mock.calls)).not.toContain(KEY);
  error.mockRestore();
  const missing = await worker(() => new Response(null, { status: 404 })).fetch("/");
  expect([missing.status, missing.headers.has("X-Request-Id")]).toEqual([404, true]);
  const without = createService({ edge: null, now: Date.now });
  const none = await without(new Request("https://soprano.test/"), {} as Bindings, () => {});
  expect(none.status).toBe(404);
});

it("a board is its file, without the query", async () => {
  const { fetch, asked } = worker();
  const response = await fetch(`/boards/valuation?a=SHELL&api_key=${KEY}`);
  expect([response.status, await response.text()]).toEqual([200, PAGE]);
  expect(response.headers.get("Content-Security-Policy")).toBe(HEADERS["Content-Security-Policy"]);
  expect(asked).toEqual(["https://soprano.test/boards/valuation"]);
  const known = await fetch("/boards/valuation", { headers: { "If-None-Match": '"file"' } });
  expect([known.status, await known.text(), known.headers.get("ETag")]).toEqual([304, "", '"file"']);
  expect((await fetch("/boards/valuation", { method: "POST" })).status).toBe(405);
});

it.each(["/boards/Valuation", "/boards/a.html", "/boards/valuation/", "/boards/%2fx", `/boards/${"a".repeat(65)}`])(
  "%s is no board, and no file is asked for",
  async (path) => {
    const { fetch, asked } = worker();
    expect((await fetch(path)).status).toBe(404);
    expect(asked).toEqual([]);
  },
);

it.each(["0x1111111111111111111111111111111111111111", "0XabCDEF1111111111111111111111111111111111"])(
  "the page of the address %s is the file of all addresses",
  async (address) => {
    const { fetch, asked } = worker();
    const response = await fetch(`/holders/${address}?a=SHELL`);
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
    expect(asked).toEqual(["https://soprano.test/holders"]);
    const known = await fetch(`/holders/${address}`, { headers: { "If-None-Match": '"file"' } });
    expect(known.status).toBe(304);
  },
);

it.each(["/holders/none", "/holders/0x12", `/holders/0x${"1".repeat(41)}`, `/holders/0x${"1".repeat(40)}/x`])(
  "%s is no address, and no file is asked for",
  async (path) => {
    const { fetch, asked } = worker();
    expect((await fetch(path)).status).toBe(404);
    expect(asked).toEqual([]);
  },
);

it("a board that isn't deployed is a 404", async () => {
  const { fetch } = worker(() => new Response(null, { status: 404 }));
  const response = await fetch("/boards/none");
  expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
});

const BROWSER = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

it.each(["/charts", "/assets/HUM", "/holders/none", "/boards/Valuation", "/metrics/sopr"])(
  "a browser is shown a page at %s, and a program a document",
  async (path) => {
    const { fetch, asked } = worker();
    const page = await fetch(path, BROWSER);
    expect([page.status, await page.text(), page.headers.get("ETag")]).toEqual([404, PAGE, null]);
    expect(page.headers.get("Content-Security-Policy")).toBe(HEADERS["Content-Security-Policy"]);
    expect(asked).toEqual(["https://soprano.test/not-found"]);
    const document = await fetch(path);
    expect([document.status, document.headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  },
);

it.each(["/v1/metric", "/v3/serie", "/health/x", "/openapi.jsn", "/problems/none"])(
  "a browser is told the problem at %s, too",
  async (path) => {
    const response = await worker().fetch(path, BROWSER);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  },
);

it("without its file, the page for what is not there is the document", async () => {
  for (const file of [() => new Response(null, { status: 404 }), () => Promise.reject(new Error("out of reach"))]) {
    const response = await worker(file).fetch("/charts", BROWSER);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
  }
});
