/**
 * GET /: the explorer's page, a static file, with the card of the chart in its query. Chats and networks read the card and run no
 * JavaScript. It is made of the address alone: nothing is read but the file. GET /boards/<name> and /holders/<address>: their pages, as they are.
 */

import { ADDRESS_PATTERN } from "../../data-schema/chain.ts";
import { BOARD_NAME } from "../../data-schema/chart-link.ts";
import { CACHE_CONTROL } from "../cache-control.ts";
import { pagePaths } from "../catalog/public-pages.ts";
import { type Card, cardOf } from "../chart-link/card.ts";
import type { Bindings, Context } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { onlyRead } from "../request/method.ts";
import { unknownPath } from "../request/route.ts";
import { isKnown } from "../respond/etag.ts";

/** The file is beside the Worker: this is too long. */
const PATIENCE_MS = 10_000;

/**
 * The answer with the page, under the headers of the file.
 *
 * @throws {Problem} 404 the Worker has no pages, or the path is another one; 405
 */
export async function serveExplorer(request: Request, { bindings: { ASSETS }, origin }: Context): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  // The router takes further slashes for none.
  if (ASSETS === undefined || pathname !== "/") throw unknownPath(pathname, pagePaths());
  onlyRead(request);
  const file = await pageFile(ASSETS, `${origin}/`);
  if (file.status !== 200) return new Response(file.body, file);
  const card = cardOf(search);
  const headers = new Headers(file.headers);
  headers.delete("Content-Length");
  const tag = await pageTag(file, card, origin);
  headers.set("ETag", tag);
  if (isKnown(request.headers.get("If-None-Match"), tag)) {
    await file.body?.cancel();
    return new Response(null, { status: 304, headers });
  }
  return withCard(new Response(file.body, { headers }), card, origin);
}

/**
 * The answer with the page of a board.
 *
 * @throws {Problem} 404 the Worker has no pages, or there is no such board; 405
 */
export async function serveBoard(request: Request, context: Context): Promise<Response> {
  const { pathname } = new URL(request.url);
  const name = pathname.slice("/boards/".length);
  return servePageFile(BOARD_NAME.test(name) ? `/boards/${name}` : null, request, context);
}

/**
 * The answer with the page of an address, which is that of all addresses: its script reads the path.
 *
 * @throws {Problem} 404 the Worker has no pages, or the path names no address; 405
 */
export async function serveAddressPage(request: Request, context: Context): Promise<Response> {
  const { pathname } = new URL(request.url);
  return servePageFile(ADDRESS_PATTERN.test(pathname.slice("/holders/".length)) ? "/holders" : null, request, context);
}

/** A page as it is in its file; null for none. */
async function servePageFile(
  path: string | null,
  request: Request,
  { bindings: { ASSETS }, origin }: Context,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (ASSETS === undefined || path === null) throw unknownPath(pathname, pagePaths());
  onlyRead(request);
  const file = await pageFile(ASSETS, origin + path);
  if (file.status === 404) throw unknownPath(pathname, pagePaths());
  const tag = file.headers.get("ETag");
  if (file.status === 200 && tag !== null && isKnown(request.headers.get("If-None-Match"), tag)) {
    await file.body?.cancel();
    const headers = new Headers(file.headers);
    headers.delete("Content-Length");
    return new Response(null, { status: 304, headers });
  }
  return new Response(file.body, file);
}

/** Paths whose answers are for programs, also where a browser asks. */
const OF_PROGRAMS = /^\/(?:v\d+|udf|mcp|health|problems)(?:\/|$)|\.\w+$/;

/** What a browser shows of a path that names nothing: a page with ways on. Null where the document for programs is the answer. */
export async function serveNotFound(
  request: Request,
  { bindings: { ASSETS }, origin }: Context,
): Promise<Response | null> {
  const isBrowser = request.headers.get("Accept")?.includes("text/html") ?? false;
  if (ASSETS === undefined || !isBrowser || OF_PROGRAMS.test(new URL(request.url).pathname)) return null;
  const file = await pageFile(ASSETS, `${origin}/not-found`).catch(() => null);
  if (file?.status !== 200) return null;
  const headers = new Headers(file.headers);
  headers.delete("ETag");
  headers.set("Cache-Control", CACHE_CONTROL.never);
  return new Response(file.body, { status: 404, headers });
}

/** The file as its server answers it, without the query and the headers of the request: never "not modified", nor a part. */
async function pageFile(assets: NonNullable<Bindings["ASSETS"]>, url: string): Promise<Response> {
  const timer = new AbortController();
  const late = setTimeout(() => timer.abort(), PATIENCE_MS);
  // A client may take its time for the body.
  return assets.fetch(url, { signal: timer.signal }).finally(() => clearTimeout(late));
}

/** The strong entity tag: a digest of everything that the page depends on. */
function pageTag({ headers }: Response, card: Card, origin: string): Promise<string> {
  return digestTag(JSON.stringify([headers.get("ETag"), card, origin]));
}

/** Writes a card into the page's tags, and absolute addresses, which cards need. */
function withCard(page: Response, { title, description, path }: Card, origin: string): Response {
  const write = (property: string, change: (tag: Element) => void): void => {
    rewriter.on(`meta[property="${property}"]`, { element: change });
  };
  const rewriter = new HTMLRewriter();
  if (title !== null) write("og:title", (tag) => setContent(tag, title));
  if (description !== null) write("og:description", (tag) => setContent(tag, description));
  write("og:url", (tag) => (path === null ? tag.remove() : setContent(tag, origin + path)));
  write("og:image", (tag) => setContent(tag, origin + tag.getAttribute("content")));
  return rewriter.transform(page);
}

/** The rewriter itself escapes quotes only. */
function setContent(tag: Element, text: string): void {
  tag.setAttribute("content", text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
}
